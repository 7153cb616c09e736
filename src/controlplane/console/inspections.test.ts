import { expect, it } from 'vitest'
import type { CidrBlock } from '../../wire/console-wire.ts'
import { nextFree } from './inspections.ts'

const range = { range: '10.0.0.0/22', maskSize: 24, max: 4, next: '10.0.1.0/24' }
const taken = (...places: readonly number[]): readonly CidrBlock[] => places.map((place) => [place, '', 'node', []])

it.each([
  [[], '10.0.1.0/24'],
  [[1], '10.0.2.0/24'],
  [[1, 2, 3], '10.0.0.0/24'],
  [[0, 1, 2, 3], ''],
])('nextFree with the blocks %j in use returns the block %s', (places, next) => {
  expect(nextFree(range, taken(...places))).toBe(next)
})
