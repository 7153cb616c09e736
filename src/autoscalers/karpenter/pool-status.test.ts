import { describe, expect, it } from 'vitest'
import type { NodeClaim, NodePool } from '../../api/objects/karpenter.ts'
import type { Condition } from '../../api/objects/meta.ts'
import { clusterAfter, nodeClass, poolOf, webOf } from './karpenter-story.fixture.ts'

async function statusAfter(...of: Parameters<typeof clusterAfter>): Promise<NonNullable<NodePool['status']>> {
  const { store } = await clusterAfter(...of)
  return (store.list('nodepools.karpenter.sh')[0] as unknown as NodePool).status ?? {}
}

const textOf = ({ type, status, reason, message }: Condition) =>
  [`${type}=${status}`, ...(reason === type ? [] : [reason]), ...(message === '' ? [] : [message])].join(' ')

const conditions = async (...of: Parameters<typeof clusterAfter>) =>
  ((await statusAfter(...of)).conditions ?? []).map(textOf)

describe('the status of a NodePool', () => {
  it('the status of a NodePool has the resources and the number of its nodes, and is ready', async () => {
    const status = await statusAfter([nodeClass('3s'), poolOf('a'), webOf(3)])
    expect(status).toMatchObject({
      nodes: 1,
      nodeClassObservedGeneration: 1,
      // Nodes of the kwok provider have the requests of their pods as capacity.
      resources: { cpu: '3', memory: '3Gi', pods: '3', nodes: '1', 'ephemeral-storage': '0' },
    })
    expect(status.conditions?.map(textOf)).toEqual([
      'ValidationSucceeded=True',
      'NodeClassReady=True',
      'NodeRegistrationHealthy=True',
      'Ready=True',
    ])
    expect(status.conditions?.every(({ observedGeneration }) => observedGeneration === 1)).toBe(true)
  })

  it('does not count terminating nodes, and keeps the base resources at 0', async () => {
    const steps = [{ at: '1m', scale: { target: 'deployment/web', replicas: 0 } }]
    const status = await statusAfter([nodeClass('3s'), poolOf('a'), webOf(3)], { steps, until: '4m' })
    expect(status).toMatchObject({ nodes: 0 })
    expect(status.resources).toEqual({ cpu: '0', 'ephemeral-storage': '0', memory: '0', nodes: '0', pods: '0' })
  })

  it('reports no registration health until a node registers', async () => {
    expect(await conditions([nodeClass('3s'), poolOf('a')])).toEqual([
      'ValidationSucceeded=True',
      'NodeClassReady=True',
      'NodeRegistrationHealthy=Unknown AwaitingReconciliation object is awaiting reconciliation',
      'Ready=True',
    ])
  })

  it('a pool is not ready without its node class', async () => {
    expect(await conditions([poolOf('a'), webOf(1)])).toEqual([
      'ValidationSucceeded=True',
      'NodeClassReady=False NodeClassNotFound NodeClass not found on cluster',
      'Ready=False UnhealthyDependents NodeClassReady=False',
    ])
  })

  it('a pool is ready when its node class is created, and then creates nodes', async () => {
    const steps = [{ at: '1m', apply: nodeClass('3s') }]
    expect(await statusAfter([poolOf('a'), webOf(1)], { steps, until: '3m' })).toMatchObject({ nodes: 1 })
  })

  it('a pool is unhealthy when two of the last four nodes did not register', async () => {
    const [, , healthy] = await conditions([nodeClass('1h'), poolOf('a'), webOf(1)], { until: '31m' })
    expect(healthy).toBe('NodeRegistrationHealthy=False RegistrationFailed Failed to register node')
    const [, , soon] = await conditions([nodeClass('1h'), poolOf('a'), webOf(1)], { until: '20m' })
    expect(soon).toBe('NodeRegistrationHealthy=Unknown AwaitingReconciliation object is awaiting reconciliation')
  })

  it('forgets the registrations of an earlier template', async () => {
    const change = { spec: { template: { metadata: { labels: { team: 'b' } } } } }
    const steps = [{ at: '1m', patch: { target: 'nodepool/a', patch: change } }]
    const pool = poolOf('a', { disruption: { consolidateAfter: '5s', budgets: [{ nodes: '0' }] } })
    const [, , healthy] = await conditions([nodeClass('3s'), pool, webOf(1)], { steps })
    expect(healthy).toBe('NodeRegistrationHealthy=Unknown AwaitingReconciliation object is awaiting reconciliation')
  })
})

describe('the conditions of a NodeClaim', () => {
  const claimsAfter = async (...of: Parameters<typeof clusterAfter>) => {
    const { store } = await clusterAfter(...of)
    return (store.list('nodeclaims.karpenter.sh') as unknown as readonly NodeClaim[]).map(({ status }) =>
      (status?.conditions ?? []).map(textOf),
    )
  }

  it('the claim of a ready node is ready, and Ready is its last condition', async () => {
    const disruption = { consolidateAfter: 'Never' }
    const [claim] = await claimsAfter([nodeClass('3s'), poolOf('a', { disruption }), webOf(1)], { until: '12m' })
    expect(claim).toEqual([
      'Launched=True',
      'Registered=True',
      'Initialized=True',
      'ConsistentStateFound=True',
      'Ready=True',
    ])
  })

  it('the conditions of a claim without a node report what it waits for', async () => {
    expect(await claimsAfter([nodeClass('1h'), poolOf('a'), webOf(1)])).toEqual([
      [
        'Initialized=Unknown AwaitingReconciliation object is awaiting reconciliation',
        'Launched=True',
        'Registered=Unknown NodeNotFound Node not registered with cluster',
        'Ready=Unknown ReconcilingDependents Initialized=Unknown, Registered=Unknown',
      ],
    ])
  })
})
