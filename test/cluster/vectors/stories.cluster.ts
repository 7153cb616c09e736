import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../../src/api/call.ts'
import { createRandom } from '../../../src/base/random.ts'
import { defaultSettings } from '../../../src/controlplane/settings.ts'
import { readSchedulerConfiguration } from '../../../src/scheduler/config/scheduler-configuration.ts'
import { describeDifferences } from '../../conformance/run.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from '../real-parts.ts'
import { berthSide, clear, list, type Observation, observe, realSide, type Side, startPods } from './sides.ts'
import { Story } from './story.ts'

const reason = missing()
// BERTH_STORIES=40 BERTH_STORY=7 BERTH_STEPS=20: forty stories of twenty steps, from the seventh on.
const stories = Number(process.env['BERTH_STORIES'] ?? 2)
const first = Number(process.env['BERTH_STORY'] ?? 1)
const steps = Number(process.env['BERTH_STEPS'] ?? 12)

const configuration = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  // This plugin would add a text about devices to every message.
  profiles: [{ plugins: { multiPoint: { disabled: [{ name: 'DynamicResources' }] } } }],
}

describe.skipIf(reason !== undefined)(
  `stories told to kube-scheduler v1.36.4 and to berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let real: Side
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ controllers: 'persistentvolume-binder-controller' })
      real = await realSide(cluster)
      const clientConnection = { kubeconfig: cluster.kubeconfig }
      const leaderElection = { leaderElect: false }
      const file = join(cluster.folder, 'scheduler.json')
      writeFileSync(file, JSON.stringify({ ...configuration, clientConnection, leaderElection }))
      await cluster.start('kube-scheduler', ['--config', file])
      // A claim sees a new volume when it is checked again, every 15 s by default.
      await cluster.start('kube-controller-manager', ['--pvclaimbinder-sync-period=1s'])
    })
    afterAll(async () => {
      real?.close()
      await cluster?.close()
    })

    const read = readSchedulerConfiguration(configuration)
    if (!read.ok) throw new Error(read.message)
    const settings = { ...defaultSettings, scheduler: { configuration: read.value, plugins: {} } }

    it.each(Array.from({ length: stories }, (_, i) => first + i))(
      'scheduling story %i has the same facts after every step',
      async (seed) => {
        const prefix = `s${seed}`
        const berth = berthSide(settings, String(seed), ['scheduler', 'persistentvolume-binder'])
        const story = new Story(prefix, createRandom(seed).stream('story'))
        const told: string[] = []
        try {
          await tell(story.opening())
          for (let step = 0; step < steps; step++) {
            await tell(story.next(await list(real.call, 'pods')))
            const [want, got] = [await observe(real.call, prefix), await observe(berth.call, prefix)]
            const differences = differencesOf(want, got)
            expect(differences.join('\n'), `${told.join('\n')}\n`).toBe('')
          }
        } finally {
          await clear(real)
        }

        async function tell(calls: readonly Call[]): Promise<void> {
          for (const call of calls) {
            told.push(JSON.stringify(call))
            const [a, b] = [await real.call(call), await berth.call(call)]
            // Informers of different kinds do not wait for each other: a pod may be seen before its claim.
            await new Promise((next) => setTimeout(next, 200))
            expect(b.ok, `${told.join('\n')}\n${JSON.stringify([a, b])}`).toBe(a.ok)
          }
          for (const side of [real, berth]) {
            await side.settle()
            if (await startPods(side.call)) await side.settle()
          }
        }
      },
    )
  },
)

function differencesOf({ events: wanted, ...want }: Observation, { events: given, ...got }: Observation): string[] {
  return [
    ...describeDifferences(want, got),
    ...wanted.filter((event) => !given.includes(event)).map((event) => `no event: ${event}`),
    ...given.filter((event) => !wanted.includes(event)).map((event) => `unexpected event: ${event}`),
  ]
}
