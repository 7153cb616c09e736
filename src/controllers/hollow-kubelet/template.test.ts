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
    ['JSON without placeholders unchanged', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['a single placeholder with the type of its value', { count: '{{restarts}}' }, { count: 3 }],
    ['placeholders inside text', 'on {{node}}, {{ restarts }} times', 'on a1, 3 times'],
    ['no field for an undefined value', { a: '{{nothing}}', b: 1 }, { b: 1 }],
    [
      'an element for each item of a list',
      { $each: 'containers', $as: { name: '{{container.name}}', image: '{{container.image}}', node: '{{node}}' } },
      [
        { name: 'web', image: 'nginx', node: 'a1' },
        { name: 'log', node: 'a1' },
      ],
    ],
    ['no list if it has no elements', { list: { $each: 'nothing', $as: 1 } }, {}],
    [
      'the conditions that change, and clears their old reason',
      { conditions: { $conditions: { Ready: 'True', Initialized: 'True', New: { status: 'False', reason: 'X' } } } },
      {
        conditions: [
          { type: 'Ready', status: 'True', reason: null, lastTransitionTime: '2026-01-01T00:00:00Z' },
          { type: 'New', status: 'False', reason: 'X', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ],
      },
    ],
    ['no conditions that already have their status', { conditions: { $conditions: { Initialized: 'True' } } }, {}],
  ])('a template renders %s', (_name, template, expected) => {
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
