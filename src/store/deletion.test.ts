import { describe, expect, it } from 'vitest'
import type { DeleteOptions, KubeObject, ObjectMeta } from '../api/objects/meta.ts'
import type { DeletionRequest } from './deletion.ts'
import { decideDeletion, finishes } from './deletion.ts'

const nowMs = Date.parse('2026-01-01T12:00:00.700Z')
const object = (metadata: Partial<ObjectMeta>): KubeObject => ({ kind: 'Thing', metadata: { name: 'a', ...metadata } })
/** A pod on a node: what was asked, else 30 s. */
const lingering = (asked: number | undefined) => asked ?? 30

interface Row {
  readonly does: string
  readonly metadata?: Partial<ObjectMeta>
  readonly options?: DeleteOptions
  readonly request?: Partial<DeletionRequest>
  readonly kind: 'remove' | 'mark' | 'unchanged' | 'conflict'
  /** Of what is stored: after a mark, or before a removal. */
  readonly stored?: Partial<ObjectMeta>
}

const plain: readonly Row[] = [
  { does: 'removes a plain object at once', kind: 'remove' },
  { does: 'removes it at once whatever grace is asked for', options: { gracePeriodSeconds: 30 }, kind: 'remove' },
  {
    does: 'marks an object that a finalizer holds, and counts the generation',
    metadata: { finalizers: ['f'], generation: 3 },
    kind: 'mark',
    stored: {
      finalizers: ['f'],
      generation: 4,
      deletionTimestamp: '2026-01-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    does: 'leaves an object alone that is marked and held already',
    metadata: { finalizers: ['f'], deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    kind: 'unchanged',
  },
  {
    does: 'removes a marked object that nothing holds',
    metadata: { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    kind: 'remove',
  },
  {
    does: 'changes how dependents are treated while a finalizer still holds the object',
    metadata: { finalizers: ['f'], deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    options: { propagationPolicy: 'Foreground' },
    kind: 'mark',
    stored: {
      finalizers: ['f', 'foregroundDeletion'],
      deletionTimestamp: '2026-01-01T11:00:00Z',
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    does: 'pulls a deletion time from the future to now',
    metadata: { finalizers: ['f'], deletionTimestamp: '2026-01-01T13:00:00Z', generation: 2 },
    kind: 'mark',
    stored: {
      finalizers: ['f'],
      generation: 2,
      deletionTimestamp: '2026-01-01T12:00:00Z',
      deletionGracePeriodSeconds: 0,
    },
  },
]

const marked = { deletionTimestamp: '2026-01-01T12:00:00Z', deletionGracePeriodSeconds: 0 }
const dependents: readonly Row[] = [
  {
    does: 'waits for dependents in the foreground',
    options: { propagationPolicy: 'Foreground' },
    kind: 'mark',
    stored: { finalizers: ['foregroundDeletion'], ...marked },
  },
  {
    does: 'orphans dependents when asked to',
    options: { propagationPolicy: 'Orphan' },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'orphans dependents when asked to in the old way',
    options: { orphanDependents: true },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'drops an orphan finalizer when asked in the old way not to orphan',
    metadata: { finalizers: ['orphan'] },
    options: { orphanDependents: false },
    kind: 'remove',
  },
  {
    does: 'drops a foreground finalizer for a deletion in the background',
    metadata: { finalizers: ['foregroundDeletion'] },
    options: { propagationPolicy: 'Background' },
    kind: 'remove',
  },
  {
    does: 'exchanges the finalizer of the object for the one asked for',
    metadata: { finalizers: ['orphan', 'f'] },
    options: { propagationPolicy: 'Foreground' },
    kind: 'mark',
    stored: { finalizers: ['f', 'foregroundDeletion'], ...marked },
  },
  {
    does: 'lets the finalizer of the object speak when the request is silent',
    metadata: { finalizers: ['foregroundDeletion'] },
    request: { dependents: 'orphan' },
    kind: 'mark',
    stored: { finalizers: ['foregroundDeletion'], ...marked },
  },
  {
    does: 'orphans by default where the kind does',
    request: { dependents: 'orphan' },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'sets no finalizer on a kind that is never collected',
    options: { propagationPolicy: 'Foreground' },
    request: { dependents: 'unsupported' },
    kind: 'remove',
  },
]

const pod = { graceSeconds: lingering }
const terminating = { deletionTimestamp: '2026-01-01T12:00:25Z', deletionGracePeriodSeconds: 30 }
const graceful: readonly Row[] = [
  {
    does: 'gives a pod its grace',
    metadata: { generation: 1 },
    request: pod,
    kind: 'mark',
    stored: { generation: 2, deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 },
  },
  {
    does: 'gives a pod the grace asked for',
    options: { gracePeriodSeconds: 5 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:05Z', deletionGracePeriodSeconds: 5 },
  },
  {
    does: 'takes a negative grace for one second',
    options: { gracePeriodSeconds: -7 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:01Z', deletionGracePeriodSeconds: 1 },
  },
  {
    does: 'shows a pod terminating before it removes it without grace',
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'remove',
    stored: marked,
  },
  {
    does: 'keeps a pod without grace that a finalizer holds',
    metadata: { finalizers: ['f'] },
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'mark',
    stored: { finalizers: ['f'], ...marked },
  },
  { does: 'does not start again when nothing is asked', metadata: terminating, request: pod, kind: 'unchanged' },
  {
    does: 'does not lengthen a pending deletion',
    metadata: terminating,
    options: { gracePeriodSeconds: 60 },
    request: pod,
    kind: 'unchanged',
  },
  {
    does: 'keeps the propagation of a pending deletion',
    metadata: terminating,
    options: { propagationPolicy: 'Foreground' },
    request: pod,
    kind: 'unchanged',
  },
  {
    does: 'shortens a pending deletion, counting from its beginning',
    metadata: { ...terminating, generation: 2 },
    options: { gracePeriodSeconds: 10 },
    request: pod,
    kind: 'mark',
    stored: { generation: 2, deletionTimestamp: '2026-01-01T12:00:05Z', deletionGracePeriodSeconds: 10 },
  },
  {
    does: 'shortens to one second from now when that time is past',
    metadata: terminating,
    options: { gracePeriodSeconds: 2 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:00Z', deletionGracePeriodSeconds: 1 },
  },
  {
    does: 'ends a pending deletion at once',
    metadata: terminating,
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'remove',
    stored: marked,
  },
  {
    does: 'removes a pod whose grace is over and that nothing holds',
    metadata: { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    request: pod,
    kind: 'remove',
  },
]

const preconditions: readonly Row[] = [
  {
    does: 'refuses another uid',
    metadata: { uid: 'u' },
    options: { preconditions: { uid: 'v' } },
    kind: 'conflict',
  },
  {
    does: 'refuses another resourceVersion',
    metadata: { resourceVersion: '5' },
    options: { preconditions: { resourceVersion: '4' } },
    kind: 'conflict',
  },
  {
    does: 'goes on when both hold',
    metadata: { uid: 'u', resourceVersion: '5' },
    options: { preconditions: { uid: 'u', resourceVersion: '5' } },
    kind: 'remove',
  },
]

describe('a deletion', () => {
  it.each([...plain, ...dependents, ...graceful, ...preconditions])('$does', (row) => {
    const { metadata = {}, options = {}, request = {}, kind, stored } = row
    const before = Object.freeze(object(metadata))
    const deletion = decideDeletion({ object: before, options, nowMs, ...request })
    expect(deletion.kind).toBe(kind)
    const result = deletion.kind === 'mark' ? deletion.object : deletion.kind === 'remove' ? deletion.marked : undefined
    expect(result).toEqual(stored === undefined ? undefined : object(stored))
  })

  it('says which precondition failed', () => {
    expect(decideDeletion({ object: object({ uid: 'u' }), options: { preconditions: { uid: 'v' } }, nowMs })).toEqual({
      kind: 'conflict',
      message:
        'the UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated',
    })
  })
})

describe('an update finishes a deletion', () => {
  const ending = { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 }
  it.each([
    ['when it takes the last finalizer', { ...ending, finalizers: ['f'] }, ending, true],
    ['when no grace period was ever set', { deletionTimestamp: '2026-01-01T11:00:00Z' }, {}, true],
    ['not while a finalizer is left', { ...ending, finalizers: ['f', 'g'] }, { ...ending, finalizers: ['g'] }, false],
    ['not while grace is left', { ...ending, deletionGracePeriodSeconds: 30 }, ending, false],
    ['not when nobody asked for it', { finalizers: ['f'] }, {}, false],
  ])('%s', (_, before, after, expected) => {
    expect(finishes(object(before), object(after))).toBe(expected)
  })
})
