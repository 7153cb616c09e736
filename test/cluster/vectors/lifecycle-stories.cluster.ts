import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../../src/api/call.ts'
import type { JsonObject, KubeObject } from '../../../src/api/objects/meta.ts'
import { createRandom } from '../../../src/base/random.ts'
import { must } from '../../../src/base/result.ts'
import { readSettings } from '../../../src/controlplane/settings.ts'
import { describeDifferences } from '../../conformance/run.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from '../real-parts.ts'
import { Kubelets } from './kubelets.ts'
import { LifecycleStory } from './lifecycle-story.ts'
import { berthSide, clear, eventsOf, list, podSeen, realSide, type Side } from './sides.ts'

const reason = missing()
const stories = Number(process.env['BERTH_STORIES'] ?? 1)
const first = Number(process.env['BERTH_STORY'] ?? 1)
const steps = Number(process.env['BERTH_STEPS'] ?? 6)
/** Longer than a node may be silent, a pass of the monitor and the longest wait of a pod together. */
const stepSeconds = 11

const flags = {
  'node-monitor-period': '1s',
  'node-monitor-grace-period': '4s',
  'node-startup-grace-period': '4s',
  'node-eviction-rate': '50',
  'secondary-node-eviction-rate': '50',
}

describe.skipIf(reason !== undefined)(
  `nodes in trouble under kube-controller-manager v1.36.4 and berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let real: Side
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ controllers: 'node-lifecycle-controller,taint-eviction-controller' })
      real = await realSide(cluster)
      await cluster.start(
        'kube-controller-manager',
        Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      )
    })
    afterAll(async () => {
      real?.close()
      await cluster?.close()
    })

    it.each(Array.from({ length: stories }, (_, i) => first + i))(
      'node story %i has the same facts after every step',
      async (seed) => {
        const prefix = `s${seed}`
        const berth = berthSide(must(readSettings(flags)), String(seed), ['node-lifecycle', 'taint-eviction'])
        const kubelets = new Kubelets()
        const story = new LifecycleStory(prefix, createRandom(seed).stream('lifecycle'), kubelets)
        const told: string[] = []
        try {
          await tell(story.opening())
          for (let step = 0; step < steps; step++) {
            await tell(story.next(await list(real.call, 'pods')))
            const differences = describeDifferences(await seen(real, prefix), await seen(berth, prefix))
            expect(differences.join('\n'), `${told.join('\n')}\n`).toBe('')
          }
        } finally {
          await clear(real)
        }

        async function tell(calls: readonly Call[]): Promise<void> {
          told.push(...calls.map((call) => JSON.stringify(call)), JSON.stringify([...kubelets.reports]))
          for (const side of [real, berth]) {
            for (const call of calls) {
              const outcome = await side.call(call)
              expect(outcome.ok, JSON.stringify(outcome)).toBe(true)
            }
            for (let second = 0; second < stepSeconds; second++) {
              await kubelets.pulse(side.call, side.now())
              await side.pass(1_000)
            }
          }
        }
      },
    )
  },
)

async function seen({ call }: Side, prefix: string): Promise<unknown> {
  const events = await eventsOf(call, prefix)
  return {
    nodes: Object.fromEntries((await list(call, 'nodes')).map((node) => [node.metadata.name, nodeSeen(node)])),
    pods: Object.fromEntries((await list(call, 'pods')).map((pod) => [pod.metadata.name, podSeen(pod as never)])),
    events: Object.fromEntries([...new Set(events.flatMap(eventSeen))].sort().map((event) => [event, true])),
  }
}

function nodeSeen(node: KubeObject): unknown {
  const { spec, status } = node as unknown as {
    spec?: { taints?: JsonObject[] }
    status?: { conditions?: JsonObject[] }
  }
  return {
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`).sort(),
    conditions: (status?.conditions ?? [])
      .map(({ type, status: is, reason, message }) => [type, is, reason, message].join(' | '))
      .sort(),
  }
}

function eventSeen(event: KubeObject): readonly string[] {
  const { type, reason, message, involvedObject, source } = event as unknown as JsonObject
  const about = involvedObject as JsonObject
  return [[about['kind'], about['name'], type, reason, (source as JsonObject)?.['component'], message].join(' | ')]
}
