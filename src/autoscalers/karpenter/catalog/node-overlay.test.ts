import { describe, expect, it } from 'vitest'
import type { NodeOverlay, NodePool } from '../../../api/objects/karpenter.ts'
import { overlaidTypes } from './node-overlay.ts'
import { readCatalog } from './read-catalog.ts'

const catalog = readCatalog(
  ['small', 'large'].map((name) => ({
    name,
    architecture: 'amd64',
    operatingSystems: ['linux'],
    resources: { cpu: name === 'small' ? '2' : '8', memory: '8Gi' },
    offerings: ['spot', 'on-demand'].map((capacityType) => ({
      Price: 1,
      Requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] },
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a'] },
      ],
    })),
  })),
  'instanceTypes',
)

const pools = ['blue', 'green'].map(
  (name) => ({ metadata: { name }, spec: { template: { spec: {} } } }) as unknown as NodePool,
)

const overlay = (name: string, spec: object): NodeOverlay =>
  ({ metadata: { name }, spec: { requirements: [], ...spec } }) as unknown as NodeOverlay

const only = (key: string, value: string) => ({ requirements: [{ key, operator: 'In', values: [value] }] })

function prices(overlays: readonly NodeOverlay[], pool: string): readonly number[] {
  const types = overlaidTypes(catalog, overlays, pools).get(pool) ?? catalog.types
  return types.flatMap(({ offerings }) => offerings.map(({ price }) => price))
}

describe('NodeOverlays', () => {
  it('NodeOverlays change the price of the offerings that they select', () => {
    expect(prices([overlay('a', { ...only('karpenter.sh/capacity-type', 'spot'), price: '0.5' })], 'blue')).toEqual([
      0.5, 1, 0.5, 1,
    ])
  })

  it('NodeOverlays change prices by an amount or by a percentage, never below zero', () => {
    expect(prices([overlay('a', { priceAdjustment: '-25%' })], 'blue')[0]).toBe(0.75)
    expect(prices([overlay('a', { priceAdjustment: '+0.5' })], 'blue')[0]).toBe(1.5)
    expect(prices([overlay('a', { priceAdjustment: '-3' })], 'blue')[0]).toBe(0)
  })

  it('NodeOverlays can apply to only one pool', () => {
    const overlays = [overlay('a', { ...only('karpenter.sh/nodepool', 'blue'), price: '2' })]
    expect(prices(overlays, 'blue')).toEqual([2, 2, 2, 2])
    expect(prices(overlays, 'green')).toEqual([1, 1, 1, 1])
  })

  it('the NodeOverlay with the higher weight applies, and a second one with the same weight has no effect', () => {
    expect(prices([overlay('a', { price: '2' }), overlay('b', { price: '3', weight: 5 })], 'blue')[0]).toBe(3)
    const same = [overlay('b', { price: '2' }), overlay('a', { price: '3', capacity: { 'example.com/device': '1' } })]
    expect(prices(same, 'blue')[0]).toBe(2)
    expect(overlaidTypes(catalog, same, pools).get('blue')?.[0]?.capacity.has('example.com/device')).toBe(false)
  })

  it('NodeOverlays add resources to the capacity of nodes of the type', () => {
    const overlays = [
      overlay('a', { ...only('node.kubernetes.io/instance-type', 'large'), capacity: { 'example.com/device': '2' } }),
    ]
    const [small, large] = overlaidTypes(catalog, overlays, pools).get('blue') ?? []
    expect(small?.allocatable.get('example.com/device')).toBeUndefined()
    expect(large?.allocatable.get('example.com/device')).toBe(2000)
  })
})
