import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { FieldSet } from '../apply/field-set.ts'
import { pathWarnings } from '../warnings/volume-paths.ts'
import { applyStrategicMerge } from './strategic-merge.ts'

const podSpec = defaultRelease.api.types.get('core.PodSpec') as StructShape

/** How often the key of an element is read while `n` elements are merged into `n` others. */
function keyReads(n: number, more: JsonObject): number {
  let reads = 0
  const element = (i: number, rest: JsonObject): Json =>
    Object.defineProperty({ ...rest }, 'name', {
      enumerable: true,
      get: () => {
        reads++
        return `c${i}`
      },
    })
  const list = (rest: JsonObject) => Array.from({ length: n }, (_, i) => element(i, rest))
  const result = applyStrategicMerge({ containers: list({}) }, { containers: list(more) }, podSpec)
  expect(result.ok).toBe(true)
  return reads
}

test.each<[string, JsonObject]>([
  ['merging', { image: 'b' }],
  ['deleting', { $patch: 'delete' }],
])('merges lists of %s elements in linear time', (_, more) => {
  expect(keyReads(1000, more)).toBeLessThan(2.5 * keyReads(500, more))
})

test('joins the fields of many managers in linear time', () => {
  let sets = 0
  class Counted extends Map<string, FieldSet> {
    override set(step: string, set: FieldSet): this {
      sets++
      return super.set(step, set)
    }
  }
  const work = (n: number): number => {
    sets = 0
    const all = new FieldSet(false, new Counted())
    for (let i = 0; i < n; i++) all.absorb(FieldSet.fromJson({ [`f:k${i}`]: {} }))
    expect(all.children.size).toBe(n)
    return sets
  }
  expect(work(1000)).toBe(2 * work(500))
})

test('limits the pairs of volume paths that are compared', () => {
  const items = Array.from({ length: 20_000 }, (_, i) => ({ key: 'a', path: i < 2 ? 'same' : `${i}/a` }))
  expect(pathWarnings([{ name: 'v', configMap: { name: 'm', items } }])).toEqual([
    'volume "v" (ConfigMap "m"): overlapping paths: "same" with "same"',
  ])
})
