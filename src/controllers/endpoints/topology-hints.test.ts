import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../api/objects/endpoints.ts'
import type { Node } from '../../api/objects/node.ts'
import { cpuSharesByZone, withTopologyHints } from './topology-hints.ts'

const node = (zone: string, cpu: string, more: { ready?: string; labels?: object } = {}): Node =>
  ({
    metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': zone, ...more.labels } },
    status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: more.ready ?? 'True' }] },
  }) as unknown as Node

const slice = (name: string, zones: readonly string[], hints: readonly (string | undefined)[] = []): EndpointSlice =>
  ({
    metadata: { name },
    addressType: 'IPv4',
    endpoints: zones.map((zone, i) => ({
      addresses: [`10.0.0.${i}`],
      conditions: { ready: true },
      ...(zone === '' ? {} : { zone }),
      ...(hints[i] === undefined ? {} : { hints: { forZones: [{ name: hints[i] }] } }),
    })),
  }) as unknown as EndpointSlice

const hintsOf = (slices: readonly EndpointSlice[]) =>
  slices.flatMap(({ endpoints }) => (endpoints ?? []).map(({ hints }) => hints?.forZones?.[0]?.name))

const none = { create: [], update: [], remove: [] }
const equal = new Map([
  ['a', 0.5],
  ['b', 0.5],
])

describe('the CPU of zones', () => {
  it('the CPU of zones is that of ready nodes outside the control plane, as a share of all', () => {
    const nodes = [
      node('a', '1'),
      node('a', '500m'),
      node('b', '500m'),
      node('b', '8', { ready: 'False' }),
      node('b', '8', { labels: { 'node-role.kubernetes.io/control-plane': '' } }),
    ]
    expect(Object.fromEntries(cpuSharesByZone(nodes) ?? [])).toEqual({ a: 0.75, b: 0.25 })
  })

  it('the CPU of zones is unknown if a node has no zone, or there is only one zone', () => {
    expect(cpuSharesByZone([node('a', '1'), node('', '1')])).toBeUndefined()
    expect(cpuSharesByZone([node('a', '1'), node('a', '1')])).toBeUndefined()
  })
})

describe('hints by topology', () => {
  it('hints by topology assign each endpoint to its zone if the zones are balanced', () => {
    const { changes, events } = withTopologyHints({ ...none, create: [slice('s', ['a', 'b'])] }, [], equal, 'IPv4')
    expect(hintsOf(changes.create)).toEqual(['a', 'b'])
    expect(events).toEqual([
      {
        type: 'Normal',
        reason: 'TopologyAwareHintsEnabled',
        message: 'Topology Aware Hints has been enabled, addressType: IPv4',
      },
    ])
  })

  it('hints by topology move endpoints from zones with too many endpoints to zones with too few', () => {
    const create = [slice('s', ['a', 'a', 'a', 'b'])]
    expect(hintsOf(withTopologyHints({ ...none, create }, [], equal, 'IPv4').changes.create)).toEqual([
      'b',
      'a',
      'a',
      'b',
    ])
  })

  it('hints by topology do not change a slice that is up to date', () => {
    const present = [slice('s', ['a', 'b'], ['a', 'b'])]
    expect(withTopologyHints(none, present, equal, 'IPv4')).toEqual({ changes: none, events: [] })
  })

  it.each<[string, EndpointSlice, ReadonlyMap<string, number> | undefined, string]>([
    [
      'a node lacks CPU or a zone',
      slice('s', ['a', 'b'], ['a', 'b']),
      undefined,
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    ],
    [
      'there are fewer endpoints than zones',
      slice('s', ['a'], ['a']),
      equal,
      'Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4',
    ],
    [
      'the shares of the zones cannot be met',
      slice('s', ['a', 'b', 'b'], ['a', 'b', 'b']),
      equal,
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones), addressType: IPv4',
    ],
  ])('hints by topology are removed when %s', (_when, present, shares, message) => {
    const { changes, events } = withTopologyHints(none, [present], shares, 'IPv4')
    expect(hintsOf(changes.update).every((hint) => hint === undefined)).toBe(true)
    expect(changes.update).toHaveLength(1)
    expect(events).toEqual([{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message }])
  })
})
