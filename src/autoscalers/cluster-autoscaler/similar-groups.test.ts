import { expect, it } from 'vitest'
import type { NodeGroup } from './node-group.ts'
import { balance } from './similar-groups.ts'

const group = (name: string, max: number) => ({ name, min: 0, max }) as NodeGroup

const [a, b, c] = [group('a', 5), group('b', 5), group('c', 2)]

it.each([
  ['adds to the smallest group first', [a, b], { a: 3, b: 1 }, 2, ['b 1->3']],
  ['alternates between groups of the same size', [a, b], {}, 5, ['a 0->3', 'b 0->2']],
  ['respects the maximum of each group', [a, b, c], { c: 1 }, 6, ['a 0->3', 'b 0->2', 'c 1->2']],
  ['adds fewer nodes when the groups have too little room', [c], { c: 1 }, 4, ['c 1->2']],
  ['does not change groups at their maximum', [c], { c: 2 }, 1, []],
])('balance %s', (_, groups, sizes: Record<string, number>, count, expected) => {
  const resizes = balance(groups as NodeGroup[], count, ({ name }) => sizes[name] ?? 0)
  expect(resizes.map((resize) => `${resize.group.name} ${resize.from}->${resize.to}`).sort()).toEqual(expected)
})
