// A thread that plays failures of the survivability table. The build makes this file a separate program.
import { isMainThread, parentPort } from 'node:worker_threads'
import { keyOf } from '../api/object-key.ts'
import { createStore } from '../store/memory-store.ts'
import type { FailureCase } from '../whatif/scenario/question.ts'
import { type SurvivalPlan, type SurvivalRow, SurvivalRuns } from '../whatif/survival/survival.ts'
import { type ClusterMoment, settingsInThread, type ThreadSetup } from './console/worker.ts'

export type SurvivalSetup = ThreadSetup & Pick<SurvivalPlan, 'hollow' | 'untilMs' | 'without' | 'isWhole'>

/** `cluster` comes first; then lists of cases. */
export type SurvivalMessage =
  | {
      readonly kind: 'cluster'
      readonly moment: ClusterMoment
      readonly takenAtMs: number
      readonly setup: SurvivalSetup
      readonly seed: string
    }
  /** `next`: the number of cases that the threads have taken so far. */
  | { readonly kind: 'cases'; readonly cases: readonly FailureCase[]; readonly next: SharedArrayBuffer }

export type SurvivalReply =
  | { readonly kind: 'row'; readonly at: number; readonly row: SurvivalRow }
  /** No case is left. */
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly message: string }

/** Takes the next case that no thread has taken. */
export function* takeCases(cases: readonly FailureCase[], next: SharedArrayBuffer): Generator<[number, FailureCase]> {
  const counter = new Int32Array(next)
  for (;;) {
    const at = Atomics.add(counter, 0, 1)
    const failure = cases[at]
    if (failure === undefined) return
    yield [at, failure]
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const say = (message: SurvivalReply) => port.postMessage(message)
  let runs: Promise<SurvivalRuns> | undefined
  port.on('message', async (message: SurvivalMessage) => {
    try {
      if (message.kind === 'cluster') {
        runs = runsOn(message)
        return
      }
      if (runs === undefined) throw new Error('cases arrived before the cluster')
      const player = await runs
      for (const [at, failure] of takeCases(message.cases, message.next))
        say({ kind: 'row', at, row: player.play(failure) })
      say({ kind: 'end' })
    } catch (error) {
      say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  })
}

async function runsOn({
  moment: { revision, tables },
  takenAtMs,
  setup,
  seed,
}: Extract<SurvivalMessage, { readonly kind: 'cluster' }>): Promise<SurvivalRuns> {
  const objects = tables.flatMap(({ resource, objects: all }) =>
    all.map((object) => ({ resource, key: keyOf(object), object })),
  )
  const store = createStore({ initial: { revision, objects } })
  const { pluginFiles: _, ...known } = await settingsInThread(setup)
  return new SurvivalRuns({ title: '', create: [], ...known, found: { store, takenAtMs } }, seed)
}
