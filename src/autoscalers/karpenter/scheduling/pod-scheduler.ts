import type { NodePool } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { parseTime } from '../../../api/time.ts'
import type { View } from '../../../runtime/view.ts'
import { checkMinValues, type InstanceType, orderByPrice } from '../catalog/instance-type.ts'
import { consolidateAfterOf } from '../node-pool.ts'
import type { KarpenterOptions } from '../options.ts'
import type { OrderedNodes } from '../state/node-lists.ts'
import type { StateNode } from '../state/state-node.ts'
import { type Amounts, amountsOf, fits, largest, requestsOf, subtract, sum } from './amounts.ts'
import { type ClaimTemplate, maxInstanceTypes, templateOf } from './claim-template.ts'
import { type DaemonPod, daemonGroupsOf, daemonPodsOf } from './daemon-groups.ts'
import { ExistingNode } from './existing-node.ts'
import { HostPorts } from './host-ports.ts'
import { type DaemonGroup, filterInstanceTypes } from './instance-filter.ts'
import { patternSort } from './pattern-sort.ts'
import { type Misfit, PlannedClaim, type PlannedClaimContext } from './planned-claim.ts'
import { claimsProblem, hasClaims, needsOf, type PodNeeds, type VolumeNeeds } from './pod-needs.ts'
import { PodQueue } from './pod-queue.ts'
import { relax } from './preferences.ts'
import { Requirements, strictRequirements } from './requirements.ts'
import { Reservations } from './reservations.ts'
import { toleratesAll } from './taint-check.ts'
import { Topology } from './topology.ts'
import type { TopologyGroup } from './topology-group.ts'
import { volumeUsageOf } from './volume-limits.ts'
import { mountedVolumes, volumeAlternatives } from './volume-topology.ts'

export interface SchedulingInput {
  readonly view: View
  readonly options: KarpenterOptions
  /** Nodes that are not terminating. */
  readonly nodes: readonly StateNode[]
  readonly ordered: OrderedNodes
  /** Names of nodes that are being removed. */
  readonly leaving: ReadonlySet<string>
  /** Dynamic pools that are ready, by weight. */
  readonly pools: readonly NodePool[]
  readonly types: ReadonlyMap<string, readonly InstanceType[]>
  readonly wellKnown: ReadonlySet<string>
  readonly pods: readonly Pod[]
  readonly repelling: Iterable<readonly [Pod, Node]>
  readonly wall: number
  readonly reservedMode: PlannedClaimContext['reservedMode']
  /** Failed attempts of earlier plans, by identity of the topology group. */
  readonly failures?: Map<string, number>
  /** Consolidation: pods are not moved to nodes that changed within `consolidateAfter`. */
  readonly isConsolidation?: boolean
}

export interface SchedulingResults {
  readonly claims: readonly PlannedClaim[]
  /** Nodes that receive pods. */
  readonly existing: readonly ExistingNode[]
  /** The reasons why pods are not placed, by uid. */
  readonly errors: ReadonlyMap<string, { readonly pod: Pod; readonly misfit: Misfit }>
}

/** The nodes that cannot run a pod, and the first node that may. */
interface ClosedNodes {
  readonly at: Uint8Array
  first: number
}

interface Template {
  readonly template: ClaimTemplate
  readonly types: readonly InstanceType[]
  readonly groups: readonly DaemonGroup[]
}

/** Places pods on existing nodes, on upcoming nodes, and on new ones (v1.14, scheduling.Scheduler). */
export class PodScheduler {
  private readonly input: SchedulingInput
  private readonly topology: Topology
  private readonly context: PlannedClaimContext
  private readonly templates: readonly Template[]
  /** Nodes in the order in which they are tried, and the plans of the nodes that have been tried. */
  private readonly nodes: readonly StateNode[]
  private readonly existing: (ExistingNode | undefined)[] = []
  private readonly daemons: readonly DaemonPod[]
  private readonly poolOf: ReadonlyMap<string, NodePool>
  private readonly claims: PlannedClaim[] = []
  private readonly remaining = new Map<string, Amounts>()
  private readonly needs = new Map<string, PodNeeds>()
  private readonly volumes = new Map<string, VolumeNeeds>()
  /** Nodes without room for a shape of pods, or with taints that it does not tolerate. Free resources only decrease. */
  private readonly closed = new Map<string, ClosedNodes>()
  /** The free CPU of each node at the start. */
  private readonly cpuRoom: Float64Array
  private readonly tolerates: boolean
  private hosts = 0

