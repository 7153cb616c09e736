import type { ClaimRequirement } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { NodeSelectorTerm } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { Requirement } from './requirement.ts'

const noKeys: ReadonlySet<string> = new Set()

/** One requirement per label. Adding another one intersects them (v1.14, pkg/scheduling Requirements). Immutable. */
export class Requirements {
  static readonly none = new Requirements(new Map())
  private readonly byKey: ReadonlyMap<string, Requirement>

  private constructor(byKey: ReadonlyMap<string, Requirement>) {
    this.byKey = byKey
  }

  static of(requirements: Iterable<Requirement>): Requirements {
    return Requirements.none.with(requirements)
  }

  static fromFields(fields: readonly ClaimRequirement[] | undefined): Requirements {
    return fields === undefined || fields.length === 0 ? Requirements.none : Requirements.of(fields.map(Requirement.of))
  }

  static fromLabels(labels: StringMap | undefined): Requirements {
    if (labels === undefined) return Requirements.none
    return Requirements.of(Object.entries(labels).map(([key, value]) => Requirement.in(key, [value])))
  }

  with(more: Iterable<Requirement>): Requirements {
    const byKey = new Map(this.byKey)
    for (const requirement of more) {
      const existing = byKey.get(requirement.key)
      byKey.set(requirement.key, existing === undefined ? requirement : requirement.intersection(existing))
    }
    return new Requirements(byKey)
  }

  and(other: Requirements): Requirements {
    if (other.byKey.size === 0) return this
    if (this.byKey.size === 0) return other
    return this.with(other.byKey.values())
  }

  /** Replaces the requirement of the label. */
  replacing(requirement: Requirement): Requirements {
    return new Requirements(new Map(this.byKey).set(requirement.key, requirement))
  }

  without(key: string): Requirements {
    const byKey = new Map(this.byKey)
    byKey.delete(key)
    return new Requirements(byKey)
  }

  has(key: string): boolean {
    return this.byKey.has(key)
  }

  /** A label without a requirement may have any value. */
  get(key: string): Requirement {
    return this.byKey.get(key) ?? Requirement.exists(key)
  }

  get keys(): Iterable<string> {
    return this.byKey.keys()
  }

  get all(): Iterable<Requirement> {
    return this.byKey.values()
  }

  get hasMinValues(): boolean {
    for (const { minValues } of this.byKey.values()) if (minValues !== undefined) return true
    return false
  }

  /** Reports whether a node with these requirements can meet `others`. Labels in `mayBeUndefined` need not be known. */
  isCompatible(others: Requirements, mayBeUndefined: ReadonlySet<string> = noKeys): boolean {
    return this.incompatibility(others, mayBeUndefined) === undefined
  }

  /** The reason why `others` cannot be met, or undefined. */
  incompatibility(others: Requirements, mayBeUndefined: ReadonlySet<string> = noKeys): string | undefined {
    for (const [key, requirement] of others.byKey) {
      if (mayBeUndefined.has(key) || this.byKey.has(key) || requirement.allowsAbsence) continue
      return `label ${JSON.stringify(key)} does not have known values${this.hint(key, mayBeUndefined)}`
    }
    return this.conflict(others)
  }

  /** The first label that both restrict to different values. Labels that only one of them restricts do not conflict. */
  conflict(others: Requirements): string | undefined {
    const [small, large] = this.byKey.size <= others.byKey.size ? [this, others] : [others, this]
    for (const key of small.byKey.keys()) {
      if (!large.byKey.has(key)) continue
      const existing = this.byKey.get(key) as Requirement
      const incoming = others.byKey.get(key) as Requirement
      if (existing.intersects(incoming)) continue
      if (incoming.allowsAbsence && existing.allowsAbsence) continue
      return `key ${key}, ${incoming} not in ${existing}`
    }
    return undefined
  }

  toFields(): readonly ClaimRequirement[] {
    return [...this.byKey.values()].flatMap((requirement) => requirement.toFields())
  }

  toString(): string {
    return [...this.byKey.values()]
      .filter(({ key }) => key !== 'kubernetes.io/hostname')
      .map(String)
      .sort()
      .join(', ')
  }

  private hint(key: string, known: ReadonlySet<string>): string {
    const suffix = key.slice(key.indexOf('/') + 1)
    for (const name of [...known, ...this.byKey.keys()]) {
      if (name.includes(key) || name.endsWith(suffix)) return ` (typo of ${JSON.stringify(name)}?)`
    }
    return ''
  }
}

/** The requirements of a pod for its node: its selector and the first term of its required affinity. */
export function strictRequirements(pod: Pod): Requirements {
  const selected = Requirements.fromLabels(pod.spec.nodeSelector)
  const [term] =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return term === undefined ? selected : selected.and(termRequirements(term))
}

/**
 * As above, with the preference with the highest weight as a requirement. Preferences are removed one by one if they
 * cannot be met.
 */
export function podRequirements(pod: Pod): Requirements {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const [heaviest] = preferred.toSorted((a, b) => b.weight - a.weight)
  const strict = strictRequirements(pod)
  if (heaviest === undefined) return strict
  const selected = Requirements.fromLabels(pod.spec.nodeSelector)
  return selected.and(termRequirements(heaviest.preference)).and(strict)
}

export function termRequirements({ matchExpressions = [] }: NodeSelectorTerm): Requirements {
  return Requirements.fromFields(matchExpressions as readonly ClaimRequirement[])
}
