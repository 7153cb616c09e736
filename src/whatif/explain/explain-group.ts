import { keyOf, objectKey } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { createVirtualCluster, type VirtualCluster } from '../../controlplane/virtual.ts'
import { GroupForest } from '../../scheduler/cache/group-forest.ts'
import { type GroupNode, groupId, minCountOf } from '../../scheduler/contract/groups.ts'
import type { Store } from '../../store/contract.ts'
import { assumeGates } from '../run/assumed-gates.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'
import { freshDevices } from '../scenario/fresh-node.ts'

export interface GroupMember {
  readonly pod: string
  readonly node?: string
  /** The message of the scheduler for a pod without a node. */
  readonly message?: string
}

export interface GroupExplanation {
  /** `namespace/name`. */
  readonly group: string
  /** The number of pods that must have a node; 1 for a group without a gang policy. */
  readonly minCount: number
  readonly pods: readonly GroupMember[]
  /** The number of needed pods that do not exist yet. */
  readonly missing: number
  /** The hierarchy of the group; absent: the group has no composite group above it. */
  readonly hierarchy?: HierarchyExplanation
  /** The condition of the group after the scheduler tried it. */
  readonly message?: string
  /** The time until enough pods have a node; absent: longer than the examined time. */
  readonly startsInMs?: number
  /** The pods that the group preempts, with their nodes. */
  readonly leaving: readonly { readonly pod: string; readonly node: string }[]
  /**
   * Preempted pods that a DaemonSet re-creates before the group uses their place. Up to v1.36, a group that preempts
   * does not reserve room, so it starts only if the controller is slower than the scheduler.
   */
  readonly contested?: readonly string[]
  /** The group would start with this number of additional nodes like the named one. */
  readonly withNodes?: { readonly count: number; readonly like: string }
}

/** The groups that are scheduled together with one. */
export interface HierarchyExplanation {
  /** The highest existing composite group, as `namespace/name`; absent: no composite group exists. */
  readonly root?: string
  /** A composite group above the group that does not exist. No pod of the hierarchy is scheduled until it exists. */
  readonly absent?: string
  /** Other pod groups of the hierarchy that have too few pods. */
  readonly waiting: readonly { readonly group: string; readonly missing: number }[]
}

export interface ExplainGroupInput {
  readonly found: FoundCluster
  readonly settings: Settings
  readonly group: PodGroup
}

const groups = 'podgroups.scheduling.k8s.io'
/** A gang is retried at least every 5 minutes. Victims have their grace period. */
const lookMs = 10 * 60_000
const stepMs = 1_000
const mostNodes = 8

/** Reports when a gang starts and which pods it preempts, with the scheduler in virtual time. Changes nothing. */
export function explainGroup({ found, settings, group }: ExplainGroupInput): GroupExplanation {
  const { settings: gated } = assumeGates(settings, (resource) => found.store.list(resource))
  const key = keyOf(group)
  const minCount = group.spec.schedulingPolicy?.gang?.minCount ?? 1
  const trial = run(found, gated, key, minCount)
  const members = membersOf(trial.cluster.store, key)
  const missing = Math.max(0, minCount - members.length)
  const hierarchy = gated.release.gates.has('CompositePodGroup') ? hierarchyOf(found.store, group) : undefined
  const isComplete = missing === 0 && hierarchy?.absent === undefined && (hierarchy?.waiting ?? []).length === 0
  const needsNodes = trial.startsInMs === undefined && isComplete
  const withNodes = needsNodes ? additionalNodes(found, gated, key, minCount) : undefined
  const contested = gated.release.minor === '1.36' ? contestedOf(trial.leaving, found.store) : []
  return {
    group: key,
    minCount,
    missing,
    pods: members.map(memberOf),
    ...(hierarchy && { hierarchy }),
    leaving: trial.leaving,
    ...(contested.length === 0 ? {} : { contested }),
    ...conditionOf(trial.cluster.store.get(groups, key) as PodGroup | undefined),
    ...(trial.startsInMs === undefined ? {} : { startsInMs: trial.startsInMs }),
    ...(withNodes === undefined ? {} : { withNodes }),
  }
}

interface GroupRun {
  readonly cluster: VirtualCluster
  readonly startsInMs?: number
  readonly leaving: GroupExplanation['leaving']
}

function run(
  { store, takenAtMs }: FoundCluster,
  settings: Settings,
  key: string,
  minCount: number,
  prepare: (cluster: VirtualCluster) => void = () => {},
): GroupRun {
  const cluster = createVirtualCluster({
    ...{ startMs: takenAtMs, store, settings },
    controllers: ['resourceclaim', 'scheduler', 'disruption'],
    hollow: { heartbeats: 'computed', adopt: 'as-found' },
    resumed: true,
  })
  const before = store.list('pods') as readonly Pod[]
  const members = membersOf(store, key).map(keyOf)
  prepare(cluster)
  cluster.driver.settle()
  for (let elapsedMs = 0; elapsedMs <= lookMs; elapsedMs += stepMs) {
    if (elapsedMs > 0) cluster.driver.advance(stepMs)
    const placed = members.filter((name) => nodeOf(cluster.store, name) !== undefined).length
    if (placed >= minCount) return { cluster, startsInMs: elapsedMs, leaving: victimsOf(before, cluster.store) }
  }
  return { cluster, leaving: [] }
}

