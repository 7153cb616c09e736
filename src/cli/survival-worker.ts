// A thread that runs failures of the survivability table. The build makes this file a separate program.
import { isMainThread, parentPort } from 'node:worker_threads'
import { keyOf } from '../api/object-key.ts'
import { createStore } from '../store/memory-store.ts'
import type { FoundCluster } from '../whatif/scenario/forecast-plan.ts'
import { SurvivalRuns } from '../whatif/survival/survival.ts'
import { readFrom } from './cluster-input.ts'
import { settingsInThread } from './console/worker.ts'
import { realPorts } from './ports.ts'
import { type SurvivalMessage, type SurvivalReply, type SurvivalSetup, takeCases } from './survival-messages.ts'

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const say = (message: SurvivalReply) => port.postMessage(message)
  let reading: Promise<FoundCluster> | undefined
  let runs: Promise<SurvivalRuns> | undefined
  port.on('message', async (message: SurvivalMessage) => {
    try {
      if (message.kind === 'read') {
        reading = readFrom(message.file, realPorts()).then(({ cluster }) => cluster)
        // The error is reported when the cluster is needed.
        reading.catch(() => {})
        return
      }
      if (message.kind === 'cluster') {
        runs = runsOn(clusterOf(message), message)
        return
      }
      if (message.kind === 'setup') {
        if (reading === undefined) throw new Error('setup arrived before the file')
        runs = reading.then((cluster) => runsOn(cluster, message))
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

function clusterOf({
  moment: { revision, tables },
  takenAtMs,
}: Extract<SurvivalMessage, { readonly kind: 'cluster' }>): FoundCluster {
  const objects = tables.flatMap(({ resource, objects: all }) =>
    all.map((object) => ({ resource, key: keyOf(object), object })),
  )
  return { store: createStore({ initial: { revision, objects } }), takenAtMs }
}

async function runsOn(
  found: FoundCluster,
  { setup, seed }: { readonly setup: SurvivalSetup; readonly seed: string },
): Promise<SurvivalRuns> {
  const { pluginFiles: _, ...known } = await settingsInThread(setup)
  return new SurvivalRuns({ title: '', ...known, found }, seed)
}
