import { expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import type { Change } from '../../runtime/controller.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import { catalogOf } from './catalog/read-catalog.ts'
import { KarpenterCloud } from './cloud/karpenter-cloud.ts'
import { ClusterState } from './state/cluster-state.ts'
import { exposeState } from './state-metrics.ts'

/** What an instance of Karpenter knows about a cluster with these nodes. */
function knowing(names: readonly string[]) {
  const view = createReadModel()
  const state = new ClusterState()
  const changes = names.map((name): Change => {
    const after: Node = { metadata: { name }, status: { allocatable: { cpu: '4' }, capacity: { cpu: '4' } } }
    return { resource: 'nodes', key: name, before: undefined, after } as unknown as Change
  })
  view.apply(changes)
  for (const change of changes) state.take(change, view, 0)
  return { view, state, cloud: new KarpenterCloud(catalogOf([], false)) }
}

it('the gauges of a registry show the nodes of the latest instance of Karpenter', () => {
  const registry = new MetricRegistry()
  exposeState(registry, knowing(['a']))
  expect(registry.expose()).toContain('karpenter_cluster_state_node_count 1\n')
  exposeState(registry, knowing(['a', 'b', 'c']))
  const text = registry.expose()
  expect(text).toContain('karpenter_cluster_state_node_count 3\n')
  expect(text.match(/^karpenter_nodes_allocatable\{.*node_name="c".*resource_type="cpu"\} 4$/m)).not.toBeNull()
})