function hierarchyOf(store: Store, group: PodGroup): HierarchyExplanation | undefined {
  if (group.spec.parentCompositePodGroupName === undefined) return undefined
  const forest = new GroupForest(true)
  for (const resource of [groups, 'compositepodgroups.scheduling.k8s.io']) {
    for (const object of store.list(resource)) forest.note(resource, undefined, object)
  }
  const lineage = forest.lineageOf(groupId('podgroup', keyOf(group)))
  const highest = lineage.at(-1)
  if (highest === undefined) return undefined
  const { parentCompositePodGroupName: above } = highest.object.spec
  const leaves = (node: GroupNode): readonly GroupNode[] =>
    node.kind === 'podgroup' ? [node] : forest.childrenOf(node).flatMap(leaves)
  const waiting = leaves(highest).flatMap((leaf) => {
    const missing = minCountOf(leaf) - membersOf(store, leaf.key).length
    return missing > 0 && leaf.key !== keyOf(group) ? [{ group: leaf.key, missing }] : []
  })
  return {
    ...(highest.kind === 'compositepodgroup' ? { root: highest.key } : {}),
    ...(above === undefined ? {} : { absent: objectKey(group.metadata.namespace, above) }),
    waiting,
  }
}

function nodeOf(store: Store, pod: string): string | undefined {
  return (store.get('pods', pod) as Pod | undefined)?.spec.nodeName
}

/** Pods that the scheduler preempted. Nothing else deletes pods here. */
function victimsOf(before: readonly Pod[], store: Store): GroupExplanation['leaving'] {
  return before.flatMap((pod) => {
    const node = pod.spec.nodeName
    if (node === undefined || pod.metadata.deletionTimestamp !== undefined) return []
    const now = store.get('pods', keyOf(pod)) as Pod | undefined
    return now === undefined || now.metadata.deletionTimestamp !== undefined ? [{ pod: keyOf(pod), node }] : []
  })
}

/** Pods of DaemonSets are re-created immediately for the same node. */
function contestedOf(leaving: GroupExplanation['leaving'], store: Store): readonly string[] {
  return leaving.flatMap(({ pod }) => {
    const owners = store.get('pods', pod)?.metadata.ownerReferences ?? []
    return owners.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) ? [pod] : []
  })
}

function membersOf(store: Store, key: string): readonly Pod[] {
  return (store.list('pods') as readonly Pod[]).filter((pod) => {
    const name = groupNameOf(pod)
    return name !== undefined && `${pod.metadata.namespace ?? ''}/${name}` === key
  })
}

function memberOf(pod: Pod): GroupMember {
  const { nodeName } = pod.spec
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return {
    pod: keyOf(pod),
    ...(nodeName === undefined ? {} : { node: nodeName }),
    ...(nodeName !== undefined || scheduled?.message === undefined ? {} : { message: scheduled.message }),
  }
}

function conditionOf(group: PodGroup | undefined): { readonly message?: string } {
  const [condition] = group?.status?.conditions ?? []
  return condition?.status !== 'False' || condition.message === undefined ? {} : { message: condition.message }
}

/** Copies the node with the most allocatable CPU until the group starts. */
function additionalNodes(
  found: FoundCluster,
  settings: Settings,
  key: string,
  minCount: number,
): GroupExplanation['withNodes'] {
  const like = largestNode(found.store.list('nodes') as readonly Node[])
  if (like === undefined) return undefined
  for (let count = 1; count <= mostNodes; count++) {
    const { startsInMs } = run(found, settings, key, minCount, ({ store }) => {
      for (let i = 0; i < count; i++) {
        const node = copyOf(like, `berth-node-${i}`)
        const slices = freshDevices(store, like.metadata.name, node.metadata.name)
        const created = [['nodes', node], ...slices.map((slice) => ['resourceslices.resource.k8s.io', slice])] as const
        store.commit(created.map(([resource, object]) => creation(resource as string, object as KubeObject)))
      }
    })
    if (startsInMs !== undefined) return { count, like: like.metadata.name }
  }
  return undefined
}

function creation(resource: string, object: KubeObject) {
  return { kind: 'create' as const, resource, key: object.metadata.name, object }
}

function largestNode(nodes: readonly Node[]): Node | undefined {
  const usable = nodes.filter(({ spec }) => spec?.unschedulable !== true && (spec?.taints ?? []).length === 0)
  const cpu = ({ status }: Node): number => Number.parseFloat(String(status?.allocatable?.['cpu'] ?? '0'))
  return [...usable].sort((a, b) => cpu(b) - cpu(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0]
}

function copyOf(node: Node, name: string): KubeObject {
  const { resourceVersion: _, ...metadata } = node.metadata
  const labels = { ...metadata.labels, 'kubernetes.io/hostname': name }
  return { ...node, metadata: { ...metadata, name, uid: name, labels } }
}
