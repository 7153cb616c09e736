import { expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { ClusterSnapshot } from './cluster-snapshot.ts'
import { HintingSimulator } from './hinting-simulator.ts'

const size = { cpu: '4', memory: '8Gi', pods: '10' }
const node = { metadata: { name: 'one', uid: 'one' }, status: { capacity: size, allocatable: size } } as unknown as Node
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db', controller: true }

const pod = (name: string, cpu: string, more: object = {}) =>
  ({
    metadata: { name, namespace: 'default', uid: name, ownerReferences: [owner] },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...more },
    status: { phase: 'Pending' },
  }) as unknown as Pod

function placed(pods: readonly Pod[]): readonly string[] {
  const view = createReadModel()
  const snapshot = new ClusterSnapshot(createDefaultProfile(), view)
  snapshot.take({ resource: 'nodes', key: 'one', after: node }, view)
  const options = { breakOnFailure: false, isAcceptable: () => true }
  return new HintingSimulator().trySchedule(snapshot, pods, options).map((placement) => placement.pod.metadata.name)
}

it('places a pod without claims although the claim of another pod of its controller is missing', () => {
  const claims = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'absent' }] }
  expect(placed([pod('a', '1', claims), pod('b', '1'), pod('c', '1', claims)])).toEqual(['b'])
})

it('places a smaller pod of a controller whose other pods do not fit', () => {
  expect(placed([pod('a', '5'), pod('b', '5'), pod('c', '1')])).toEqual(['c'])
})
