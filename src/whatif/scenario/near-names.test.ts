import { expect, it } from 'vitest'
import { meantName, nameHint, notFoundText } from './near-names.ts'

const nodes = ['gke-prod-a1', 'gke-prod-b1', 'node-1', 'node-2', 'node-13']

it.each([
  ['a character is missing', 'nod-1', 'did you mean "node-1"?'],
  ['two characters are swapped', 'ndoe-2', 'did you mean "node-2"?'],
  ['only the end is given', 'prod-a1', 'did you mean "gke-prod-a1"?'],
  ['several names are equally similar', 'node-3', 'did you mean "node-1", "node-13", "node-2"?'],
])('suggests the intended name if %s', (_, given, hint) => {
  expect(nameHint(given, nodes, 3)).toBe(hint)
})

it('lists the nearest names if no name is similar', () => {
  expect(nameHint('no', nodes, 3)).toBe('did you mean "node-1", "node-13", "node-2"?')
  expect(nameHint('mode-99', nodes, 3)).toBe('existing names are "node-1", "node-13" and 3 more')
})

it('reports that no names exist', () => {
  expect(nameHint('x', [])).toBe('none exist')
})

it('reports the resource and the source of a name that is not found', () => {
  expect(notFoundText('nodes', 'nod-1', nodes, 'dump.json')).toBe(
    'nodes "nod-1" not found in dump.json; did you mean "node-1"?',
  )
})

it.each([
  ['the name itself', 'a.example', 'a.example'],
  ['the name without the suffix that output omits', 'b', 'b.example'],
  ['no name by a part of a label', 'bb.exa', undefined],
  ['no name if several match', 'c', undefined],
])('resolves %s', (_, given, meant) => {
  expect(meantName(given, ['a.example', 'a.example.com', 'b.example', 'bb.example', 'c.one', 'c.two'])).toBe(meant)
})
