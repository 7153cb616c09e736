import { describe, expect, it } from 'vitest'
import type { Diagnosis, ParsedPod, VictimGroups } from '../contract/contract.ts'
import { unschedulable } from '../contract/status.ts'
import { createSmallCluster, node, pod } from '../small-cluster.fixture.ts'
import { whyNotEligible } from './eligibility.ts'

describe('whyNotEligible', () => {
  const leaving = pod('leaving', {
    nodeName: 'n1',
    priority: 20,
    metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' },
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  })
  const diagnosis = { statusOf: () => unschedulable('Insufficient cpu') } as unknown as Diagnosis
  const reasonWith = (groups?: VictimGroups): string | undefined => {
    const { cache, input } = createSmallCluster({ nodes: [node('n1')], pods: [leaving] })
    const cluster = cache.cluster(input.objects)
    const waiting = cache.parser.parse(pod('waiting', { priority: 10, status: { nominatedNodeName: 'n1' } }))
    return whyNotEligible(waiting, diagnosis, { cluster, ...(groups && { groups }) })
  }

  it('a preemptor waits for a victim of a lower priority on the nominated node, by the priority of its group', () => {
    const ofGroup = (priority: number): VictimGroups => ({
      unitOf: ({ uid }: ParsedPod) => ({ id: uid, priority, kind: 'podgroup' }),
      membersOf: (member) => [member],
    })
    expect(reasonWith()).toBeUndefined()
    expect(reasonWith(ofGroup(20))).toBeUndefined()
    expect(reasonWith(ofGroup(5))).toBe('not eligible due to a terminating pod on the nominated node.')
  })
})
