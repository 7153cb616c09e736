import { lookupTable } from '../../../base/lookup-table.ts'
import type { EventResource, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

const { Add, Delete, Update, All, UpdateNodeLabel, UpdateNodeTaint } = ActionType

/**
 * The registrations of plugins before queueing hints (v1.26, EventsToRegister). They were wider, because only the node
 * check narrowed them: any change of a node retried most pods.
 */
const registrations = lookupTable<readonly (readonly [EventResource, number])[]>({
  SchedulingGates: [],
  DefaultPreemption: [],
  NodeUnschedulable: [['Node', Add | UpdateNodeTaint]],
  NodeName: [['Node', Add | Update]],
  TaintToleration: [['Node', Add | Update]],
  NodeAffinity: [['Node', Add | Update]],
  NodePorts: [
    ['Pod', Delete],
    ['Node', Add | Update],
  ],
  NodeResourcesFit: [
    ['Pod', Delete],
    ['Node', Add | Update],
  ],
  PodTopologySpread: [
    ['Pod', All],
    ['Node', Add | Delete | UpdateNodeLabel],
  ],
  InterPodAffinity: [
    ['Pod', All],
    ['Node', Add | UpdateNodeLabel],
  ],
  VolumeRestrictions: [
    ['Pod', Delete],
    ['Node', Add],
    ['PersistentVolumeClaim', Add | Update],
  ],
  NodeVolumeLimits: [
    ['storage.k8s.io/CSINode', Add],
    ['Pod', Delete],
  ],
  VolumeBinding: [
    ['storage.k8s.io/StorageClass', Add | Update],
    ['PersistentVolumeClaim', Add | Update],
    ['PersistentVolume', Add | Update],
    ['Node', Add | UpdateNodeLabel],
    ['storage.k8s.io/CSINode', Add | Update],
    ['storage.k8s.io/CSIDriver', Add | Update],
    ['storage.k8s.io/CSIStorageCapacity', Add | Update],
  ],
  VolumeZone: [
    ['storage.k8s.io/StorageClass', Add],
    ['Node', Add | UpdateNodeLabel],
    ['PersistentVolumeClaim', Add],
    ['PersistentVolume', Add | Update],
  ],
})

/** The registrations of a plugin in the legacy queue. Unknown plugins keep their registrations without hints. */
export function legacyRules(plugin: string, rules: readonly WakeRule[]): readonly WakeRule[] {
  const registered = Object.hasOwn(registrations, plugin) ? registrations[plugin] : undefined
  if (registered === undefined) return rules.map(({ on }) => ({ on }))
  return registered.map(([resource, action]) => ({ on: { resource, action } }))
}
