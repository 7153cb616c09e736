import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cidr, cidrsOverlap, containsCidr, parseCidr } from '../../api/cidr.ts'
import { IpamCluster, type Mishap } from './ipam-cluster.fixture.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const mishaps = ['Conflict', 'Invalid', 'InternalError', 'ServerTimeout', 'answer lost'] as const

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), name: fc.constantFrom(...names) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom(...names) }) },
  // The node is deleted and created again before the controller sees it.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), name: fc.constantFrom(...names) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      how: fc.constantFrom(...mishaps),
      times: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 4, 50, 3000, 60_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
)

const setups = [
  { flags: { 'cluster-cidr': '10.0.0.0/21', 'service-cluster-ip-range': '10.0.0.0/24' }, blocks: 1 },
  { flags: { 'cluster-cidr': '10.0.0.0/20,fd00::/60', 'service-cluster-ip-range': '10.0.3.0/24' }, blocks: 2 },
  // Fewer blocks than nodes.
  { flags: { 'cluster-cidr': '10.0.0.0/22', 'service-cluster-ip-range': '10.0.0.0/24' }, blocks: 1 },
]

interface Story {
  readonly cluster: IpamCluster
  readonly heal: () => void
}

/** Runs the steps; `check` is called after each. */
function play(
  flags: Readonly<Record<string, string>>,
  improved: boolean,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  check: (cluster: IpamCluster) => void,
): Story {
  let mishap: { how: Mishap; left: number } | undefined
  const cluster = new IpamCluster({
    flags,
    improved,
    mishap: () => (mishap !== undefined && mishap.left-- > 0 ? mishap.how : undefined),
  })
  const present = new Set<string>()
  for (const one of steps) {
    switch (one.do) {
      case 'add':
        if (!present.has(one.name)) cluster.addNode(one.name)
        present.add(one.name)
        break
      case 'delete':
        if (present.delete(one.name)) cluster.deleteNode(one.name)
        break
      case 'replace':
        if (!present.has(one.name)) break
        cluster.deleteNode(one.name)
        cluster.addNode(one.name)
        break
      case 'fail':
        mishap = { how: one.how, left: one.times }
        break
      case 'wait':
        cluster.advance(one.ms)
        break
      case 'restart':
        cluster.restart()
    }
    check(cluster)
  }
  return {
    cluster,
    heal: () => {
      mishap = undefined
    },
  }
}

/** Checks that no two nodes share an address, and that no address is outside of the ranges or belongs to a service. */
function expectApart(cluster: IpamCluster, flags: Readonly<Record<string, string>>): void {
  const ranges = (flags['cluster-cidr'] ?? '').split(',').map(cidr)
  const services = cidr(flags['service-cluster-ip-range'] ?? '')
  const held = Object.values(cluster.blocks())
    .flatMap((texts) => texts.split(' '))
    .filter((text) => text !== '')
    .map(cidr)
  for (const [at, one] of held.entries()) {
    expect(ranges.some((range) => containsCidr(range, one))).toBe(true)
    expect(cidrsOverlap(services, one)).toBe(false)
    for (const other of held.slice(at + 1)) expect(cidrsOverlap(one, other)).toBe(false)
  }
}

const steps = fc.array(step, { minLength: 5, maxLength: 40 })
const setup = fc.constantFrom(...setups)

describe('random nodes, writes and restarts', () => {
  it.each(['upstream', 'improved'])(
    'assigns no address to two nodes with random nodes, writes and restarts, %s',
    (behavior) => {
      fc.assert(
        fc.property(setup, steps, ({ flags }, list) => {
          play(flags, behavior === 'improved', list, (cluster) => expectApart(cluster, flags))
        }),
        { numRuns: 60 },
      )
    },
  )

  it('loses no block with improved behavior, and upstream finds lost blocks after a restart', () => {
    fc.assert(
      fc.property(setup, fc.boolean(), steps, ({ flags, blocks }, improved, list) => {
        const { cluster, heal } = play(flags, improved, list, (present) => {
          if (improved) expect(present.inspect().leaked).toEqual([])
        })
        heal()
        if (!improved) cluster.restart()
        // Longer than any backoff that these failures cause.
        cluster.advance(3_600_000)
        const { ranges, leaked, reserved, waiting } = cluster.inspect()
        const held = Object.values(cluster.blocks()).filter((texts) => texts !== '')
        const nodes = Object.keys(cluster.blocks()).length
        const services = 1
        const room = Math.min(...ranges.map(({ max }, at) => max - (at === 0 ? services : 0)))
        expect({ leaked, reserved }).toEqual({ leaked: [], reserved: [] })
        expect(held.every((texts) => texts.split(' ').length === blocks)).toBe(true)
        expect(held).toHaveLength(Math.min(nodes, room))
        expect(waiting).toHaveLength(nodes - held.length)
        expect(ranges.map(({ used }) => used)).toEqual(ranges.map((_, at) => held.length + (at === 0 ? services : 0)))
      }),
      { numRuns: 60 },
    )
  })
})