  constructor(input: SchedulingInput) {
    this.input = input
    const { view, options, types, pools, wellKnown } = input
    const pods = input.pods.filter((pod) => this.findVolumes(pod))
    this.topology = new Topology({ ...input, pods, respectsPreferences: this.respectsPreferences })
    const reservations = new Reservations(types.values())
    const { reservedMode } = input
    const usesReservations = options.gates.ReservedCapacity
    this.context = { topology: this.topology, reservations, wellKnown, usesReservations, reservedMode }
    this.tolerates = pools.some(({ spec }) =>
      spec.template.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule'),
    )
    this.daemons = daemonPodsOf(view)
    this.templates = this.templatesOf(this.daemons)
    this.poolOf = new Map(pools.map((pool) => [pool.metadata.name, pool]))
    for (const { metadata, spec } of pools) this.remaining.set(metadata.name, amountsOf(spec.limits))
    const isLimited = [...this.remaining.values()].some(({ size }) => size > 0)
    if (isLimited) for (const node of input.nodes) this.countAgainstLimits(node)
    this.nodes = input.ordered.nodes
    this.cpuRoom = input.ordered.cpuRoom
    this.topology.registerHosts(this.nodes)
  }

  solve(): SchedulingResults {
    const errors = new Map<string, { readonly pod: Pod; readonly misfit: Misfit }>()
    for (const pod of this.input.pods) this.computeNeeds(pod)
    const queue = new PodQueue(this.input.pods, (pod) => this.needsOf(pod).requests)
    for (let pod = queue.pop(); pod !== undefined; pod = queue.pop()) {
      const uid = pod.metadata.uid ?? ''
      const misfit = this.tryRelaxed(pod)
      if (misfit === undefined) {
        errors.delete(uid)
        continue
      }
      errors.set(uid, { pod, misfit })
      this.topology.update(pod)
      this.computeNeeds(pod)
      queue.push(pod)
    }
    for (const claim of this.claims) claim.finish()
    const existing = this.existing.filter((node) => node !== undefined && node.pods.length > 0)
    return { claims: this.truncated(errors), existing: existing as ExistingNode[], errors }
  }

  private get respectsPreferences(): boolean {
    return this.input.options.preferences === 'Respect'
  }

  private get relaxesMinValues(): boolean {
    return this.input.options.minValues === 'BestEffort'
  }

  /** Pods whose volumes are missing are placed without regard to them, and do not count for topologies. */
  private findVolumes(pod: Pod): boolean {
    const { view } = this.input
    const alternatives = volumeAlternatives(pod, view)
    if (alternatives === 'missing') return false
    this.volumes.set(pod.metadata.uid ?? '', { alternatives, mounted: mountedVolumes(pod, view) })
    return true
  }

  private templatesOf(daemons: readonly DaemonPod[]): readonly Template[] {
    const { pools, types, wellKnown } = this.input
    const filtered = pools.flatMap((pool) => {
      const template = templateOf(pool)
      const all = types.get(pool.metadata.name) ?? []
      const result = filterInstanceTypes({
        types: all,
        requirements: template.requirements,
        pod: undefined,
        podRequests: new Map(),
        groups: [{ types: new Set(all), overhead: new Map(), ports: new HostPorts() }],
        total: new Map(),
        relaxesMinValues: this.relaxesMinValues,
        wellKnown,
      })
      return result.kind === 'some' ? [{ template, types: result.types }] : []
    })
    return filtered.map(({ template, types: own }) => ({
      template,
      types: own,
      groups: daemonGroupsOf(template, own, daemons, wellKnown),
    }))
  }

  private countAgainstLimits(node: StateNode): void {
    const { pool } = node
    const rest = pool === undefined ? undefined : this.remaining.get(pool)
    if (pool !== undefined && rest !== undefined && rest.size > 0)
      this.remaining.set(pool, subtract(rest, node.capacity))
  }

