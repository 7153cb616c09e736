import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

const resources = (cpu: string) => ({ cpu, memory: '16Gi', pods: '110' })

/** The metrics after twenty minutes: three pods need a node each, and at the end one pod is left. */
async function metricsOf(flags: object, steps: readonly object[]): Promise<ReadonlyMap<string, string>> {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: {
      clusterAutoscaler: {
        flags: { 'scale-down-unneeded-time': '1m', 'scale-down-delay-after-add': '1m', ...flags },
        nodeGroups: [
          {
            name: 'pool',
            min: 0,
            max: 5,
            template: { status: { capacity: resources('4'), allocatable: resources('4') } },
          },
        ],
      },
    },
    cluster: [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'base' }, status: { capacity: resources('1') } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '3' } } }] },
          },
        },
      },
    ],
    steps,
    until: '20m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const text = ForecastRun.start(plan).finish().cluster.metrics.expose()
  const lines = text.split('\n').filter((line) => line.startsWith('cluster_autoscaler_'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice('cluster_autoscaler_'.length, at), line.slice(at + 1)] as const
    }),
  )
}

const noGpu = 'gpu_resource_name="",gpu_name="",dra_drivers=""'
const scale = { at: '5m', scale: { target: 'deployment/web', replicas: 1 } }

describe('the metrics of Cluster Autoscaler', () => {
  it('counts the nodes that were added and removed, and reports the remaining nodes', async () => {
    const metrics = await metricsOf({}, [scale])
    const shown = {
      [`scaled_up_nodes_total{${noGpu}}`]: '3',
      [`scaled_down_nodes_total{reason="empty",${noGpu}}`]: '2',
      [`scaled_down_nodes_total{reason="underutilized",${noGpu}}`]: '0',
      'evicted_pods_total{eviction_result="succeeded"}': '0',
      'nodes_count{state="ready"}': '2',
      'nodes_count{state="unregistered"}': '0',
      cluster_safe_to_autoscale: '1',
      cluster_cpu_current_cores: '5',
      cluster_memory_current_bytes: String(2 * 16 * 2 ** 30),
      'cpu_limits_cores{direction="maximum"}': '320000',
      max_nodes_count: '5',
      'node_groups_count{node_group_type="autoscaled"}': '1',
      'unschedulable_pods_count{type="unschedulable"}': '0',
      unneeded_nodes_count: '0',
      scale_down_in_cooldown: '0',
      pending_node_deletions: '0',
      'errors_total{type="cloudProviderError"}': '0',
    }
    expect(Object.fromEntries(Object.keys(shown).map((name) => [name, metrics.get(name)]))).toEqual(shown)
    expect(Number(metrics.get('last_activity{activity="scaleUp"}'))).toBeGreaterThan(0)
    // Without the flag, upstream has no metrics of groups.
    expect([...metrics.keys()].filter((name) => name.startsWith('node_group_'))).toEqual([])
  })

  it('reports each group with --emit-per-nodegroup-metrics', async () => {
    const metrics = await metricsOf({ 'emit-per-nodegroup-metrics': 'true' }, [])
    expect(metrics.get('node_group_min_count{node_group="pool"}')).toBe('0')
    expect(metrics.get('node_group_max_count{node_group="pool"}')).toBe('5')
    expect(metrics.get('node_group_target_count{node_group="pool"}')).toBe('3')
    expect(metrics.get('node_group_healthiness{node_group="pool"}')).toBe('1')
  })

  it('counts machines that the cloud could not provide, by the reason of the cloud', async () => {
    const metrics = await metricsOf({}, [{ at: '0s', stockOut: { nodeGroup: 'pool' } }])
    expect(Number(metrics.get(`failed_scale_ups_total{reason="OUT_OF_RESOURCES",${noGpu}}`))).toBeGreaterThan(0)
    expect(Number(metrics.get('failed_node_creations_total{reason="OUT_OF_RESOURCES"}'))).toBeGreaterThan(2)
    expect(metrics.get('unschedulable_pods_count{type="unschedulable"}')).toBe('3')
  })
})
