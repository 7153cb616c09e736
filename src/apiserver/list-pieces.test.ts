import * as fc from 'fast-check'
import { dump, load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { compactLayout, type ListLayout, listPieces, prettyLayout, yamlLayout, yamlOptions } from './list-pieces.ts'

const frame = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' } }
const shape = { frame, field: 'items' }
const whole = (items: readonly unknown[]) => ({ ...frame, items })

const layouts: readonly (readonly [string, ListLayout, (items: readonly unknown[]) => string])[] = [
  ['compact JSON', compactLayout(shape), (items) => `${JSON.stringify(whole(items))}\n`],
  ['indented JSON', prettyLayout(shape), (items) => JSON.stringify(whole(items), null, 2)],
  ['YAML', yamlLayout(shape), (items) => dump(whole(items), yamlOptions)],
]

const value = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('a', '\n', ' ', ':', '-', '"', '#') }),
  fc.integer(),
)
const object = fc.record({ metadata: fc.record({ name: fc.string() }), data: fc.dictionary(fc.string(), value) })

describe.each(layouts)('a list rendered as %s', (name, layout, expected) => {
  const pieces = (items: readonly unknown[], batch = 1) => [
    ...listPieces(items as readonly KubeObject[], layout, { batch, show: (each) => each }),
  ]

  it('renders a list in pieces with the same text as in one string', () => {
    fc.assert(
      fc.property(fc.array(object, { maxLength: 5 }), fc.integer({ min: 1, max: 3 }), (items, batch) => {
        const text = pieces(items, batch).join('')
        // YAML has several styles for strings, and the indentation decides which one is used.
        if (name === 'YAML') expect(load(text)).toEqual(load(expected(items)))
        else expect(text).toBe(expected(items))
      }),
      { numRuns: 300 },
    )
  })

  it('renders no piece of a list that is much longer than one object', () => {
    const items = Array.from({ length: 1000 }, (_, i) => ({
      metadata: { name: `m-${i}` },
      data: { a: 'x'.repeat(1000) },
    }))
    const made = pieces(items)
    expect(made.length).toBeGreaterThan(10)
    expect(Math.max(...made.map(({ length }) => length))).toBeLessThan(80_000)
    expect(made.join('')).toBe(expected(items))
  })
})