  private existingNode(at: number): ExistingNode {
    const known = this.existing[at]
    if (known !== undefined) return known
    const { view, isConsolidation = false, wall } = this.input
    const state = this.nodes[at] as StateNode
    const made = new ExistingNode({
      state,
      topology: this.topology,
      daemons: missingDaemons(state, this.daemons),
      isSettling: isConsolidation && isSettling(state, this.poolOf.get(state.pool ?? ''), wall),
      volumes: volumeUsageOf(state, view),
    })
    this.existing[at] = made
    return made
  }

  private needsOf(pod: Pod): PodNeeds {
    return this.needs.get(pod.metadata.uid ?? '') as PodNeeds
  }

  private computeNeeds(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    const volumes = this.volumes.get(uid) ?? { alternatives: [undefined], mounted: new Map() }
    this.needs.set(uid, needsOf(pod, this.topology, volumes, this.respectsPreferences))
  }

  /** Drops preferences one by one until the pod is placed. */
  private tryRelaxed(original: Pod): Misfit | undefined {
    let pod = original
    while (true) {
      const misfit = this.place(pod)
      if (misfit === undefined || misfit.isReserved === true) return misfit
      for (const group of this.needsOf(pod).topologies) this.noteFailure(group)
      const relaxed = relax(pod, this.tolerates)
      if (relaxed === undefined) return misfit
      pod = relaxed
      this.topology.update(pod)
      this.computeNeeds(pod)
    }
  }

  private noteFailure(group: TopologyGroup): void {
    group.failed++
    this.input.failures?.set(group.identity, group.failed)
  }

  private place(pod: Pod): Misfit | undefined {
    if (hasClaims(pod)) return { kind: 'misfit', reason: () => claimsProblem, isReserved: true }
    if (this.placeOnExisting(pod) || this.placeOnComing(pod)) return undefined
    if (this.templates.length === 0)
      return { kind: 'misfit', reason: () => 'nodepool requirements filtered out all available instance types' }
    return this.placeOnNew(pod)
  }

  private placeOnExisting(pod: Pod): boolean {
    const needs = this.needsOf(pod)
    const { leaving } = this.input
    const isMoving = pod.status?.phase !== 'Pending' && !leaving.has(pod.spec.nodeName ?? '')
    const { at: closed, first } = this.closedFor(needs)
    for (let at = first; at < closed.length; at++) {
      if (closed[at] === 1) continue
      // Upcoming daemon pods leave fewer free resources than the node has now.
      const node = this.mayTake(pod, needs, at) ? this.existingNode(at) : undefined
      if (node === undefined || !node.hasRoom(needs.requests) || !node.admits(pod)) {
        closed[at] = 1
        continue
      }
      if (node.isSettling && isMoving) continue
      const requirements = node.canAdd(pod, needs)
      if (requirements === undefined) continue
      node.add(pod, needs, requirements)
      return true
    }
    return false
  }

  /** A quick check that ignores the plan of the node. */
  private mayTake(pod: Pod, { requests }: PodNeeds, at: number): boolean {
    if (this.existing[at] !== undefined) return true
    const { taints, available } = this.nodes[at] as StateNode
    return toleratesAll(taints, pod.spec.tolerations) && fits(requests, available)
  }

  private closedFor({ shape, requests }: PodNeeds): ClosedNodes {
    let known = this.closed.get(shape)
    if (known === undefined) {
      // Most nodes of a full cluster have too little free CPU, so CPU is checked before other resources.
      const cpu = requests.get('cpu') ?? 0
      const at = new Uint8Array(this.nodes.length)
      for (let i = 0; i < at.length; i++) at[i] = cpu > (this.cpuRoom[i] as number) ? 1 : 0
      known = { at, first: 0 }
      this.closed.set(shape, known)
    }
    while (known.first < known.at.length && known.at[known.first] === 1) known.first++
    return known
  }

  private placeOnComing(pod: Pod): boolean {
    const needs = this.needsOf(pod)
    patternSort(this.claims, ({ pods }) => pods.length)
    for (const claim of this.claims) {
      const fit = claim.canAdd(pod, needs, false)
      if (fit.kind !== 'fit') continue
      claim.add(pod, needs, fit)
      return true
    }
    return false
  }

