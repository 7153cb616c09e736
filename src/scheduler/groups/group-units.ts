import { groupKeyOf } from '../cache/group-states.ts'
import type { SchedulerCache } from '../cache/scheduler-cache.ts'
import type { KnownGroups } from '../context/context.ts'
import type { NodeState, ObjectReader, ParsedPod, UnitOfPod, VictimGroups, VictimMember } from '../contract/contract.ts'
import { deepestHierarchy, type GroupNode, groupId } from '../contract/groups.ts'
import { groupPriority, isDisruptedAsWhole } from './group-victims.ts'

/** The pods of groups as preemption sees them (v1.37, framework/preemption getCrossNodesVictims, GetPodPriority). */
export class GroupUnits implements VictimGroups {
  private readonly groups: KnownGroups
  private readonly cache: SchedulerCache
  private readonly objects: ObjectReader

  constructor(groups: KnownGroups, cache: SchedulerCache, objects: ObjectReader) {
    this.groups = groups
    this.cache = cache
    this.objects = objects
  }

  /**
   * Reports whether no pod of the cluster is in a group: every pod is then preempted individually, with its own
   * priority.
   */
  get isEmpty(): boolean {
    return this.groups.states.isEmpty
  }

  /** The highest group above a pod that is disrupted as a whole, with the priority of the root of the hierarchy. */
  unitOf(pod: ParsedPod): UnitOfPod {
    const key = groupKeyOf(pod.pod)
    if (key === undefined) return { id: `pod ${pod.uid}`, priority: pod.priority, kind: 'pod' }
    const lineage = this.lineageOf(key)
    const root = lineage.at(-1)
    const priority = root === undefined ? pod.priority : groupPriority(root.object)
    const whole = wholeOf(lineage)
    if (whole !== undefined) return { id: whole.id, priority, kind: whole.kind }
    return { id: `pod ${pod.uid}`, priority, kind: 'podgroup' }
  }

  membersOf(member: VictimMember): readonly VictimMember[] {
    const key = groupKeyOf(member.pod.pod)
    const whole = key === undefined ? undefined : wholeOf(this.lineageOf(key))
    if (whole === undefined) return [member]
    const members = [...this.leavesOf(whole, deepestHierarchy)].flatMap((group) => this.podsOf(group))
    return members.length === 0 ? [member] : members
  }

  private *leavesOf(group: GroupNode, levels: number): Generator<GroupNode> {
    if (levels === 0) return
    if (group.kind === 'podgroup') yield group
    else for (const child of this.groups.forest.childrenOf(group)) yield* this.leavesOf(child, levels - 1)
  }

  private podsOf({ key }: GroupNode): readonly VictimMember[] {
    return this.groups.states.scheduled(key).flatMap(({ metadata: { uid = '' } }) => {
      const pod = this.cache.getPod(uid)
      return pod === undefined ? [] : [{ pod, node: this.nodeOf(uid) }]
    })
  }

  private nodeOf(uid: string): NodeState | undefined {
    const name = this.cache.nodeOf(uid)
    return name === undefined ? undefined : this.cache.cluster(this.objects).node(name)
  }

  /** A group and its ancestors, as far as they exist. */
  private lineageOf(key: string): readonly GroupNode[] {
    return this.groups.forest.lineageOf(groupId('podgroup', key)).slice(0, deepestHierarchy)
  }
}

function wholeOf(lineage: readonly GroupNode[]): GroupNode | undefined {
  return lineage.findLast(({ object }) => isDisruptedAsWhole(object))
}
