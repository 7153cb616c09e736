import { describe, expect, it } from 'vitest'
import { fields, problemsOf } from './input-schema.ts'
import { tools } from './tools.ts'

const schema = fields(
  {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    count: { type: 'integer', minimum: 1, maximum: 3 },
    kind: { type: 'string', enum: ['a', 'b'] },
    pod: { type: 'string', description: 'Name of the pod.' },
    nodes: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    patch: {},
  },
  ['name'],
)

describe('the check of arguments', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['valid arguments', { name: 'x', count: 2, kind: 'a', nodes: ['n'], patch: null }, []],
    ['no object', 'x', ['arguments: must be an object, not a string']],
    ['a list', [], ['arguments: must be an object, not an array']],
    ['a missing field', {}, ['arguments: name is required']],
    ['an unknown field', { name: 'x', nmae: 'y' }, ['arguments: unknown field "nmae"; did you mean "name"?']],
    [
      'a field of the prototype',
      JSON.parse('{"name":"x","__proto__":1}'),
      [expect.stringContaining('unknown field "__proto__"')],
    ],
    ['a wrong type', { name: 7 }, ['name: must be a string, not a number']],
    ['a described field', { name: 'x', pod: 7 }, ['pod: must be a string, not a number: Name of the pod.']],
    ['a fraction', { name: 'x', count: 1.5 }, ['count: must be an integer, not a number']],
    ['a small number', { name: 'x', count: 0 }, ['count: must be >= 1, not 0']],
    ['a large number', { name: 'x', count: 9 }, ['count: must be <= 3, not 9']],
    ['an empty text', { name: '' }, ['name: must not be empty']],
    ['a long text', { name: 'xxxxxx' }, ['name: must have at most 5 characters']],
    ['another choice', { name: 'x', kind: 'c' }, ['kind: must be one of a, b, not "c"']],
    ['an empty list', { name: 'x', nodes: [] }, ['nodes: must not be empty']],
    ['a long list', { name: 'x', nodes: ['a', 'b', 'c'] }, ['nodes: must have at most 2 items, not 3']],
    ['a wrong item', { name: 'x', nodes: ['a', 1] }, ['nodes[1]: must be a string, not a number']],
  ])('answers %s', (_name, given, expected) => {
    expect(problemsOf(schema, given)).toEqual(expected)
  })

  it('rejects nesting that a recursive reader could not read', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(problemsOf(schema, { name: 'x', patch: deep })).toEqual(['arguments: nested deeper than 100 levels'])
  })
})

describe('the schemas of the tools', () => {
  const keywords = new Set([
    'type',
    'description',
    'enum',
    'default',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'items',
    'minItems',
    'maxItems',
    'properties',
    'required',
    'additionalProperties',
  ])

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'of %s use only keywords that are checked',
    (_name, { input, output }) => {
      const visit = (value: object): void => {
        for (const [name, member] of Object.entries(value)) {
          expect(keywords).toContain(name)
          if (name === 'properties') for (const inner of Object.values(member as object)) visit(inner as object)
          if (name === 'items') visit(member as object)
        }
      }
      visit(input)
      visit(output)
      expect(input.additionalProperties).toBe(false)
      for (const schemaOf of [input, output])
        for (const name of schemaOf.required ?? []) expect(Object.keys(schemaOf.properties)).toContain(name)
    },
  )
})
