// A thread that plays failures of the survivability table. The build makes this file a separate program.
import { isMainThread, parentPort } from 'node:worker_threads'
import { keyOf } from '../api/object-key.ts'
import { createStore } from '../store/memory-store.ts'
import { SurvivalRuns } from '../whatif/survival/survival.ts'
import { settingsInThread } from './console/worker.ts'
import { type SurvivalMessage, type SurvivalReply, takeCases } from './survival-messages.ts'

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
      if (runs === undefined) throw new Error(`${message.kind} arrived before the cluster`)
      const player = await runs
      if (message.kind === 'baseline') {
        say({ kind: 'baseline', facts: player.withoutFailure() })
        return
      }
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
