import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LabelMatcher, type LabelRequirement } from '../../../api/label-matcher.ts'
import { createPodParser } from '../../cache/pod-parser.ts'
import type { ParsedPod } from '../../contract/parsed-pod.ts'
import { pod } from '../../small-cluster.fixture.ts'
import { PlacedShapes } from './placed-shapes.ts'

const apps = ['web', 'db', 'job']
const zones = ['a', 'b']
const selectors = [
  [{ key: 'app', operator: 'in', values: ['web'] }],
  [{ key: 'app', operator: '=', values: ['db'] }],
  [{ key: 'app', operator: 'in', values: ['web', 'db'] }],
  [
    { key: 'app', operator: 'in', values: ['web'] },
    { key: 'zone', operator: 'in', values: ['a'] },
  ],
  [{ key: 'zone', operator: 'exists', values: [] }],
  [{ key: 'zone', operator: '!', values: [] }],
  [{ key: 'app', operator: 'in', values: ['absent'] }],
] satisfies readonly (readonly LabelRequirement[])[]

const moves = fc.array(
  fc.record({
    app: fc.constantFrom(...apps),
    zone: fc.constantFrom(undefined, ...zones),
    namespace: fc.constantFrom('default', 'other'),
    row: fc.integer({ min: 0, max: 3 }),
    comes: fc.boolean(),
    asks: fc.constantFrom(undefined, 0, 1, 2, 3, 4, 5, 6),
  }),
  { maxLength: 150 },
)

it('selects the same shapes as a scan of all shapes, in the order of addition', () => {
  fc.assert(
    fc.property(moves, (list) => {
      const { parse } = createPodParser()
      const placed = new PlacedShapes([])
      const there: { readonly pod: ParsedPod; readonly row: number }[] = []
      let shapes: ParsedPod['shape'][] = []
      for (const { app, zone, namespace, row, comes, asks } of list) {
        const labels = zone === undefined ? { app } : { app, zone }
        const one = parse(pod('p', { labels, namespace }))
        const at = there.findIndex((other) => other.pod.shape === one.shape && other.row === row)
        if (comes) {
          placed.add(one, row)
          there.push({ pod: one, row })
          if (!shapes.includes(one.shape)) shapes.push(one.shape)
        } else if (at >= 0) {
          placed.remove(one, row)
          there.splice(at, 1)
          if (!there.some((other) => other.pod.shape === one.shape)) shapes = shapes.filter((s) => s !== one.shape)
        }
        if (asks === undefined) continue
        const selector = new LabelMatcher(selectors[asks] ?? [])
        const found = [...placed.selectedBy(namespace, selector, `${namespace} ${asks}`)]
        const expected = shapes.filter((shape) => shape.namespace === namespace && selector.matches(shape.labels))
        expect(found.map(({ shape }) => shape)).toEqual(expected)
        expect(found.map(({ pods }) => [...pods.values()].reduce((sum, n) => sum + n, 0))).toEqual(
          expected.map((shape) => there.filter((other) => other.pod.shape === shape).length),
        )
      }
    }),
  )
})
