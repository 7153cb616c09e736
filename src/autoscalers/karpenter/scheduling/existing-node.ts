import type { Taint } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { StateNode } from '../state/state-node.ts'
import { type Amounts, fits, subtract } from './amounts.ts'
import type { HostPorts } from './host-ports.ts'
import type { PodNeeds } from './pod-needs.ts'
import type { Requirements } from './requirements.ts'
import { toleratesAll } from './taint-check.ts'
import type { Topology } from './topology.ts'
import type { VolumeUsage } from './volume-limits.ts'

/** A node of the cluster, or a claim that becomes a node, with the pods that are planned for it. */
export class ExistingNode {
  readonly state: StateNode
  readonly pods: Pod[] = []
  readonly taints: readonly Taint[]
  /** Pods of other nodes are not moved to this node, because it changed recently. */
  readonly isSettling: boolean
  remaining: Amounts
  private requirements: Requirements
  private readonly topology: Topology
  private ports: HostPorts | undefined
  private readonly volumes: VolumeUsage | undefined

  constructor(of: {
    readonly state: StateNode
    readonly topology: Topology
    /** The requests of daemon pods that do not run on the node yet. */
    readonly daemons: Amounts
    readonly isSettling: boolean
    readonly volumes: VolumeUsage | undefined
  }) {
    const { state, topology, daemons, isSettling, volumes } = of
    this.state = state
    this.topology = topology
    this.isSettling = isSettling
    this.taints = state.taints
    this.remaining = daemons.size === 0 ? state.available : subtract(state.available, daemons)
    this.requirements = state.requirements
    this.volumes = volumes
  }

  hasRoom(wanted: Amounts): boolean {
    return fits(wanted, this.remaining)
  }

  admits(pod: Pod): boolean {
    return toleratesAll(this.taints, pod.spec.tolerations)
  }

  /**
   * The requirements of the node with the pod, or undefined if the pod does not fit. The caller checks resources and
   * taints.
   */
  canAdd(pod: Pod, needs: PodNeeds): Requirements | undefined {
    if (this.volumes?.exceeds(needs.mounted) === true || (this.ports ?? this.state.ports).conflicts(pod))
      return undefined
    if (!this.requirements.isCompatible(needs.requirements)) return undefined
    const base = this.requirements.and(needs.requirements)
    for (const volume of needs.volumes) {
      let requirements = base
      if (volume !== undefined) {
        if (!requirements.isCompatible(volume)) continue
        requirements = requirements.and(volume)
      }
      const tight = this.topology.tighten(pod, needs.topologies, needs.strict, requirements)
      if (typeof tight === 'string' || !requirements.isCompatible(tight)) continue
      return tight
    }
    return undefined
  }

  add(pod: Pod, needs: PodNeeds, requirements: Requirements): void {
    this.pods.push(pod)
    this.remaining = subtract(this.remaining, needs.requests)
    this.requirements = requirements
    this.topology.record(pod, this.taints, requirements)
    this.ports ??= this.state.ports.copy()
    this.ports.add(pod)
    this.volumes?.add(needs.mounted)
  }
}
