// Answers questions about large clusters in a worker thread, so that forecasts do not block the live cluster.
import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parentPort, Worker } from 'node:worker_threads'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import type { PlayWatch } from '../../controlplane/console/console.ts'
import type { SchedulerSettings, Settings } from '../../controlplane/settings.ts'
import { type RecordedAnswer, RecordedAnswers, type WebhookSettings } from '../../controlplane/webhook-answers.ts'
import type { Store } from '../../store/contract.ts'
import { createStore } from '../../store/memory-store.ts'
import type { ForecastRequest } from '../../wire/console-questions.ts'
import type { SearchRequest } from '../../wire/console-search.ts'
import { askLive } from '../live-webhooks.ts'
import { realPorts } from '../ports.ts'
import { loadPlugins } from '../user-plugins.ts'
import { explainForConsole, objectsIn } from './explain.ts'
import { type ForecastSetup, forecastForConsole } from './forecast.ts'
import { searchForConsole } from './search.ts'
import { asksForText, textForConsole } from './text-questions.ts'

/** The settings of a scheduler with the paths of its plugins, because functions cannot be sent to a thread. */
export interface ThreadSetup {
  readonly settings: Settings
  readonly pluginFiles: readonly string[]
  readonly webhooks?: WebhookSettings
  /** The thread calls webhooks itself. */
  readonly isAsking?: boolean
}

export type WorkerTask =
  | {
      readonly kind: 'forecast'
      readonly request: ForecastRequest
      readonly setup: ThreadSetup & ForecastSetup
      readonly now: number
    }
  | {
      readonly kind: 'search'
      readonly request: SearchRequest
      readonly setup: ThreadSetup & ForecastSetup
      readonly now: number
    }
  | { readonly kind: 'explain'; readonly pod: string; readonly setup: ThreadSetup; readonly now: number }

/** The part of a task that differs between the questions of a console. */
export type WorkerQuestion = WorkerTask extends infer Task
  ? Task extends WorkerTask
    ? Omit<Task, 'setup' | 'now'>
    : never
  : never

type ToWorker =
  | { readonly kind: 'objects'; readonly resource: string; readonly objects: readonly KubeObject[] }
  | { readonly kind: 'ask'; readonly revision: number; readonly task: WorkerTask }

type FromWorker =
  | { readonly kind: 'progress'; readonly progress: object }
  | { readonly kind: 'answer'; readonly value: unknown; readonly recorded: readonly RecordedAnswer[] }
  | { readonly kind: 'failed'; readonly message: string }

const objectsAtOnce = 250

/** The built command, which the thread loads; undefined when running from sources. */
function entry(): URL | undefined {
  return ['./cli.js', '../cli.js']
    .map((place) => new URL(place, import.meta.url))
    .find((url) => existsSync(fileURLToPath(url)))
}

export const canAskElsewhere = (): boolean => entry() !== undefined

/** A snapshot of the lists of a cluster, which never change. */
export interface ClusterMoment {
  readonly revision: number
  readonly tables: readonly { readonly resource: string; readonly objects: readonly KubeObject[] }[]
}

export function momentOf(store: Store): ClusterMoment {
  const fork = store.fork()
  return {
    revision: fork.revision,
    tables: fork.resources().map((resource) => ({ resource, objects: fork.list(resource) })),
  }
}

/** Copies a cluster to a thread in parts, and waits for the answer. */
export async function askElsewhere<Progress extends object>(
  moment: ClusterMoment,
  task: WorkerTask,
  watch?: PlayWatch<Progress>,
): Promise<unknown> {
  const url = entry()
  if (url === undefined) throw new Error('the command is not built, so it cannot run in a worker thread')
  const code = `import(${JSON.stringify(url.href)}).then(({ answerInThread }) => answerInThread())`
  const worker = new Worker(code, { eval: true, execArgv: [] })
  const answer = answerOf(worker, watch, task.setup.webhooks?.record)
  try {
    const sent = sendAll(worker, moment, task, watch)
    return await Promise.race([answer, sent.then(() => answer)])
  } finally {
    await worker.terminate()
  }
}

async function sendAll(
  worker: Worker,
  moment: ClusterMoment,
  task: WorkerTask,
  watch: Pick<PlayWatch<object>, 'isUnwanted'> | undefined,
): Promise<void> {
  const send = (message: ToWorker) => worker.postMessage(message)
  for (const { resource, objects } of moment.tables) {
    // Events do not affect a forecast.
    if (resource === 'events') continue
    for (let from = 0; from < objects.length; from += objectsAtOnce) {
      if (watch?.isUnwanted() === true) throw new Error('the request was discarded')
      send({ kind: 'objects', resource, objects: objects.slice(from, from + objectsAtOnce) })
      await setImmediate()
    }
  }
  const plain = { ...task, setup: settingsForThread<WorkerTask['setup']>(task.setup) } as WorkerTask
  send({ kind: 'ask', revision: moment.revision, task: plain })
}

