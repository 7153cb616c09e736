import { describe, expect, it } from 'vitest'
import type { Node } from '../api/objects/node.ts'
import type { Autoscaling } from './autoscaling.ts'
import { readCatalog } from './karpenter/catalog/read-catalog.ts'
import { nodePrices } from './node-prices.ts'

const node = (name: string, labels: Readonly<Record<string, string>>): Node =>
  ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }) as Node

const group = (name: string, pricePerHour?: number) => ({
  name,
  min: 0,
  max: 9,
  template: node('', {}),
  label: { key: 'pool', value: name },
  bootMs: 0,
  ...(pricePerHour === undefined ? {} : { pricePerHour }),
})

const catalog = (price?: number) =>
  readCatalog(
    [
      {
        name: 'm-large',
        architecture: 'amd64',
        operatingSystems: ['linux'],
        resources: { cpu: '2', memory: '8Gi', pods: '29' },
        offerings: [
          {
            ...(price === undefined ? {} : { Price: price }),
            Available: true,
            Requirements: [
              { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
              { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] },
            ],
          },
        ],
      },
    ],
    'instanceTypes',
  )

const spot = (zone: string) => ({
  'node.kubernetes.io/instance-type': 'm-large',
  'karpenter.sh/capacity-type': 'spot',
  'topology.kubernetes.io/zone': zone,
})

const withCatalog = (price?: number) =>
  ({ karpenter: { catalog: catalog(price), options: {}, bootMs: 0 } }) as unknown as Autoscaling

const withGroups = (...groups: readonly ReturnType<typeof group>[]) =>
  ({ clusterAutoscaler: { groups, options: {} } }) as unknown as Autoscaling

describe('the price of a node', () => {
  it('takes the price of a node from its node group', () => {
    const priceOf = nodePrices(withGroups(group('web', 0.2), group('batch')))
    expect(priceOf?.(node('a', { pool: 'web' }))).toBe(0.2)
    expect(priceOf?.(node('b', { pool: 'batch' }))).toBeUndefined()
    expect(priceOf?.(node('c', {}))).toBeUndefined()
  })

  it('takes the price of a node from the offering of its instance type in its zone and capacity type, and from no other offering', () => {
    const priceOf = nodePrices(withCatalog(0.05))
    expect(priceOf?.(node('a', spot('zone-a')))).toBe(0.05)
    expect(priceOf?.(node('b', spot('zone-b')))).toBeUndefined()
  })

  it('the price of a node is unknown if no autoscaler has prices', () => {
    expect(nodePrices({})).toBeUndefined()
    expect(nodePrices(withGroups(group('web')))).toBeUndefined()
    expect(nodePrices(withCatalog())).toBeUndefined()
  })
})
