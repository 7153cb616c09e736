import { describe, expect, it } from 'vitest'
import { checkHistory } from './check-history.ts'
import type { History, Read, Watch, Write } from './history.ts'

let instant = 0
const done = (kind: 'create' | 'update', key: string, value: string, revision: number, expect?: number): Write => ({
  kind,
  key,
  value,
  askedAt: ++instant,
  toldAt: ++instant,
  result: 'done',
  revision,
  ...(expect === undefined ? {} : { expect }),
})
const unknown = (kind: Write['kind'], key: string, value?: string): Write => ({
  kind,
  key,
  askedAt: ++instant,
  result: 'unknown',
  ...(value === undefined ? {} : { value }),
})
const deleted = (key: string): Write => ({ kind: 'delete', key, askedAt: ++instant, toldAt: ++instant, result: 'done' })
const got = (key: string, revision?: number, value = ''): Read => ({
  key,
  askedAt: ++instant,
  toldAt: ++instant,
  objects: revision === undefined ? [] : [{ key, revision, value }],
})
const listed = (revision: number, ...objects: readonly [string, number, string][]): Read => ({
  askedAt: ++instant,
  toldAt: ++instant,
  revision,
  objects: objects.map(([key, at, value]) => ({ key, revision: at, value })),
})
const watched = (from: number, ...events: readonly [string, number, string?, string?][]): Watch => ({
  from,
  events: events.map(([type, revision, key, value]) => ({
    type: type as 'ADDED',
    revision,
    ...(key === undefined ? {} : { key }),
    ...(value === undefined ? {} : { value }),
  })),
})
const history = (parts: Partial<History>): History => ({ writes: [], reads: [], watches: [], ...parts })
const problemsOf = (parts: Partial<History>) => checkHistory(history(parts)).join('; ')

describe('a correct history', () => {
  it('accepts a correct history', () => {
    const writes = [
      done('create', 'a', '1', 1),
      done('update', 'a', '2', 2, 1),
      deleted('a'),
      done('create', 'a', '3', 4),
    ]
    const reads = [got('a', 4, '3'), listed(4, ['a', 4, '3'])]
    const watches = [
      watched(1, ['MODIFIED', 2, 'a', '2'], ['DELETED', 3, 'a'], ['BOOKMARK', 3], ['ADDED', 4, 'a', '3']),
    ]
    expect(problemsOf({ writes, reads, watches })).toBe('')
  })

  it('accepts that a write without an answer was lost or kept', () => {
    const writes = [done('create', 'a', '1', 1), unknown('update', 'a', '2'), unknown('delete', 'a')]
    expect(problemsOf({ writes, reads: [got('a', 1, '1')] })).toBe('')
    expect(problemsOf({ writes, reads: [got('a', 2, '2')] })).toBe('')
    expect(problemsOf({ writes, reads: [got('a')] })).toBe('')
  })
})

describe('an incorrect history', () => {
  it.each<[string, () => Partial<History>, string]>([
    ['a lost creation', () => ({ writes: [done('create', 'a', '1', 1)], reads: [got('a')] }), 'a is lost'],
    [
      'a lost update',
      () => ({ writes: [done('create', 'a', '1', 1), done('update', 'a', '2', 2, 1)], reads: [got('a', 1, '1')] }),
      'a get of a shows revision 1, but 2',
    ],
    [
      'an object missing from a list',
      () => ({ writes: [done('create', 'a', '1', 1)], reads: [listed(1)] }),
      'lacks a of revision 1',
    ],
    [
      'a list that went back',
      () => ({ writes: [done('create', 'a', '1', 5)], reads: [listed(4)] }),
      'a list shows revision 4, but 5 was told before',
    ],
    [
      'a list of two moments',
      () => ({
        writes: [done('create', 'a', '1', 1), done('update', 'a', '2', 2, 1), done('create', 'b', '3', 3)],
        reads: [listed(3, ['a', 1, '1'], ['b', 3, '3'])],
      }),
      'shows a of 1, not of 2',
    ],
    [
      'a list from the future',
      () => ({ writes: [done('create', 'a', '1', 2)], reads: [listed(2), listed(1, ['a', 2, '1'])] }),
      'a list of revision 1 shows a of revision 2',
    ],
    [
      'a revision that was used twice',
      () => ({
        writes: [unknown('create', 'a', '1'), done('create', 'b', '2', 1)],
        watches: [watched(0, ['ADDED', 1, 'a', '1'])],
      }),
      'revision 1 is b=2 and, in a watch, a=1',
    ],
    [
      'two updates of the same version',
      () => ({
        writes: [done('create', 'a', '1', 1), done('update', 'a', '2', 2, 1), done('update', 'a', '3', 3, 1)],
      }),
      'required revision 1 and followed 2',
    ],
    [
      'a creation of what exists',
      () => ({ writes: [done('create', 'a', '1', 1), done('create', 'a', '2', 2)] }),
      'followed revision 1, which was never deleted',
    ],
    [
      'revisions against real time',
      () => ({ writes: [done('create', 'a', '1', 5), done('create', 'b', '2', 4)] }),
      'has revision 4, but 5 was told before',
    ],
    [
      'an object that never was',
      () => ({ watches: [watched(0, ['ADDED', 1, 'a', 'ghost'])] }),
      'a=ghost of revision 1, in a watch, was never written',
    ],
    [
      'a write that was refused and happened',
      () => ({
        writes: [{ ...unknown('create', 'a', '1'), result: 'refused' }],
        watches: [watched(0, ['ADDED', 1, 'a', '1'])],
      }),
      'was refused',
    ],
    [
      'a watch that skips a change',
      () => ({
        writes: [done('create', 'a', '1', 1), done('create', 'b', '2', 2)],
        watches: [watched(0, ['ADDED', 2, 'b', '2'])],
      }),
      'lacks revision 1 of a',
    ],
    [
      'a bookmark beyond a change that was not shown',
      () => ({ writes: [done('create', 'a', '1', 1)], watches: [watched(0, ['BOOKMARK', 1])] }),
      'lacks revision 1 of a',
    ],
    [
      'a watch out of order',
      () => ({
        writes: [done('create', 'a', '1', 1), done('create', 'b', '2', 2)],
        watches: [watched(0, ['ADDED', 2, 'b', '2'], ['ADDED', 1, 'a', '1'])],
      }),
      'shows ADDED of revision 1 after 2',
    ],
    [
      'a bookmark that goes back',
      () => ({ watches: [watched(0, ['BOOKMARK', 5], ['BOOKMARK', 4])] }),
      'shows BOOKMARK of revision 4 after 5',
    ],
    [
      'a change shown twice',
      () => ({
        writes: [done('create', 'a', '1', 1)],
        watches: [watched(0, ['ADDED', 1, 'a', '1'], ['ADDED', 1, 'a', '1'])],
      }),
      'shows ADDED of revision 1 after 1',
    ],
  ])('reports an incorrect history: %s', (_, parts, problem) => {
    expect(problemsOf(parts())).toContain(problem)
  })
})
