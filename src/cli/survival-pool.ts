// Runs the failures of the survivability table on several threads: the caller's and others.
import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { BaselineFacts } from '../whatif/report/baseline-facts.ts'
import type { FailureCase } from '../whatif/scenario/question.ts'
import { likeFirst, type SurvivalPlan, type SurvivalRow, SurvivalRuns } from '../whatif/survival/survival.ts'
import { momentOf, settingsForThread } from './console/worker.ts'
import { type SurvivalMessage, type SurvivalReply, type SurvivalSetup, takeCases } from './survival-messages.ts'

export interface SurvivalWork {
  readonly plan: SurvivalPlan
  readonly seed: string
  readonly pluginFiles: readonly string[]
  /** A thread that reads the cluster of the plan. */
  readonly reader?: Worker | undefined
  readonly cases: readonly FailureCase[]
  /** Absent: one per core, if the cluster is large. */
  readonly threads?: number | undefined
  readonly signal: AbortSignal
  readonly onPlayed: () => void
}

/** The rows in the order of the cases. After an interruption, the remaining cases have no row. */
export async function playSurvival(work: SurvivalWork): Promise<readonly SurvivalRow[]> {
  const { plan, seed, cases } = work
  const runs = new SurvivalRuns(plan, seed)
  const threads = startThreads(work)
  // One thread also runs the baseline, and has about as much work as this thread.
  const [first] = cases.some((failure) => runs.isWhole(failure)) ? threads : []
  const baseline = first === undefined ? undefined : baselineOf(first)
  const playHere = (failure: FailureCase) =>
    baseline !== undefined && runs.isWhole(failure) ? runs.playBeside(baseline, failure) : runs.play(failure)
  const play = (chosen: readonly FailureCase[]) => playAll(playHere, threads, chosen, work)
  try {
    return await likeFirst(runs, cases, play)
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

// For a smaller cluster, one thread is faster than sending the cluster to others.
const largeWork = 20_000

// Files of smaller clusters: a snapshot, and a dump.
const largeFile = { compressedBytes: 2 ** 19, bytes: 2 ** 24 }

/**
 * Starts a thread that reads the cluster from a large file while this thread reads it, which is faster than sending the cluster
 * afterwards. Undefined: there is no other thread, or no such file.
 */
export function startReader(
  { from, threads }: { readonly from: string | undefined; readonly threads: number | undefined },
  cwd: string,
): Worker | undefined {
  if (from === undefined || from === '-' || (threads ?? availableParallelism()) < 2) return undefined
  const file = resolve(cwd, from)
  const found = statSync(file, { throwIfNoEntry: false })
  const leastBytes = file.endsWith('.gz') ? largeFile.compressedBytes : largeFile.bytes
  const program = found?.isFile() === true && found.size >= leastBytes ? workerFile() : undefined
  if (program === undefined) return undefined
  const worker = new Worker(program)
  worker.postMessage({ kind: 'read', file } satisfies SurvivalMessage)
  return worker
}

/** The threads besides the caller's, with their cluster. Without a build there are none. */
function startThreads(work: SurvivalWork): readonly Worker[] {
  const { plan, cases, threads, pluginFiles, seed, reader } = work
  const { store, takenAtMs } = plan.found
  // One thread calls live webhooks, so that one recording has all answers. Autoscalers cannot be sent.
  if (plan.webhooks?.live !== undefined || plan.autoscaling !== undefined) return []
  const isLarge = store.count('pods') * Math.min(cases.length, 20) >= largeWork
  const wanted = Math.min(threads ?? (isLarge ? availableParallelism() : 1), cases.length) - 1
  const file = wanted < 1 ? undefined : workerFile()
  if (file === undefined) return []
  const { settings, hollow, create, untilMs, without = [], isWhole = false, webhooks } = plan
  const answered = webhooks === undefined ? {} : { webhooks }
  const played = { settings, hollow, create, untilMs, without, isWhole, pluginFiles, ...answered }
  const setup = settingsForThread<SurvivalSetup>(played)
  reader?.postMessage({ kind: 'setup', setup, seed } satisfies SurvivalMessage)
  const readers = reader === undefined ? [] : [reader]
  if (wanted <= readers.length) return readers
  // A single message sends parts that objects share once, and the thread shares them, too.
  const message: SurvivalMessage = { kind: 'cluster', moment: momentOf(store), takenAtMs, setup, seed }
  const others = Array.from({ length: wanted - readers.length }, () => {
    const worker = new Worker(file)
    worker.postMessage(message)
    return worker
  })
  return [...readers, ...others]
}

/** The program that the build creates from survival-worker.ts. */
function workerFile(): string | undefined {
  const files = ['./survival-worker.js', '../survival-worker.js'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  return files.find((file) => existsSync(file))
}

/** The baseline, computed by a thread. */
function baselineOf(thread: Worker): Promise<BaselineFacts> {
  const facts = replyOf<BaselineFacts>(thread, (reply, resolve) => {
    if (reply.kind === 'baseline') resolve(reply.facts)
  })
  // The caller gets a failure of the thread when it needs the facts.
  facts.catch(() => {})
  thread.postMessage({ kind: 'baseline' } satisfies SurvivalMessage)
  return facts
}

async function playAll(
  playHere: (failure: FailureCase) => SurvivalRow | Promise<SurvivalRow>,
  threads: readonly Worker[],
  cases: readonly FailureCase[],
  { signal, onPlayed }: SurvivalWork,
): Promise<readonly (SurvivalRow | undefined)[]> {
  const rows: (SurvivalRow | undefined)[] = cases.map(() => undefined)
  const next = new SharedArrayBuffer(4)
  const take = (at: number, row: SurvivalRow) => {
    rows[at] = row
    onPlayed()
  }
  const others = threads.map((thread) => playedBy(thread, { kind: 'cases', cases, next }, take))
  // The code below handles a failure of a thread.
  const elsewhere = Promise.all(others)
  elsewhere.catch(() => {})
  for (const [at, failure] of takeCases(cases, next)) {
    take(at, await playHere(failure))
    await setImmediate()
    if (!signal.aborted) continue
    // No thread starts another case.
    Atomics.store(new Int32Array(next), 0, cases.length)
    return rows
  }
  await elsewhere
  return rows
}

function playedBy(
  thread: Worker,
  message: SurvivalMessage,
  take: (at: number, row: SurvivalRow) => void,
): Promise<void> {
  const ended = replyOf<void>(thread, (reply, resolve) => {
    if (reply.kind === 'row') take(reply.at, reply.row)
    else if (reply.kind === 'end') resolve()
  })
  thread.postMessage(message)
  return ended
}

/** Listens until `onReply` resolves, or the thread fails. */
function replyOf<T>(thread: Worker, onReply: (reply: SurvivalReply, resolve: (value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: SurvivalReply) => {
      if (reply.kind === 'failed') reject(new Error(reply.message))
      onReply(reply, (value) => {
        thread.off('message', onMessage)
        resolve(value)
      })
    }
    thread.on('message', onMessage)
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the worker thread exited with code ${code}`)))
  })
}
