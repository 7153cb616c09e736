import { expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { ClusterSnapshot } from './cluster-snapshot.ts'

const size = { cpu: '4', memory: '8Gi', pods: '10' }

const node = (name: string) =>
  ({ metadata: { name, uid: name }, status: { capacity: size, allocatable: size } }) as unknown as Node

const pod = (name: string, nodeName: string) =>
  ({
    metadata: { name, namespace: 'default', uid: name },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    status: { phase: 'Running' },
  }) as unknown as Pod

function snapshotOf(nodes: readonly Node[], pods: readonly Pod[]): ClusterSnapshot {
  const view = createReadModel()
  const snapshot = new ClusterSnapshot(createDefaultProfile(), view)
  for (const after of nodes) snapshot.take({ resource: 'nodes', key: after.metadata.name, after }, view)
  for (const after of pods) snapshot.take({ resource: 'pods', key: `default/${after.metadata.name}`, after }, view)
  return snapshot
}

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name)

it('keeps the order of the pods on a node when a simulation is undone', () => {
  const pods = ['c', 'a', 'b'].map((name) => pod(name, 'one'))
  const snapshot = snapshotOf([node('one'), node('two')], pods)
  snapshot.fork()
  for (const each of snapshot.podsOn('one').slice(0, 2)) snapshot.removePod(each)
  snapshot.revert()
  expect(names(snapshot.podsOn('one'))).toEqual(['c', 'a', 'b'])
})

it('lists pods that a simulation moves to a node after the existing pods', () => {
  const snapshot = snapshotOf([node('one'), node('two')], [pod('moved', 'one'), pod('first', 'two')])
  snapshot.fork()
  const [moved] = snapshot.podsOn('one')
  snapshot.removePod(moved as Pod)
  expect(snapshot.schedule(snapshot.parse(moved as Pod), 'two').code).toBe('Success')
  expect(names(snapshot.podsOn('two'))).toEqual(['first', 'moved'])
  snapshot.revert()
  expect(names(snapshot.podsOn('one'))).toEqual(['moved'])
})
