import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { SchedulerCache } from '../cache/scheduler-cache.ts'
import type { Profile } from '../contract/contract.ts'
import { DeviceInventory } from '../devices/device-inventory.ts'
import { node, pod } from '../small-cluster.fixture.ts'
import { DomainCounter } from './domain-counter.ts'
import { Plan } from './plan.ts'
import type { PluginColumn } from './plugin-columns.ts'
import { StatusTable } from './status-table.ts'

type Step =
  | { readonly kind: 'add'; readonly pod: number; readonly node: number; readonly app: string; readonly dying: boolean }
  | { readonly kind: 'remove'; readonly pod: number }
  | { readonly kind: 'node'; readonly node: number; readonly zone: string | undefined }
  | { readonly kind: 'drop'; readonly node: number }
  | { readonly kind: 'look' }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      pod: fc.nat(9),
      node: fc.nat(4),
      app: fc.constantFrom('web', 'db'),
      dying: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('remove' as const), pod: fc.nat(9) }),
    fc.record({ kind: fc.constant('node' as const), node: fc.nat(4), zone: fc.constantFrom('a', 'b', undefined) }),
    fc.record({ kind: fc.constant('drop' as const), node: fc.nat(4) }),
    fc.record({ kind: fc.constant('look' as const) }),
  ),
  { maxLength: 40 },
)

/** A plan with one column that only counts. */
function countingPlan(cache: SchedulerCache): { readonly plan: Plan; readonly counter: DomainCounter } {
  const { table } = cache
  const counter = new DomainCounter(table, {
    topologyKey: 'zone',
    weigh: ({ labels }) => (labels?.['app'] === 'web' ? 1 : 0),
    countsTerminating: false,
    marksDomain: false,
    tracksLeast: true,
  })
  const column: PluginColumn = { counters: [counter] }
  const profile = { filter: [], score: [] } as unknown as Profile
  const sources = {
    table,
    statuses: new StatusTable(),
    objects: {} as never,
    versionOf: () => 0,
    claimInUse: () => false,
    devices: new DeviceInventory(() => {}),
    volumeUsers: { hasInline: false, hasUncertain: false, isSingle: () => true, isClaimEphemeral: () => false },
    cluster: () => ({}) as never,
    sharesPlan: () => false,
  }
  const plan = new Plan(profile, sources, new Map([['Counting', column]]))
  plan.fill(undefined)
  return { plan, counter }
}

function recount(cache: SchedulerCache): Map<string, number> {
  const counts = new Map<string, number>()
  for (const {
    node: { metadata },
    pods,
  } of cache.table.nodes()) {
    const zone = metadata.labels?.['zone']
    if (zone === undefined) continue
    const matching = pods.filter(
      ({ pod: one, shape }) => shape.labels?.['app'] === 'web' && !one.metadata.deletionTimestamp,
    )
    counts.set(zone, (counts.get(zone) ?? 0) + matching.length)
  }
  return counts
}

function play(cache: SchedulerCache, pods: Map<number, Pod>, step: Step): void {
  switch (step.kind) {
    case 'add': {
      if (pods.has(step.pod)) return
      const dying = step.dying ? { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } : {}
      const one = pod(`p${step.pod}`, { labels: { app: step.app }, nodeName: `n${step.node}`, ...dying })
      pods.set(step.pod, one)
      cache.addPod(one)
      break
    }
    case 'remove': {
      const one = pods.get(step.pod)
      pods.delete(step.pod)
      if (one !== undefined) cache.removePod(one)
      break
    }
    case 'node':
      cache.addNode(node(`n${step.node}`, step.zone === undefined ? {} : { labels: { zone: step.zone } }))
      break
    case 'drop':
      cache.removeNode(node(`n${step.node}`))
      break
    case 'look':
  }
}

describe('DomainCounter', () => {
  it('equals a recount after any sequence of changes', () => {
    fc.assert(
      fc.property(steps, (story) => {
        const cache = new SchedulerCache()
        const pods = new Map<number, Pod>()
        const { plan, counter } = countingPlan(cache)
        for (const step of [...story, { kind: 'look' } as const]) {
          play(cache, pods, step)
          if (step.kind !== 'look') continue
          expect(plan.sync(undefined)).toBe(true)
          const want = recount(cache)
          const domain = (zone: string): number => counter.label.idOf(zone) ?? 0
          expect(['a', 'b'].map((zone) => counter.countIn(domain(zone)))).toEqual(
            ['a', 'b'].map((zone) => want.get(zone) ?? 0),
          )
          expect(counter.domains).toBe(want.size)
          expect(counter.least).toBe(Math.min(...want.values()))
          expect(counter.leastExcept(domain('a'))).toBe(want.get('b') ?? Number.POSITIVE_INFINITY)
        }
      }),
      { numRuns: 300 },
    )
  })
})
