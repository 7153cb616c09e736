import type { Taint } from '../../../api/objects/node.ts'
import type { Pod, Toleration, TopologySpreadConstraint } from '../../../api/objects/pod.ts'
import { Requirements, termRequirements } from './requirements.ts'
import { toleratesAll } from './taint-check.ts'

/** The nodes that count for a spread constraint of a pod (v1.14, scheduling.TopologyNodeFilter). */
export class TopologyNodeFilter {
  private readonly alternatives: readonly Requirements[]
  private readonly tolerations: readonly Toleration[]
  private readonly honorsAffinity: boolean
  readonly honorsTaints: boolean

  constructor(pod: Pod, { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint) {
    const selected = Requirements.fromLabels(pod.spec.nodeSelector)
    const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    this.alternatives =
      required === undefined
        ? [selected]
        : required.nodeSelectorTerms.map((term) => selected.and(termRequirements(term)))
    this.tolerations = pod.spec.tolerations ?? []
    this.honorsAffinity = (nodeAffinityPolicy ?? 'Honor') === 'Honor'
    this.honorsTaints = nodeTaintsPolicy === 'Honor'
  }

  matches(taints: readonly Taint[] | undefined, requirements: Requirements): boolean {
    if (this.honorsAffinity && this.alternatives.length > 0) {
      if (!this.alternatives.some((alternative) => requirements.isCompatible(alternative))) return false
    }
    return !this.honorsTaints || toleratesAll(taints, this.tolerations)
  }

  /**
   * The value that upstream hashes to detect constraints that share their counts. It does not include values of
   * requirements, and equal elements cancel each other out.
   */
  get identity(): string {
    const { honorsAffinity, honorsTaints } = this
    const keys = this.alternatives.map((alternative) => [...alternative.keys].sort().join(' '))
    const tolerations = this.tolerations.map((toleration) => JSON.stringify(sortedEntries(toleration)))
    return JSON.stringify([honorsAffinity, honorsTaints, unpaired(keys), unpaired(tolerations)])
  }
}

export function unpaired(items: readonly string[]): readonly string[] {
  const odd = new Set<string>()
  for (const item of items) if (!odd.delete(item)) odd.add(item)
  return [...odd].sort()
}

export function sortedEntries(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))
}
