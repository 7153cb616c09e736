import { expect, it } from 'vitest'
import { editDistance } from './edit-distance.ts'

it.each([
  ['node-1', 'node-1', 0],
  ['nod-1', 'node-1', 1],
  ['node-12', 'node-1', 1],
  ['mode-1', 'node-1', 1],
  ['ndoe-1', 'node-1', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('computes the edit distance from %j to %j', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits)
  expect(editDistance(b, a)).toBe(edits)
})
