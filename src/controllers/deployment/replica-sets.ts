import { semanticEqual } from '../../api/equality.ts'
import type { PodTemplateSpec } from '../../api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { isInt64 } from '../../base/exact-json.ts'

/** The ReplicaSets of a Deployment: the ReplicaSet with the current template, and the others, oldest first. */
export interface SetsByTemplate {
  readonly newSet: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
  readonly all: readonly ReplicaSet[]
}

/** If several ReplicaSets have the same template, the oldest one is used (v1.36, deployment/util FindNewReplicaSet). */
export function setsByTemplate(deployment: Deployment, replicaSets: readonly ReplicaSet[]): SetsByTemplate {
  const sorted = [...replicaSets].sort(olderFirst)
  const template = deployment.spec?.template
  const newSet = sorted.find(({ spec }) => equalTemplates(spec?.template, template))
  const old = sorted.filter((replicaSet) => replicaSet !== newSet)
  return { newSet, old, all: newSet === undefined ? old : [...old, newSet] }
}

// Templates are compared on every status change, and are usually the same objects as before.
const compared = new WeakMap<PodTemplateSpec, { readonly with: PodTemplateSpec; readonly isEqual: boolean }>()

export function equalTemplates(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  if (a === undefined || b === undefined) return semanticEqual(withoutHash(a), withoutHash(b))
  const known = compared.get(a)
  if (known?.with === b) return known.isEqual
  const isEqual = semanticEqual(withoutHash(a), withoutHash(b))
  compared.set(a, { with: b, isEqual })
  return isEqual
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template?.metadata?.labels?.[labels.podTemplateHash] === undefined) return template
  const { [labels.podTemplateHash]: _, ...others } = template.metadata.labels
  return { ...template, metadata: { ...template.metadata, labels: others } }
}

/** Sorts by creation, then by name. Times are RFC 3339 in UTC, so they sort as text. */
export function olderFirst(a: ReplicaSet, b: ReplicaSet): number {
  const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (createdA !== createdB) return createdA < createdB ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0
}

export const wantedBy = (replicaSet: ReplicaSet): number => replicaSet.spec?.replicas ?? 1
export const availableIn = (replicaSet: ReplicaSet): number => replicaSet.status?.availableReplicas ?? 0

/** The ReplicaSets that should have pods. */
export function activeAmong(replicaSets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return replicaSets.filter((replicaSet) => wantedBy(replicaSet) > 0)
}

export function sumOf(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  let sum = 0
  for (const replicaSet of replicaSets) sum += count(replicaSet)
  return sum
}

/** A sign and 19 digits; additional digits could only be leading zeros. */
const maxInt64Length = 64
const whole = /^[+-]?[0-9]+$/
const natural = /^[0-9]+$/

/** The revision of the rollout; a missing one counts as 0, an invalid one is undefined. */
export function revisionOf(replicaSet: ReplicaSet): bigint | undefined {
  const text = replicaSet.metadata.annotations?.[annotations.deploymentRevision]
  if (text === undefined) return 0n
  if (text.length > maxInt64Length || !whole.test(text)) return undefined
  const revision = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return isInt64(revision) ? revision : undefined
}

export function highestRevision(replicaSets: readonly ReplicaSet[]): bigint {
  let highest = 0n
  for (const replicaSet of replicaSets) {
    const revision = revisionOf(replicaSet) ?? 0n
    if (revision > highest) highest = revision
  }
  return highest
}

/** A non-negative int32 in an annotation. */
export function countIn(replicaSet: ReplicaSet, annotation: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[annotation]
  if (text === undefined || !natural.test(text)) return undefined
  const count = Number(text)
  return count < 2 ** 31 ? count : undefined
}
