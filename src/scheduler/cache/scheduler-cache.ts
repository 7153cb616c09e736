import { keyOf, objectKey } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ResourceName } from '../../api/objects/resources.ts'
import type { PersistentVolume, VolumeAttachment } from '../../api/objects/storage.ts'
import { assert } from '../../base/assert.ts'
import type { NodeSource } from '../columns/planner.ts'
import type { NodeRow } from '../columns/table/node-row.ts'
import { NodeTable } from '../columns/table/node-table.ts'
import { VolumeUsers } from '../columns/table/volume-users.ts'
import type { ClusterState, NodeState, ObjectReader, ParsedPod, PodParser } from '../contract/contract.ts'
import { DeviceInventory } from '../devices/device-inventory.ts'
import type { SliceChange } from '../devices/tainted-slices.ts'
import type { GroupStates } from './group-states.ts'
import { createPodParser } from './pod-parser.ts'

interface CountedPod {
  pod: ParsedPod
  /** A row exists while pods are counted on it. */
  readonly row: NodeRow
  assumed: boolean
}

const noChanges: readonly SliceChange[] = []

/**
 * The nodes and the pods on them (v1.36, backend/cache). Assumed pods count like bound pods. There is one thread and a
 * cycle does not wait, so the snapshot is the cache itself; it must not change between the halves of a cycle.
 */
export class SchedulerCache implements NodeSource {
  readonly parser: PodParser
  readonly table = new NodeTable()
  private readonly counted = new Map<string, CountedPod>()
  private readonly users = new VolumeUsers()
  private readonly resourceVersions = new Map<string, number>()
  private otherChanges = 0
  readonly devices = new DeviceInventory((node) => this.table.touch(node))

  private readonly groups: GroupStates | undefined

  /** @param groups Follows the assumed pods of groups. Absent: the gate GenericWorkload is off. */
  constructor(parser: PodParser = createPodParser(), groups?: GroupStates) {
    this.parser = parser
    this.groups = groups
  }

  get nodeCount(): number {
    return this.table.nodeCount
  }

  get podCount(): number {
    return this.counted.size
  }

  get version(): number {
    return this.table.log.end + this.otherChanges
  }

  addNode(node: Node): void {
    this.table.setNode(node)
  }

  updateNode(_before: Node, after: Node): void {
    this.table.setNode(after)
  }

  removeNode(node: Node): void {
    this.table.dropNode(node.metadata.name)
  }

  addPod(pod: Pod): void {
    const known = this.counted.get(uidOf(pod))
    if (known === undefined) this.count(this.parser.parse(pod), nodeOf(pod), false)
    else this.replace(known, pod)
  }

  updatePod(before: Pod, after: Pod): void {
    const known = this.counted.get(uidOf(before))
    if (known === undefined) this.count(this.parser.parse(after), nodeOf(after), false)
    else this.replace(known, after)
  }

  removePod(pod: Pod): void {
    const known = this.counted.get(uidOf(pod))
    if (known !== undefined) this.uncount(known)
  }

  assumePod(pod: ParsedPod, node: string): ParsedPod {
    assert(!this.counted.has(pod.uid), `pod ${pod.uid}(${pod.key}) is in the cache, so can't be assumed`)
    this.count(pod, node, true)
    this.groups?.assume(pod.pod)
    return pod
  }

  forgetPod(pod: ParsedPod): void {
    const known = this.counted.get(pod.uid)
    if (known === undefined) return
    assert(known.assumed, `pod ${pod.uid}(${pod.key}) wasn't assumed so cannot be forgotten`)
    this.uncount(known)
    this.groups?.forget(pod.pod)
  }

  /** Removes pods for a trial. Returns a function that adds them back. */
  without(pods: readonly ParsedPod[]): () => void {
    const removed = pods.flatMap(({ uid }) => this.counted.get(uid) ?? [])
    for (const one of removed) this.uncount(one)
    return () => {
      for (const { pod, row, assumed } of removed) this.count(pod, row.name, assumed)
    }
  }

  isAssumed(uid: string): boolean {
    return this.counted.get(uid)?.assumed === true
  }

  getPod(uid: string): ParsedPod | undefined {
    return this.counted.get(uid)?.pod
  }

  /** The node on which a pod is counted. */
  nodeOf(uid: string): string | undefined {
    return this.counted.get(uid)?.row.name
  }