  private placeOnNew(pod: Pod): Misfit | undefined {
    const needs = this.needsOf(pod)
    const misfits: Misfit[] = []
    for (const { template, types, groups } of this.templates) {
      const pool = template.pool.metadata.name
      const rest = this.remaining.get(pool) ?? new Map()
      const problem = rest.get('nodes') === 0 ? 'node limits have been exhausted for nodepool' : undefined
      const within = types.filter(({ capacity }) => isWithin(capacity, rest))
      if (problem !== undefined || within.length === 0) {
        const reason = `${problem ?? 'all available instance types exceed limits for nodepool'} (NodePool=${pool})`
        misfits.push({ kind: 'misfit', reason: () => reason })
        continue
      }
      const hostname = `hostname-placeholder-${String(++this.hosts).padStart(4, '0')}`
      const claim = new PlannedClaim(template, within, groups, hostname, this.context)
      const fit = claim.canAdd(pod, needs, this.relaxesMinValues)
      if (fit.kind === 'misfit') {
        misfits.push(fit)
        // A pool with a lower weight must not place a pod that waits for reserved capacity.
        if (fit.isReserved === true) return combined(misfits)
        continue
      }
      claim.isMinValuesRelaxed = isRelaxed(claim.requirements, fit.requirements)
      claim.add(pod, needs, fit)
      this.claims.push(claim)
      const most = largest(claim.types.map(({ capacity }) => capacity))
      this.remaining.set(pool, subtract(rest, most))
      return undefined
    }
    return combined(misfits)
  }

  /** At most 600 instance types per claim, if they still have the number of values that `minValues` requires. */
  private truncated(errors: Map<string, { readonly pod: Pod; readonly misfit: Misfit }>): readonly PlannedClaim[] {
    return this.claims.filter((claim) => {
      const ordered = orderByPrice(claim.types, claim.requirements, this.input.wellKnown).slice(0, maxInstanceTypes)
      const { unmet } = checkMinValues(ordered, claim.requirements)
      if (unmet.size > 0 && !this.relaxesMinValues) {
        const reason = `pod didn’t schedule because NodePool couldn’t meet minValues requirements (NodePool=${claim.template.pool.metadata.name})`
        for (const pod of claim.pods)
          errors.set(pod.metadata.uid ?? '', { pod, misfit: { kind: 'misfit', reason: () => reason } })
        return false
      }
      claim.types = ordered
      return true
    })
  }
}

function isWithin(capacity: Amounts, rest: Amounts): boolean {
  for (const [name, amount] of rest) if ((capacity.get(name) ?? 0) > amount) return false
  return true
}

function isRelaxed(before: Requirements, after: Requirements): boolean {
  return [...before.all].some(({ key, minValues }) => (after.get(key).minValues ?? 0) < (minValues ?? 0))
}

function combined(misfits: readonly Misfit[]): Misfit {
  return {
    kind: 'misfit',
    reason: () => misfits.map(({ reason }) => reason()).join('; '),
    ...(misfits.some(({ isReserved }) => isReserved === true) ? { isReserved: true as const } : {}),
  }
}

/** The requests of daemon pods that do not run on the node yet. */
const noDaemons: Amounts = new Map()

function missingDaemons(state: StateNode, daemons: readonly DaemonPod[]): Amounts {
  if (daemons.length === 0) return noDaemons
  const requirements = Requirements.fromLabels(state.labels)
  const own = daemons.filter(
    ({ pod }) => toleratesAll(state.taints, pod.spec.tolerations) && requirements.isCompatible(strictRequirements(pod)),
  )
  const total = sum(own.map(({ pod }) => requestsOf(pod)))
  for (const [name, amount] of total) total.set(name, Math.max(0, amount - (state.daemonRequests.get(name) ?? 0)))
  return total
}

/** Reports whether pods were added to or removed from the node within the `consolidateAfter` of its pool. */
export function isSettling(state: StateNode, pool: NodePool | undefined, wall: number): boolean {
  const after = pool === undefined ? undefined : consolidateAfterOf(pool)
  const initialized = state.initializedAt()
  if (after === undefined || after === 0 || initialized === undefined) return false
  const since = parseTime(state.claim?.status?.lastPodEventTime) ?? parseTime(initialized) ?? 0
  return wall - since < after
}
