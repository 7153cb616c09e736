import { describe, expect, it } from 'vitest'
import { clusterAfter, nodeClass, poolOf, webOf } from './karpenter-story.fixture.ts'

async function metricsAfter(...of: Parameters<typeof clusterAfter>): Promise<ReadonlyMap<string, string>> {
  const text = (await clusterAfter(...of)).metrics.expose()
  const lines = text.split('\n').filter((line) => line.startsWith('karpenter_'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice('karpenter_'.length, at), line.slice(at + 1)] as const
    }),
  )
}

const pool = poolOf('a', { limits: { cpu: '100', memory: '1Ti' } })

describe('the metrics of Karpenter', () => {
  it('counts created and removed claims and nodes, with the reasons', async () => {
    const steps = [{ at: '1m', scale: { target: 'deployment/web', replicas: 0 } }]
    const metrics = await metricsAfter([nodeClass('3s'), pool, webOf(3)], { steps, until: '4m' })
    const shown = {
      'nodeclaims_created_total{reason="provisioned",nodepool="a",min_values_relaxed="false"}': '1',
      'nodeclaims_disrupted_total{reason="empty",nodepool="a",capacity_type="on-demand"}': '1',
      'nodeclaims_terminated_total{nodepool="a",capacity_type="on-demand",zone="zone-a"}': '1',
      'nodeclaims_termination_duration_seconds_count{nodepool="a"}': '1',
      'nodes_created_total{nodepool="a",zone="zone-a"}': '1',
      'nodes_terminated_total{nodepool="a",zone="zone-a"}': '1',
      'nodes_drained_total{nodepool="a"}': '1',
      'nodes_lifetime_duration_seconds_bucket{nodepool="a",le="900"}': '1',
      'voluntary_disruption_decisions_total{decision="delete",reason="empty",consolidation_type="empty"}': '1',
      'voluntary_disruption_decisions_by_nodepool_total{nodepool="a",decision="delete",reason="empty",consolidation_type="empty"}':
        '1',
      'voluntary_disruption_eligible_nodes{reason="empty"}': '0',
      'voluntary_disruption_consolidation_timeouts_total{consolidation_type="multi"}': '0',
      'nodepools_usage{resource_type="nodes",nodepool="a"}': '0',
      'nodepools_cost_total{nodepool="a"}': '0',
      cluster_state_node_count: '0',
    }
    expect(Object.fromEntries(Object.keys(shown).map((name) => [name, metrics.get(name)]))).toEqual(shown)
  })

  it('reports the current pools, nodes and pods', async () => {
    const metrics = await metricsAfter([nodeClass('3s'), pool, webOf(3)])
    const shown = {
      'nodepools_limit{resource_type="cpu",nodepool="a"}': '100',
      'nodepools_limit{resource_type="memory",nodepool="a"}': String(2 ** 40),
      'nodepools_usage{resource_type="cpu",nodepool="a"}': '3',
      'nodepools_usage{resource_type="ephemeral_storage",nodepool="a"}': '0',
      'nodepools_cost_total{nodepool="a"}': '0.37',
      'nodepools_allowed_disruptions{nodepool="a",reason="Underutilized"}': '1',
      'nodepools_nodes_consuming_budgets{nodepool="a",reason="Underutilized"}': '0',
      'scheduler_unschedulable_pods_count{controller="provisioner"}': '0',
      scheduler_ignored_pods_count: '0',
      cluster_state_node_count: '1',
      cluster_state_synced: '1',
    }
    expect(Object.fromEntries(Object.keys(shown).map((name) => [name, metrics.get(name)]))).toEqual(shown)
    expect(metrics.get('cluster_utilization_percent{resource_type="cpu"}')).toMatch(/^37\.97/)
    const pods = [...metrics.keys()].filter((name) => name.startsWith('pods_state{'))
    expect(pods).toHaveLength(3)
    expect(pods[0]).toMatch(
      /owner="\/apis\/apps\/v1\/namespaces\/default\/replicasets\/web-.*",scheduled="true",nodepool="a",zone="zone-a",arch="amd64",capacity_type="on-demand",instance_type="large",phase="Running",ready="true",managed="true"/,
    )
    const allocatable = [...metrics].filter(([name]) => name.startsWith('nodes_allocatable{'))
    expect(allocatable.find(([name]) => name.includes('resource_type="cpu"'))?.[1]).toBe('7.9')
  })

  it('counts abandoned claims, and pods that no pool accepts', async () => {
    const metrics = await metricsAfter([nodeClass('1h'), pool, webOf(1)], { until: '20m' })
    expect(
      metrics.get('nodeclaims_disrupted_total{reason="registration_timeout",nodepool="a",capacity_type="on-demand"}'),
    ).toBe('1')
    const tainted = poolOf('a', { template: { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } } })
    const waiting = await metricsAfter([nodeClass('3s'), tainted, webOf(2)])
    expect(waiting.get('scheduler_unschedulable_pods_count{controller="provisioner"}')).toBe('2')
  })
})