  /** Returns the resource slices that the change changes besides the object. */
  noteChange(
    resource: ResourceName,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): readonly SliceChange[] {
    this.otherChanges++
    if (onlyStatusChanged(before, after)) return noChanges
    this.resourceVersions.set(resource, (this.resourceVersions.get(resource) ?? 0) + 1)
    if (resource.endsWith('.resource.k8s.io')) {
      return this.devices.note(resource, before, after)
    }
    if (before !== undefined) this.noteVolumes(resource, before, -1)
    if (after !== undefined) this.noteVolumes(resource, after, 1)
    return noChanges
  }

  /** Increases with every change of an object of that resource. */
  versionOf(resource: ResourceName): number {
    return this.resourceVersions.get(resource) ?? 0
  }

  hasNode(name: string): boolean {
    return this.table.node(name) !== undefined
  }

  claimInUse(claim: string): boolean {
    return this.users.isClaimUsed(claim)
  }

  get volumeUsers(): VolumeUsers {
    return this.users
  }

  cluster(objects: ObjectReader): ClusterState {
    return new LiveCluster(this, objects)
  }

  private count(pod: ParsedPod, node: string, assumed: boolean): void {
    const row = this.table.addPod(node, pod)
    this.counted.set(pod.uid, { pod, row, assumed })
    this.users.countPod(pod, node, 1)
  }

  private uncount({ pod, row }: CountedPod): void {
    this.table.removePod(row, pod)
    this.counted.delete(pod.uid)
    this.users.countPod(pod, row.name, -1)
  }

  /** Marks the rows of nodes that depend on the object. */
  private noteVolumes(resource: ResourceName, object: KubeObject, sign: 1 | -1): void {
    const { table, users } = this
    switch (resource) {
      case 'persistentvolumeclaims':
        for (const node of users.ofClaim(keyOf(object))) table.touch(node)
        break
      case 'persistentvolumes': {
        users.countVolume(object as PersistentVolume, sign)
        const { namespace, name } = (object as PersistentVolume).spec.claimRef ?? {}
        if (name !== undefined) for (const node of users.ofClaim(objectKey(namespace, name))) table.touch(node)
        for (const node of users.ofAttachments(object.metadata.name)) table.touch(node)
        break
      }
      case 'csinodes.storage.k8s.io':
        table.touch(object.metadata.name)
        break
      case 'volumeattachments.storage.k8s.io':
        users.countAttachment(object as VolumeAttachment, sign)
        table.touch((object as VolumeAttachment).spec.nodeName)
        break
      case 'storageclasses.storage.k8s.io':
        for (const { name } of table.nodes()) table.touch(name)
    }
  }

  private replace(known: CountedPod, pod: Pod): void {
    const before = known.pod
    const after = this.parser.parse(pod, before)
    // An identical spec has the same node name.
    if (pod.spec !== before.pod.spec && nodeOf(pod) !== known.row.name) {
      // Another scheduler bound the pod to a different node than assumed.
      this.uncount(known)
      this.count(after, nodeOf(pod), false)
      return
    }
    this.table.replacePod(known.row, before, after)
    known.pod = after
    known.assumed = false
  }
}

class LiveCluster implements ClusterState {
  readonly objects: ObjectReader
  private readonly cache: SchedulerCache

  constructor(cache: SchedulerCache, objects: ObjectReader) {
    this.cache = cache
    this.objects = objects
  }

  get nodes(): readonly NodeState[] {
    return this.cache.table.nodes()
  }

  node(name: string): NodeState | undefined {
    return this.cache.table.node(name)
  }

  image(name: string): ReadonlyMap<string, number> | undefined {
    return this.cache.table.images.get(name)
  }

  claimInUse(claim: string): boolean {
    return this.cache.claimInUse(claim)
  }

  get devices(): DeviceInventory {
    return this.cache.devices
  }
}

// Controllers update their status whenever one of their pods is created or deleted. No plugin reads that status.
function onlyStatusChanged(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  const kind = after?.kind
  if (kind !== 'ReplicaSet' && kind !== 'StatefulSet') return false
  return before !== undefined && (before as WithSpec).spec === (after as WithSpec).spec
}

type WithSpec = KubeObject & { readonly spec?: unknown }

function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? ''
}

function nodeOf(pod: Pod): string {
  return pod.spec.nodeName ?? ''
}
