import type { Pod } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import type { InstanceType, Offering } from '../catalog/instance-type.ts'
import { reservationLabel } from '../catalog/instance-type.ts'
import { capacityTypeLabel } from '../names.ts'
import { type Amounts, largest, smallest, sum } from './amounts.ts'
import type { ClaimTemplate } from './claim-template.ts'
import { type DaemonGroup, filterInstanceTypes } from './instance-filter.ts'
import type { PodNeeds } from './pod-needs.ts'
import { Requirement } from './requirement.ts'
import type { Requirements } from './requirements.ts'
import type { Reservations } from './reservations.ts'
import { taintProblem } from './taint-check.ts'
import type { Topology } from './topology.ts'

/** The reason why a pod does not fit. `isReserved`: it may fit later, when reserved capacity is free again. */
export interface Misfit {
  readonly kind: 'misfit'
  readonly reason: () => string
  readonly isReserved?: true
}

export interface ClaimFit {
  readonly kind: 'fit'
  readonly requirements: Requirements
  readonly types: readonly InstanceType[]
  readonly reserved: readonly Offering[]
}

const misfit = (reason: string | (() => string)): Misfit => ({
  kind: 'misfit',
  reason: typeof reason === 'string' ? () => reason : reason,
})

export interface PlannedClaimContext {
  readonly topology: Topology
  readonly reservations: Reservations
  readonly wellKnown: ReadonlySet<string>
  readonly usesReservations: boolean
  /** `strict`: waits for reserved capacity instead of using other capacity. */
  readonly reservedMode: 'fallback' | 'strict'
}

/** A node to be created, with its planned pods (v1.14, scheduling.NodeClaim). */
export class PlannedClaim {
  readonly template: ClaimTemplate
  readonly pods: Pod[] = []
  readonly hostname: string
  requirements: Requirements
  types: readonly InstanceType[]
  requests: Amounts = new Map()
  isMinValuesRelaxed = false
  private readonly context: PlannedClaimContext
  private readonly groups: readonly DaemonGroup[]
  private reserved: readonly Offering[] = []
  private room: Amounts | undefined

  constructor(
    template: ClaimTemplate,
    types: readonly InstanceType[],
    groups: readonly DaemonGroup[],
    hostname: string,
    context: PlannedClaimContext,
  ) {
    this.template = template
    this.types = types
    this.hostname = hostname
    this.context = context
    this.requirements = template.requirements.with([Requirement.in(labels.hostname, [hostname])])
    this.groups = groups.map((group) => ({ ...group, ports: group.ports.copy() }))
  }

  canAdd(pod: Pod, needs: PodNeeds, relaxesMinValues: boolean): ClaimFit | Misfit {
    const { wellKnown } = this.context
    if (!this.mayHaveRoom(needs.requests)) return misfit('no instance type has enough resources')
    const taints = taintProblem(this.template.taints, pod.spec.tolerations)
    if (taints !== undefined) return misfit(taints)
    const conflict = this.requirements.incompatibility(needs.requirements, wellKnown)
    if (conflict !== undefined) return misfit(`incompatible requirements, ${conflict}`)
    const base = this.requirements.and(needs.requirements)
    let last: ClaimFit | Misfit = misfit('no volume alternative')
    for (const volume of needs.volumes) {
      last = this.tryVolume(pod, needs, base, volume, relaxesMinValues)
      if (last.kind === 'fit') return last
    }
    return last
  }

  add(pod: Pod, needs: PodNeeds, { requirements, types, reserved }: ClaimFit): void {
    const { topology, reservations } = this.context
    this.pods.push(pod)
    this.types = types
    this.room = undefined
    this.requests = sum([this.requests, needs.requests])
    this.requirements = requirements
    topology.registerHost(this.hostname)
    topology.record(pod, this.template.taints, requirements)
    for (const { ports } of this.groups) ports.add(pod)
    reservations.hold(this.hostname, reserved)
    this.reserved = reserved
  }

  /** Ends planning: removes the placeholder of the host name, and adds the requests of daemon pods. */
  finish(): void {
    this.requirements = this.requirements.without(labels.hostname)
    if (this.reserved.length > 0) {
      this.requirements = this.requirements.replacing(Requirement.in(capacityTypeLabel, ['reserved'])).with([
        Requirement.in(
          reservationLabel,
          this.reserved.map(({ reservation }) => reservation?.id ?? ''),
        ),
      ])
    }
    let least: Amounts | undefined
    for (const { types, overhead } of this.groups) {
      if (!this.types.some((type) => types.has(type))) continue
      least = least === undefined || least.size === 0 ? overhead : smallest(least, overhead)
    }
    if (least !== undefined && least.size > 0) this.requests = sum([this.requests, least])
  }

  /** A quick check before the exact one: no instance type is larger than this. */
  private mayHaveRoom(wanted: Amounts): boolean {
    if (this.pods.length === 0) return true
    this.room ??= largest(this.types.map(({ allocatable }) => allocatable))
    for (const [name, amount] of wanted) {
      if (amount + (this.requests.get(name) ?? 0) > (this.room.get(name) ?? 0)) return false
    }
    return true
  }

  private tryVolume(
    pod: Pod,
    needs: PodNeeds,
    base: Requirements,
    volume: Requirements | undefined,
    relaxesMinValues: boolean,
  ): ClaimFit | Misfit {
    const { topology, wellKnown } = this.context
    let requirements = base
    if (volume !== undefined) {
      const conflict = requirements.incompatibility(volume, wellKnown)
      if (conflict !== undefined) return misfit(`incompatible volume requirements, ${conflict}`)
      requirements = requirements.and(volume)
    }
    const tight = topology.tighten(pod, needs.topologies, needs.strict, requirements)
    if (typeof tight === 'string') return misfit(tight)
    const conflict = requirements.incompatibility(tight, wellKnown)
    if (conflict !== undefined) return misfit(conflict)
    requirements = tight
    const filtered = filterInstanceTypes({
      types: this.types,
      requirements,
      pod,
      podRequests: needs.requests,
      groups: this.groups,
      total: sum([this.requests, needs.requests]),
      relaxesMinValues,
      wellKnown,
    })
    if (filtered.kind === 'none') return misfit(filtered.reason)
    for (const [key, count] of filtered.unmet)
      requirements = requirements.replacing(requirements.get(key).withMinValues(count))
    const reserved = this.reserve(filtered.types, requirements)
    if ('kind' in reserved) return reserved
    return { kind: 'fit', requirements, types: filtered.types, reserved }
  }

  private reserve(types: readonly InstanceType[], requirements: Requirements): readonly Offering[] | Misfit {
    const { usesReservations, reservations, reservedMode, wellKnown } = this.context
    if (!usesReservations) return []
    const compatible = types.flatMap(({ offerings }) =>
      offerings.filter(
        (offering) =>
          offering.reservation !== undefined &&
          offering.isAvailable &&
          requirements.isCompatible(offering.requirements, wellKnown),
      ),
    )
    const reserved = compatible.filter((offering) => reservations.canReserve(this.hostname, offering))
    if (reservedMode === 'fallback' || reserved.length > 0) return reserved
    const isWaiting = compatible.length > 0 || this.reserved.length > 0
    if (!isWaiting) return reserved
    return {
      ...misfit(
        compatible.length > 0
          ? 'one or more instance types with compatible reserved offerings are available, but could not be reserved'
          : 'satisfying updated nodeclaim constraints would remove all compatible reserved offering options',
      ),
      isReserved: true,
    }
  }
}
