import { expect, test } from 'vitest'
import type { JsonPatchOperation } from '../../api/call.ts'
import type { Json } from '../../api/objects/meta.ts'
import { patchedJson } from '../write/patch.ts'
import { applyJsonPatch } from './json-patch.ts'

const patched = (document: Json, ...operations: JsonPatchOperation[]) => {
  const result = applyJsonPatch(document, operations)
  return result.ok ? result.value : result.message
}

test('allows copy operations to add up to 3 MiB in total', () => {
  const doubling = Array.from(
    { length: 26 },
    (_, i): JsonPatchOperation => ({ op: 'copy', from: '/a', path: `/a/n${i}` }),
  )
  expect(patched({ a: {} }, ...doubling.slice(0, 12))).toBeTypeOf('object')
  expect(patched({ a: { x: 'y' } }, ...doubling)).toMatch(
    /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  )
})

test('rejects a JSON patch of more than 10,000 operations with 413', () => {
  const operations = (count: number) => Array(count).fill({ op: 'test', path: '/kind', value: 'a' })
  const outcome = (count: number) =>
    patchedJson(undefined, { kind: 'a' }, { kind: 'json', operations: operations(count) })
  expect(outcome(10_000)).toEqual({ kind: 'a' })
  expect(outcome(10_001)).toMatchObject({
    status: {
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    },
  })
})

test('rejects operations that nest values deeper and deeper', () => {
  const deeper = Array.from({ length: 600 }, (): JsonPatchOperation[] => [
    { op: 'add', path: '/b', value: { x: {} } },
    { op: 'move', from: '/a', path: '/b/x/y' },
    { op: 'move', from: '/b', path: '/a' },
  ]).flat()
  expect(patched({ a: {} }, ...deeper)).toBe('exceeded max depth')
  expect(patched({ a: {} }, ...deeper, { op: 'copy', from: '/a', path: '/c' })).toBe('exceeded max depth')
})

test('limits how often a patch may move the elements of a long list', () => {
  const front = Array<JsonPatchOperation>(10_000).fill({ op: 'add', path: '/a/0', value: 1 })
  expect(patched({ a: Array<number>(50_000).fill(0) }, ...front)).toBe('the patch moves too many list elements')
})

test.each<[string, Json, JsonPatchOperation, Json]>([
  ['appends to a list', [1], { op: 'add', path: '/-', value: 2 }, [1, 2]],
  ['adds after the last element', [1], { op: 'add', path: '/1', value: 2 }, [1, 2]],
  ['counts negative indexes from the end', [1], { op: 'add', path: '/-1', value: 2 }, [1, 2]],
  ['removes the last element by a negative index', [1, 2], { op: 'remove', path: '/-1' }, [1]],
  ['replaces by a negative index', [1, 2], { op: 'replace', path: '/-2', value: 3 }, [3, 2]],
  ['adds null where the value is missing', {}, { op: 'add', path: '/a' }, { a: null }],
  ['copies null for a member that is missing', {}, { op: 'copy', from: '/a', path: '/b' }, { b: null }],
  ['ignores the text before the first slash', {}, { op: 'add', path: 'x/a', value: 1 }, { a: 1 }],
  ['reads escapes', {}, { op: 'add', path: '/~01~1', value: 1 }, { '~1/': 1 }],
  [
    'treats the name of a prototype as a member',
    {},
    { op: 'add', path: '/__proto__', value: 1 },
    JSON.parse('{"__proto__":1}'),
  ],
])('a JSON patch %s', (_, document, operation, result) => {
  expect(patched(document, operation)).toEqual(result)
})

test.each<[string, Json, JsonPatchOperation]>([
  ['an index beyond the end', [1], { op: 'add', path: '/2', value: 2 }],
  ['a negative index before the first element', [1], { op: 'add', path: '/-3', value: 2 }],
  ['an addition to the whole document', {}, { op: 'add', path: '', value: {} }],
  ['a value moved into itself', { a: {} }, { op: 'move', from: '/a', path: '/a/b' }],
  ['a replacement of the document by a string', {}, { op: 'replace', path: '', value: 'a' }],
  ['a path through a prototype', {}, { op: 'add', path: '/constructor/x', value: 1 }],
  ['an operation that is null', {}, null as never],
])('refuses a JSON patch with %s', (_, document, operation) => {
  expect(patched(document, operation)).toBeTypeOf('string')
})
