import { describe, expect, it } from 'vitest'
import type { DeleteOptions, KubeObject, ObjectMeta } from '../api/objects/meta.ts'
import type { DeletionRequest } from './deletion.ts'
import { decideDeletion, finishes } from './deletion.ts'

const nowMs = Date.parse('2026-01-01T12:00:00.700Z')
const object = (metadata: Partial<ObjectMeta>): KubeObject => ({ kind: 'Thing', metadata: { name: 'a', ...metadata } })
/** A pod on a node: the requested grace period, or 30 s. */
const lingering = (asked: number | undefined) => asked ?? 30

interface Row {
  readonly does: string
  readonly metadata?: Partial<ObjectMeta>
  readonly options?: DeleteOptions
  readonly request?: Partial<DeletionRequest>
  readonly kind: 'remove' | 'mark' | 'unchanged' | 'conflict'
  /** The stored object, after it is marked or before it is removed. */
  readonly stored?: Partial<ObjectMeta>
}

const plain: readonly Row[] = [
  { does: 'removes a plain object immediately', kind: 'remove' },
  {
    does: 'removes a plain object immediately for any requested grace period',
    options: { gracePeriodSeconds: 30 },
    kind: 'remove',
  },
  {
    does: 'marks an object that has a finalizer, and increments the generation',
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
    does: 'does not change an object that is already marked and has a finalizer',
    metadata: { finalizers: ['f'], deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    kind: 'unchanged',
  },
  {
    does: 'removes a marked object without finalizers',
    metadata: { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 },
    kind: 'remove',
  },
  {
    does: 'changes the propagation policy while a finalizer still blocks the deletion',
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
    does: 'moves a deletion timestamp from the future to now',
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
    does: 'waits for dependents with foreground propagation',
    options: { propagationPolicy: 'Foreground' },
    kind: 'mark',
    stored: { finalizers: ['foregroundDeletion'], ...marked },
  },
  {
    does: 'orphans dependents with orphan propagation',
    options: { propagationPolicy: 'Orphan' },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'orphans dependents with the deprecated orphanDependents field',
    options: { orphanDependents: true },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'removes the orphan finalizer when orphanDependents is false',
    metadata: { finalizers: ['orphan'] },
    options: { orphanDependents: false },
    kind: 'remove',
  },
  {
    does: 'removes the foreground finalizer with background propagation',
    metadata: { finalizers: ['foregroundDeletion'] },
    options: { propagationPolicy: 'Background' },
    kind: 'remove',
  },
  {
    does: 'replaces the propagation finalizer of the object by the requested one',
    metadata: { finalizers: ['orphan', 'f'] },
    options: { propagationPolicy: 'Foreground' },
    kind: 'mark',
    stored: { finalizers: ['f', 'foregroundDeletion'], ...marked },
  },
  {
    does: 'keeps the propagation finalizer of the object if the request has no policy',
    metadata: { finalizers: ['foregroundDeletion'] },
    request: { dependents: 'orphan' },
    kind: 'mark',
    stored: { finalizers: ['foregroundDeletion'], ...marked },
  },
  {
    does: 'orphans by default if the kind does',
    request: { dependents: 'orphan' },
    kind: 'mark',
    stored: { finalizers: ['orphan'], ...marked },
  },
  {
    does: 'sets no finalizer on a kind that is never garbage-collected',
    options: { propagationPolicy: 'Foreground' },
    request: { dependents: 'unsupported' },
    kind: 'remove',
  },
]

const pod = { graceSeconds: lingering }
const terminating = { deletionTimestamp: '2026-01-01T12:00:25Z', deletionGracePeriodSeconds: 30 }
const graceful: readonly Row[] = [
  {
    does: 'gives a pod its grace period',
    metadata: { generation: 1 },
    request: pod,
    kind: 'mark',
    stored: { generation: 2, deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 },
  },
  {
    does: 'gives a pod the requested grace period',
    options: { gracePeriodSeconds: 5 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:05Z', deletionGracePeriodSeconds: 5 },
  },
  {
    does: 'treats a negative grace period as one second',
    options: { gracePeriodSeconds: -7 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:01Z', deletionGracePeriodSeconds: 1 },
  },
  {
    does: 'marks a pod as terminating before it removes it without a grace period',
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'remove',
    stored: marked,
  },
  {
    does: 'keeps a pod without a grace period that has a finalizer',
    metadata: { finalizers: ['f'] },
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'mark',
    stored: { finalizers: ['f'], ...marked },
  },
  {
    does: 'does not restart a pending deletion if the request has no grace period',
    metadata: terminating,
    request: pod,
    kind: 'unchanged',
  },
  {
    does: 'does not extend a pending deletion',
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
    does: 'shortens a pending deletion, counted from its start',
    metadata: { ...terminating, generation: 2 },
    options: { gracePeriodSeconds: 10 },
    request: pod,
    kind: 'mark',
    stored: { generation: 2, deletionTimestamp: '2026-01-01T12:00:05Z', deletionGracePeriodSeconds: 10 },
  },
  {
    does: 'shortens a pending deletion to one second from now if that time has passed',
    metadata: terminating,
    options: { gracePeriodSeconds: 2 },
    request: pod,
    kind: 'mark',
    stored: { deletionTimestamp: '2026-01-01T12:00:00Z', deletionGracePeriodSeconds: 1 },
  },
  {
    does: 'ends a pending deletion immediately with grace period 0',
    metadata: terminating,
    options: { gracePeriodSeconds: 0 },
    request: pod,
    kind: 'remove',
    stored: marked,
  },
  {
    does: 'removes a pod whose grace period is over and that has no finalizers',
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
    does: 'deletes if both preconditions hold',
    metadata: { uid: 'u', resourceVersion: '5' },
    options: { preconditions: { uid: 'u', resourceVersion: '5' } },
    kind: 'remove',
  },
]

describe('a deletion', () => {
  it.each([...plain, ...dependents, ...graceful, ...preconditions])('a deletion $does', (row) => {
    const { metadata = {}, options = {}, request = {}, kind, stored } = row
    const before = Object.freeze(object(metadata))
    const deletion = decideDeletion({ object: before, options, nowMs, ...request })
    expect(deletion.kind).toBe(kind)
    const result = deletion.kind === 'mark' ? deletion.object : deletion.kind === 'remove' ? deletion.marked : undefined
    expect(result).toEqual(stored === undefined ? undefined : object(stored))
  })

  it('reports the failed precondition of a deletion', () => {
    expect(decideDeletion({ object: object({ uid: 'u' }), options: { preconditions: { uid: 'v' } }, nowMs })).toEqual({
      kind: 'conflict',
      message:
        'the UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated',
    })
  })
})

describe('updates that finish a deletion', () => {
  const ending = { deletionTimestamp: '2026-01-01T11:00:00Z', deletionGracePeriodSeconds: 0 }
  it.each([
    ['finishes a deletion if it removes the last finalizer', { ...ending, finalizers: ['f'] }, ending, true],
    ['finishes a deletion if no grace period was set', { deletionTimestamp: '2026-01-01T11:00:00Z' }, {}, true],
    [
      'does not finish a deletion while a finalizer is left',
      { ...ending, finalizers: ['f', 'g'] },
      { ...ending, finalizers: ['g'] },
      false,
    ],
    [
      'does not finish a deletion during the grace period',
      { ...ending, deletionGracePeriodSeconds: 30 },
      ending,
      false,
    ],
    ['does not finish a deletion that was not requested', { finalizers: ['f'] }, {}, false],
  ])('an update %s', (_, before, after, expected) => {
    expect(finishes(object(before), object(after))).toBe(expected)
  })
})
