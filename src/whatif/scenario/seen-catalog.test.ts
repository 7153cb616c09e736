import { dump, load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import { readAutoscaling } from './autoscaling-reader.ts'
import { seenCatalog } from './seen-catalog.ts'

const node = (name: string, type: string, zone: string, more: Record<string, string> = {}): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'node.kubernetes.io/instance-type': type, 'topology.kubernetes.io/zone': zone, ...more },
    },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '58' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '58' },
    },
  }) as Node

const spot = { 'karpenter.sh/capacity-type': 'spot' }

describe('the catalog of existing nodes', () => {
  const nodes = [
    node('a', 'm5.xlarge', 'zone-b', { 'kubernetes.io/arch': 'arm64' }),
    node('b', 'm5.xlarge', 'zone-a', {
      ...spot,
      'eks-node-viewer/instance-price': '0.061',
      'kubernetes.io/arch': 'arm64',
    }),
    node('c', 'c5.large', 'zone-a', { 'eks.amazonaws.com/capacityType': 'ON_DEMAND' }),
    { ...node('d', 'none', 'zone-a'), metadata: { name: 'd' } },
  ]

  it('the catalog of existing nodes has each instance type with its zones and capacity types, and null for unknown prices', () => {
    expect(seenCatalog(nodes)).toEqual({
      karpenter: {
        instanceTypes: [
          expect.objectContaining({ name: 'c5.large', zones: ['zone-a'], prices: { 'on-demand': null } }),
          {
            name: 'm5.xlarge',
            architecture: 'arm64',
            operatingSystems: ['linux'],
            resources: { cpu: '4', memory: '16Gi', pods: '58' },
            overhead: { cpu: '80m', memory: '1Gi' },
            zones: ['zone-a', 'zone-b'],
            prices: { 'on-demand': null, spot: 0.061 },
          },
        ],
      },
    })
  })

  it('the catalog of existing nodes can be read as the file of --autoscaler, with every capacity type in every zone', () => {
    const text = dump(seenCatalog(nodes))
    const { karpenter } = readAutoscaling(load(text), '')
    const type = karpenter?.catalog.byName.get('m5.xlarge')
    expect(type?.offerings.map(({ zone, capacityType, price }) => [zone, capacityType, price])).toEqual([
      ['zone-a', 'on-demand', 0],
      ['zone-b', 'on-demand', 0],
      ['zone-a', 'spot', 0.061],
      ['zone-b', 'spot', 0.061],
    ])
    expect(type?.allocatable.get('cpu')).toBe(3920)
    expect(karpenter?.catalog.hasPrices).toBe(true)
  })

  it('a catalog has no prices if all prices are null', () => {
    const { karpenter } = readAutoscaling(seenCatalog(nodes.slice(2)), '')
    expect(karpenter?.catalog.hasPrices).toBe(false)
  })

  it('refuses prices together with offerings', () => {
    const type = { name: 't', resources: { cpu: '1' }, offerings: [], prices: { spot: 1 }, zones: ['a'] }
    expect(() => readAutoscaling({ karpenter: { instanceTypes: [type] } }, '')).toThrow(
      'karpenter.instanceTypes[0].prices: must not be set with offerings',
    )
  })
})
