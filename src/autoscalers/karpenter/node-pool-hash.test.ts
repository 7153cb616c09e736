import { describe, expect, it } from 'vitest'
import type { NodePool } from '../../api/objects/karpenter.ts'
import { nodePoolHash } from './node-pool-hash.ts'

// Computed with NodePool.Hash of Karpenter v1.14.1.
const cases: readonly (readonly [hash: string, template: object])[] = [
  [
    '7428780003907761376',
    {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [],
        expireAfter: 'Never',
      },
    },
  ],
  [
    '1233296557294966328',
    {
      metadata: { labels: { pool: 'general', generation: 'two' } },
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [],
        expireAfter: '720h',
      },
    },
  ],
  [
    '16883770367910781024',
    {
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [],
        expireAfter: '24h',
        terminationGracePeriod: '1h30m',
        taints: [
          { key: 'x', effect: 'NoSchedule' },
          { key: 'y', value: 'z', effect: 'NoExecute' },
        ],
        startupTaints: [{ key: 's', effect: 'NoSchedule' }],
      },
    },
  ],
]

describe('nodePoolHash', () => {
  it.each(cases)('nodePoolHash returns %s as in Karpenter', (hash, template) => {
    expect(nodePoolHash({ metadata: { name: 'a' }, spec: { template } } as unknown as NodePool)).toBe(hash)
  })
})
