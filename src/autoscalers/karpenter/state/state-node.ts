import { findCondition, isConditionTrue, isNodeReady } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Node, Taint } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { hasTaint, sameTaint } from '../../../api/taints.ts'
import { labels } from '../../../api/well-known.ts'
import { disruptedTaint, initializedLabel, nodePoolLabel, registeredLabel, unregisteredTaint } from '../names.ts'
import { type Amounts, amountsOf, requestsOf, subtract, sum } from '../scheduling/amounts.ts'
import { HostPorts } from '../scheduling/host-ports.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import type { NodeLists } from './node-lists.ts'
import { evictionCost, isDaemon } from './pod-conditions.ts'

const noLabels: StringMap = {}

// Taints that are removed while a node starts (v1.14, scheduling.KnownEphemeralTaints).
const ephemeralTaints: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule', value: 'true' },
  unregisteredTaint,
]

export function isEphemeral(taint: Taint): boolean {
  return ephemeralTaints.some((known) => sameTaint(known, taint)) || taint.key.startsWith('readiness.k8s.io/')
}

function hasResize({ status }: Pod): boolean {
  return (
    status?.resources !== undefined ||
    (status?.containerStatuses?.some(({ resources }) => resources !== undefined) ?? false)
  )
}

/** The values that depend on a version of the node and of its claim. */
interface Derived {
  readonly isRegistered: boolean
  readonly isInitialized: boolean
  readonly isReady: boolean
  readonly isTerminating: boolean
  readonly isDeleted: boolean
  readonly isDrifted: boolean
  readonly isConsolidatable: boolean
  readonly isTaintedForDisruption: boolean
  readonly described: Node | NodeClaim | undefined
  readonly name: string
  readonly labels: StringMap
  readonly pool: string | undefined
  allocatable?: Amounts
  capacity?: Amounts
  taints?: readonly Taint[]
}

/** A node with its claim. One of them may not exist yet, or no longer exist (v1.14, state.StateNode). */
export class StateNode {
  readonly id: string
  private ownNode: Node | undefined
  private ownClaim: NodeClaim | undefined
  private derived: Derived | undefined
  private marked = false
  nominatedUntil = Number.NEGATIVE_INFINITY
  private readonly lists: NodeLists | undefined
  private changes = 0
  private readonly pods = new Map<
    string,
    { readonly pod: Pod; readonly requests: Amounts; readonly isDaemon: boolean }
  >()
  private room:
    | { readonly usage: object; readonly derived: Derived; readonly available: Amounts; readonly cpu: number }
    | undefined
  private required:
    | { readonly labels: StringMap; readonly hostName: string; readonly requirements: Requirements }
    | undefined
  private used: { readonly all: Amounts; readonly daemons: Amounts; readonly ports: HostPorts } | undefined

  constructor(id: string, lists?: NodeLists) {
    this.id = id
    this.lists = lists
  }

  /** A number that changes with the node, its claim, its pods, and decisions about it. */
  get stamp(): number {
    return this.changes
  }

  /** Reports whether a decision to remove the node is being executed. */
  get isMarked(): boolean {
    return this.marked
  }

  set isMarked(isMarked: boolean) {
    this.marked = isMarked
    this.changed()
  }

  get node(): Node | undefined {
    return this.ownNode
  }

  set node(node: Node | undefined) {
    this.ownNode = node
    this.derived = undefined
    this.changed()
  }

  get claim(): NodeClaim | undefined {
    return this.ownClaim
  }

  set claim(claim: NodeClaim | undefined) {
    this.ownClaim = claim
    this.derived = undefined
    this.changed()
  }

  private get facts(): Derived {
    this.derived ??= derive(this.ownNode, this.ownClaim)
    return this.derived
  }

  private changed(): void {
    this.changes++
    this.lists?.change(this)
  }

  private changedRoom(): void {
    this.used = undefined
    this.lists?.changeRoom(this)
  }

  /** Records a change of the pods on the node. */
  touchPods(): void {
    this.changes++
  }

  setPod(key: string, pod: Pod): void {
    const before = this.pods.get(key)
    const isSame = before?.pod.spec === pod.spec && !hasResize(before.pod) && !hasResize(pod)
    const requests = isSame ? before.requests : requestsOf(pod)
    this.pods.set(key, { pod, requests, isDaemon: isDaemon(pod) })
    if (!isSame) this.changedRoom()
  }

  removePod(key: string): boolean {
    this.changedRoom()
    return this.pods.delete(key)
  }

  hasPod(key: string): boolean {
    return this.pods.has(key)
  }

  get isManaged(): boolean {
    return this.claim !== undefined
  }

  get isRegistered(): boolean {
    return this.facts.isRegistered
  }

  get isInitialized(): boolean {
    return this.facts.isInitialized
  }

  get isReady(): boolean {
    return this.facts.isReady
  }

  get isTerminating(): boolean {
    return this.facts.isTerminating
  }

  get isDeleted(): boolean {
    return this.facts.isDeleted
  }

  get isDrifted(): boolean {
    return this.facts.isDrifted
  }

  get isConsolidatable(): boolean {
    return this.facts.isConsolidatable
  }

  /** Reports whether the node has the disruption taint. */
  get isTaintedForDisruption(): boolean {
    return this.facts.isTaintedForDisruption
  }

