import { keyOf } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { NodeState } from '../../scheduler/contract/contract.ts'
import type { ClusterSnapshot } from './cluster-snapshot.ts'

export interface SimulatedPlacement {
  readonly pod: Pod
  readonly node: string
}

/**
 * Schedules pods in a simulation and remembers their nodes, because a pod probably fits on the same node again (cluster
 * autoscaler 1.36, simulator/scheduling HintingSimulator).
 */
export class HintingSimulator {
  private hints = new Map<string, string>()
  private used = new Map<string, string>()

  /** With `breakOnFailure`, stops at the first pod that does not fit. */
  trySchedule(
    snapshot: ClusterSnapshot,
    pods: readonly Pod[],
    { breakOnFailure, isAcceptable }: { breakOnFailure: boolean; isAcceptable: (node: NodeState) => boolean },
  ): readonly SimulatedPlacement[] {
    const placements: SimulatedPlacement[] = []
    // Pods of one controller with the same shape: if one does not fit, none fits.
    const hopeless = new Set<string>()
    for (const pod of pods) {
      const node = this.place(snapshot, pod, isAcceptable, hopeless)
      if (node !== undefined) placements.push({ pod, node })
      else if (breakOnFailure) break
    }
    return placements
  }

  /** Forgets the hints that the last round did not use. */
  dropOldHints(): void {
    this.hints = this.used
    this.used = new Map()
  }

  private place(
    snapshot: ClusterSnapshot,
    pod: Pod,
    isAcceptable: (node: NodeState) => boolean,
    hopeless: Set<string>,
  ): string | undefined {
    const parsed = snapshot.parse(pod)
    const key = keyOf(pod)
    const hint = this.used.get(key) ?? this.hints.get(key)
    const hinted = hint === undefined ? undefined : snapshot.node(hint)
    if (hinted !== undefined && isAcceptable(hinted) && snapshot.schedule(parsed, hinted.name).code === 'Success') {
      this.used.set(key, hinted.name)
      return hinted.name
    }
    const owner = controllerOf(pod)?.uid
    // The shape of a pod covers its requests and constraints. Claims matter too.
    const claims = pod.spec.resourceClaims === undefined ? '' : JSON.stringify(pod.spec.resourceClaims)
    const alike = owner === undefined ? undefined : `${owner} ${parsed.shape.id} ${claims}`
    if (alike !== undefined && hopeless.has(alike)) return undefined
    const node = snapshot.scheduleOnAny(parsed, isAcceptable)
    if (node !== undefined) this.used.set(key, node)
    else if (alike !== undefined) hopeless.add(alike)
    return node
  }
}
