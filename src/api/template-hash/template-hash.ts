import { assert } from '../../base/assert.ts'
import type { PodTemplateSpec } from '../objects/pod.ts'
import { types } from '../schema/builtin-schema.ts'
import { addFnv1a, FNV_OFFSET, safeText } from './fnv.ts'
import { goDump } from './go-dump.ts'

// Templates are looked at again with every change of their workload, and do not change themselves.
const sums = new WeakMap<PodTemplateSpec, number>()

/**
 * The hash in names of ReplicaSets and of DaemonSets' revisions, the same as on a real cluster: FNV-1a of what Go
 * prints of the template, and of the collision count as 8 bytes (v1.36, pkg/controller ComputeHash). Fields that
 * another version of Kubernetes has or lacks make its hashes others.
 */
export function templateHash(template: PodTemplateSpec, collisionCount?: number): string {
  const sum = templateSum(template)
  return safeText(collisionCount === undefined ? sum : addFnv1a(sum, littleEndian(collisionCount)))
}

function templateSum(template: PodTemplateSpec): number {
  let sum = sums.get(template)
  if (sum === undefined) {
    sum = addFnv1a(FNV_OFFSET, new TextEncoder().encode(templateDump(template)))
    sums.set(template, sum)
  }
  return sum
}

export function templateDump(template: PodTemplateSpec): string {
  const shape = types.get('core.PodTemplateSpec')
  assert(shape !== undefined, 'pod templates have a shape')
  return goDump(shape, template)
}

function littleEndian(count: number): readonly number[] {
  return [count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, count >>> 24, 0, 0, 0, 0]
}
