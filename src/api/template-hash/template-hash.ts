import { assert } from '../../base/assert.ts'
import type { PodTemplateSpec } from '../objects/pod.ts'
import type { KubernetesRelease } from '../releases/kubernetes-release.ts'
import { defaultRelease } from '../releases/release-of.ts'
import type { TypeTable } from '../schema/type-table.ts'
import { addFnv1a, fnvOffset, safeText } from './fnv.ts'
import { goDump } from './go-dump.ts'

// Templates are hashed again with every change of their workload, although they rarely change.
const sums = new WeakMap<TypeTable, WeakMap<PodTemplateSpec, number>>()

/**
 * The hash in names of ReplicaSets and of DaemonSets' revisions, the same as on a real cluster: FNV-1a over the text
 * that Go prints for the template, and over the collision count as 8 bytes (v1.36, pkg/controller ComputeHash).
 * Versions of Kubernetes with different fields have different hashes.
 */
export function templateHash(
  template: PodTemplateSpec,
  collisionCount?: number,
  release: KubernetesRelease = defaultRelease,
): string {
  const sum = templateSum(release, template)
  return safeText(collisionCount === undefined ? sum : addFnv1a(sum, littleEndian(collisionCount)))
}

function templateSum(release: KubernetesRelease, template: PodTemplateSpec): number {
  let known = sums.get(release.api.types)
  if (known === undefined) {
    known = new WeakMap()
    sums.set(release.api.types, known)
  }
  let sum = known.get(template)
  if (sum === undefined) {
    sum = addFnv1a(fnvOffset, new TextEncoder().encode(templateDump(template, release)))
    known.set(template, sum)
  }
  return sum
}

export function templateDump(template: PodTemplateSpec, release: KubernetesRelease = defaultRelease): string {
  const shape = release.api.types.get('core.PodTemplateSpec')
  assert(shape !== undefined, 'pod templates have a shape')
  return goDump(shape, template)
}

function littleEndian(count: number): readonly number[] {
  return [count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, count >>> 24, 0, 0, 0, 0]
}