  /** Reports whether the node is being removed: by a decision that is not yet executed, or by its deletion. */
  get isLeaving(): boolean {
    return this.marked || this.facts.isDeleted
  }

  get name(): string {
    return this.facts.name
  }

  /** The object that describes the node. Until the node is registered, this is its claim. */
  private get described(): Node | NodeClaim | undefined {
    return this.facts.described
  }

  get labels(): StringMap {
    return this.facts.labels
  }

  get annotations(): StringMap {
    return this.described?.metadata.annotations ?? noLabels
  }

  get pool(): string | undefined {
    return this.facts.pool
  }

  get hostName(): string {
    const name = this.labels[labels.hostname] ?? ''
    return name === '' ? this.name : name
  }

  get taints(): readonly Taint[] {
    const { facts } = this
    facts.taints ??= this.currentTaints()
    return facts.taints
  }

  private currentTaints(): readonly Taint[] {
    const taints = (this.described === this.claim ? this.claim?.spec.taints : this.node?.spec?.taints) ?? []
    if (this.isInitialized || this.claim === undefined) return taints
    const startup = this.claim.spec.startupTaints ?? []
    return taints.filter((taint) => !isEphemeral(taint) && !startup.some((other) => sameTaint(other, taint)))
  }

  get capacity(): Amounts {
    const { facts } = this
    facts.capacity ??= new Map(this.amounts('capacity')).set('nodes', 1000)
    return facts.capacity
  }

  get allocatable(): Amounts {
    const { facts } = this
    facts.allocatable ??= this.amounts('allocatable')
    return facts.allocatable
  }

  get available(): Amounts {
    return this.currentRoom().available
  }

  /** The free CPU; negative infinity if any resource is overcommitted, because then nothing fits. */
  get cpuRoom(): number {
    return this.currentRoom().cpu
  }

  private currentRoom(): NonNullable<StateNode['room']> {
    const { usage, facts } = this
    const known = this.room
    if (known?.usage === usage && known.derived === facts) return known
    const available = subtract(this.allocatable, usage.all)
    const isOvercommitted = [...available.values()].some((amount) => amount < 0)
    const cpu = isOvercommitted ? Number.NEGATIVE_INFINITY : (available.get('cpu') ?? 0)
    this.room = { usage, derived: facts, available, cpu }
    return this.room
  }

  /** The labels of the node as requirements, and its host name. */
  get requirements(): Requirements {
    const { labels: own, hostName } = this
    if (this.required?.labels === own && this.required.hostName === hostName) return this.required.requirements
    const requirements = Requirements.fromLabels(own).with([Requirement.in(labels.hostname, [hostName])])
    this.required = { labels: own, hostName, requirements }
    return requirements
  }

  get daemonRequests(): Amounts {
    return this.usage.daemons
  }

  get ports(): HostPorts {
    return this.usage.ports
  }

  /** 1 plus the costs of the eviction of its pods. */
  get disruptionCost(): number {
    let cost = 1
    for (const { pod, isDaemon: isDaemonPod } of this.pods.values()) {
      if (!isDaemonPod) cost += Math.max(0, evictionCost(pod))
    }
    return cost
  }

  initializedAt(): string | undefined {
    const condition = findCondition(this.claim?.status?.conditions, 'Initialized')
    return condition?.status === 'True' ? condition.lastTransitionTime : undefined
  }

  private get usage() {
    if (this.used !== undefined) return this.used
    const pods = [...this.pods.values()]
    const ports = new HostPorts()
    for (const { pod } of pods) ports.add(pod)
    this.used = {
      all: sum(pods.map(({ requests }) => requests)),
      daemons: sum(pods.flatMap(({ requests, isDaemon: isDaemonPod }) => (isDaemonPod ? [requests] : []))),
      ports,
    }
    return this.used
  }

  /** Until the node is initialized, resources that it does not report yet are taken from its claim. */
  private amounts(which: 'capacity' | 'allocatable'): Amounts {
    const own = amountsOf(this.node?.status?.[which])
    if (this.isInitialized || this.claim === undefined) return own
    const merged = new Map(own)
    for (const [name, amount] of amountsOf(this.claim.status?.[which])) {
      if ((merged.get(name) ?? 0) === 0) merged.set(name, amount)
    }
    return merged
  }
}

function derive(node: Node | undefined, claim: NodeClaim | undefined): Derived {
  const own = node?.metadata.labels
  const isRegistered = claim === undefined || own?.[registeredLabel] === 'true'
  const conditions = claim?.status?.conditions
  const isTerminating = isConditionTrue(conditions, 'InstanceTerminating')
  const described = node === undefined || !isRegistered ? claim : node
  return {
    isRegistered,
    isInitialized: claim === undefined || own?.[initializedLabel] === 'true',
    isReady: node !== undefined && isNodeReady(node),
    isTerminating,
    isDrifted: isConditionTrue(conditions, 'Drifted'),
    isConsolidatable: isConditionTrue(conditions, 'Consolidatable'),
    isTaintedForDisruption: hasTaint(node?.spec?.taints, disruptedTaint),
    isDeleted: (claim ?? node)?.metadata.deletionTimestamp !== undefined || isTerminating,
    described,
    name: described?.metadata.name ?? '',
    labels: described?.metadata.labels ?? noLabels,
    pool: described?.metadata.labels?.[nodePoolLabel],
  }
}