/** The settings as plain data. */
export function settingsForThread<Setup extends ThreadSetup>(setup: Setup): Setup {
  return withoutAsking(withoutRelease(withSettings(setup, {})))
}

/** The settings with their functions again. */
export async function settingsInThread<Setup extends ThreadSetup>(setup: Setup): Promise<Setup> {
  // The paths are absolute, so the working directory does not matter.
  return withAsking(withSettings(withRelease(setup), await loadPlugins(setup.pluginFiles, '/')))
}

function withoutAsking<Setup extends ThreadSetup>(setup: Setup): Setup {
  if (setup.webhooks === undefined) return setup
  const { live, record: _, ...webhooks } = setup.webhooks
  return { ...setup, webhooks, isAsking: live !== undefined }
}

function withAsking<Setup extends ThreadSetup>(setup: Setup): Setup {
  if (setup.isAsking !== true) return setup
  return { ...setup, webhooks: { ...setup.webhooks, live: askLive(), record: new RecordedAnswers() } }
}

function withSettings<Setup extends ThreadSetup>(setup: Setup, plugins: SchedulerSettings['plugins']): Setup {
  const { settings } = setup
  const { configuration } = settings.scheduler
  return { ...setup, settings: { ...settings, scheduler: { configuration, plugins } } }
}

/** The settings without functions: a release is sent as its version and the gates that were set. */
function withoutRelease<Setup extends ThreadSetup>(setup: Setup): Setup {
  const { release } = setup.settings
  const { version, setGates } = release
  return { ...setup, settings: { ...setup.settings, release: { version, setGates } as unknown as KubernetesRelease } }
}

function withRelease<Setup extends ThreadSetup>(setup: Setup): Setup {
  const { version, setGates } = setup.settings.release
  const release = must(withFeatureGates(must(releaseOf(version)), setGates))
  return { ...setup, settings: { ...setup.settings, release } }
}

function answerOf<Progress extends object>(
  worker: Worker,
  watch: PlayWatch<Progress> | undefined,
  record: RecordedAnswers | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', (code) => reject(new Error(`the worker thread exited with code ${code}`)))
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'answer') {
        for (const answer of message.recorded) record?.add(answer)
        resolve(message.value)
      } else if (message.kind === 'failed') reject(new Error(message.message))
      else if (watch?.isUnwanted() === true) reject(new Error('the request was discarded'))
      else watch?.onProgress(message.progress as Progress)
    })
  })
}

/** Runs in the worker thread: collects the objects, answers the question, and exits. */
export function answerInThread(): void {
  const port = parentPort
  if (port === null) return
  const objects: { readonly resource: string; readonly key: string; readonly object: KubeObject }[] = []
  const say = (message: FromWorker) => port.postMessage(message)
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'objects') {
      for (const object of message.objects) objects.push({ resource: message.resource, key: keyOf(object), object })
      return
    }
    const store = createStore({ initial: { revision: message.revision, objects } })
    answer(store, message.task, (progress) => say({ kind: 'progress', progress }))
      .then((answered) => say({ kind: 'answer', ...answered }))
      .catch((error: unknown) =>
        say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
      )
  })
}

async function answer(
  store: Store,
  task: WorkerTask,
  onProgress: (progress: object) => void,
): Promise<Omit<Extract<FromWorker, { kind: 'answer' }>, 'kind'>> {
  if (task.kind === 'explain') {
    const { settings } = await settingsInThread(task.setup)
    const value = await explainForConsole({ objects: objectsIn(store), settings, pod: task.pod, now: task.now })
    return { value, recorded: [] }
  }
  const setup = await settingsInThread(task.setup)
  // A discarded request ends with the thread.
  const watch = { onProgress, isUnwanted: () => false }
  const answerTo = (request: ForecastRequest) =>
    (asksForText(request) ? textForConsole : forecastForConsole)(store, setup, request, task.now, watch)
  const value =
    task.kind === 'search'
      ? await searchForConsole(store, setup, task.request, { ...watch, now: realPorts().now })
      : await answerTo(task.request)
  return { value, recorded: setup.webhooks?.record?.all() ?? [] }
}
