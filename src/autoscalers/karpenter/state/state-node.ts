import { findCondition, isConditionTrue, isNodeReady } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Node, Taint } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { sameTaint } from '../../../api/taints.ts'
import { labels } from '../../../api/well-known.ts'
import { initializedLabel, nodePoolLabel, registeredLabel, unregisteredTaint } from '../names.ts'
import { type Amounts, amountsOf, requestsOf, subtract, sum } from '../scheduling/amounts.ts'
import { HostPorts } from '../scheduling/host-ports.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import { evictionCost, isDaemon } from './pod-conditions.ts'

const noLabels: StringMap = {}

// Taints that go away while a node starts (v1.14, scheduling.KnownEphemeralTaints).
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

/** A node with its claim; one of them may not exist yet or any more (v1.14, state.StateNode). */
export class StateNode {
  readonly id: string
  node: Node | undefined
  claim: NodeClaim | undefined
  isMarked = false
  nominatedUntil = Number.NEGATIVE_INFINITY
  private readonly pods = new Map<
    string,
    { readonly pod: Pod; readonly requests: Amounts; readonly isDaemon: boolean }
  >()
  private room:
    | {
        readonly usage: object
        readonly node: Node | undefined
        readonly claim: NodeClaim | undefined
        readonly available: Amounts
      }
    | undefined
  private required:
    | { readonly labels: StringMap; readonly hostName: string; readonly requirements: Requirements }
    | undefined
  private used: { readonly all: Amounts; readonly daemons: Amounts; readonly ports: HostPorts } | undefined

  constructor(id: string) {
    this.id = id
  }

  setPod(key: string, pod: Pod): void {
    const before = this.pods.get(key)
    const isSame = before?.pod.spec === pod.spec && !hasResize(before.pod) && !hasResize(pod)
    const requests = isSame ? before.requests : requestsOf(pod)
    this.pods.set(key, { pod, requests, isDaemon: isDaemon(pod) })
    if (!isSame) this.used = undefined
  }

  removePod(key: string): boolean {
    this.used = undefined
    return this.pods.delete(key)
  }

  hasPod(key: string): boolean {
    return this.pods.has(key)
  }

  get isManaged(): boolean {
    return this.claim !== undefined
  }

  get isRegistered(): boolean {
    return this.claim === undefined || this.node?.metadata.labels?.[registeredLabel] === 'true'
  }

  get isInitialized(): boolean {
    return this.claim === undefined || this.node?.metadata.labels?.[initializedLabel] === 'true'
  }

  get isReady(): boolean {
    return this.node !== undefined && isNodeReady(this.node)
  }

  get isTerminating(): boolean {
    return isConditionTrue(this.claim?.status?.conditions, 'InstanceTerminating')
  }

  /** It is on its way out: by a decision that is not yet carried out, or by its deletion. */
  get isLeaving(): boolean {
    if (this.isMarked) return true
    if (this.claim !== undefined) return this.claim.metadata.deletionTimestamp !== undefined || this.isTerminating
    return this.node?.metadata.deletionTimestamp !== undefined
  }

  get name(): string {
    if (this.node === undefined || (this.claim !== undefined && !this.isRegistered))
      return this.claim?.metadata.name ?? ''
    return this.node.metadata.name
  }

  /** Until the node is registered, its claim says what it will be. */
  private get described(): Node | NodeClaim | undefined {
    return this.node === undefined || !this.isRegistered ? this.claim : this.node
  }

  get labels(): StringMap {
    return this.described?.metadata.labels ?? noLabels
  }

  get annotations(): StringMap {
    return this.described?.metadata.annotations ?? noLabels
  }

  get pool(): string | undefined {
    return this.labels[nodePoolLabel]
  }

  get hostName(): string {
    const name = this.labels[labels.hostname] ?? ''
    return name === '' ? this.name : name
  }

  get taints(): readonly Taint[] {
    const taints = (this.described === this.claim ? this.claim?.spec.taints : this.node?.spec?.taints) ?? []
    if (this.isInitialized || this.claim === undefined) return taints
    const startup = this.claim.spec.startupTaints ?? []
    return taints.filter((taint) => !isEphemeral(taint) && !startup.some((other) => sameTaint(other, taint)))
  }

  get capacity(): Amounts {
    const capacity = this.amounts('capacity')
    return new Map(capacity).set('nodes', 1000)
  }

  get allocatable(): Amounts {
    return this.amounts('allocatable')
  }

  get available(): Amounts {
    const { usage } = this
    const { node, claim } = this
    const known = this.room
    if (known?.usage === usage && known.node === node && known.claim === claim) return known.available
    const available = subtract(this.allocatable, usage.all)
    this.room = { usage, node, claim, available }
    return available
  }

  /** Its labels as requirements, and its host name. */
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

  /** 1, and the costs of evicting its pods. */
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

  /** Until the node is initialized, resources that it does not report yet are those of its claim. */
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
