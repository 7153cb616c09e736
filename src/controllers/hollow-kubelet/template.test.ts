import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { compileTemplate } from './template.ts'

const values: Readonly<Record<string, unknown>> = {
  now: '2026-01-01T00:00:00Z',
  node: 'a1',
  restarts: 3,
  containers: [{ name: 'web', image: 'nginx' }, { name: 'log' }],
  conditions: [
    { type: 'Ready', status: 'False', reason: 'Why' },
    { type: 'Initialized', status: 'True' },
  ],
}

const filled = (template: Json) => must(compileTemplate(template))((name) => values[name])

describe('a template', () => {
  it.each<[string, Json, unknown]>([
    ['is itself without placeholders', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['keeps the type of a placeholder that stands alone', { count: '{{restarts}}' }, { count: 3 }],
    ['puts placeholders into text', 'on {{node}}, {{ restarts }} times', 'on a1, 3 times'],
    ['leaves out what has no value', { a: '{{nothing}}', b: 1 }, { b: 1 }],
    [
      'repeats for each element',
      { $each: 'containers', $as: { name: '{{container.name}}', image: '{{container.image}}', node: '{{node}}' } },
      [
        { name: 'web', image: 'nginx', node: 'a1' },
        { name: 'log', node: 'a1' },
      ],
    ],
    ['leaves out a list without elements', { list: { $each: 'nothing', $as: 1 } }, {}],
    [
      'names the conditions that change, and clears their old reason',
      { conditions: { $conditions: { Ready: 'True', Initialized: 'True', New: { status: 'False', reason: 'X' } } } },
      {
        conditions: [
          { type: 'Ready', status: 'True', reason: null, lastTransitionTime: '2026-01-01T00:00:00Z' },
          { type: 'New', status: 'False', reason: 'X', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ],
      },
    ],
    ['leaves out conditions that are all so', { conditions: { $conditions: { Initialized: 'True' } } }, {}],
  ])('renders %s', (_name, template, expected) => {
    expect(filled(template)).toEqual(expected)
  })

  it.each<[Json, string]>([
    [{ a: { $each: 3, $as: 1 } }, '.a: $each needs the name of a list and an $as, and nothing else'],
    [{ a: [{ $each: 'x' }] }, '.a[0]: $each needs the name of a list and an $as, and nothing else'],
    [{ $conditions: { Ready: 'Yes' } }, '.$conditions.Ready: a status is True, False or Unknown'],
    [{ $conditions: [] }, ': $conditions needs an object of types and statuses, and nothing else'],
  ])('rejects the template %j', (template, message) => {
    expect(compileTemplate(template)).toEqual({ ok: false, message })
  })
})
