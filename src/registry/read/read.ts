import type { GetCall, ListCall, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure, notFound, plainError } from '../../api/status.ts'
import { type Backend, servedForm, storeKey } from '../backend.ts'
import { invalidOptions, listOptionErrors } from '../errors/option-errors.ts'
import type { Kind } from '../kinds/kind.ts'
import { continueToken, readContinueToken } from './continue-token.ts'
import { type Selection, selectionOf } from './selection.ts'

export function getObject(backend: Backend, kind: Kind, call: GetCall): Outcome {
  const version = call.resourceVersion
  if (version !== undefined && version !== '') {
    const asked = readVersion(version)
    if (typeof asked === 'string') return plainError(asked)
    if (asked > backend.store.revision) return tooLarge(asked, backend.store.durableRevision)
  }
  const object = backend.store.get(kind.storage, storeKey(kind, call.namespace, call.name))
  if (object === undefined) return notFound(kind.resource, call.name)
  return { ok: true, kind: 'object', object: servedForm(kind, object) }
}

export function listObjects(backend: Backend, kind: Kind, call: ListCall): Outcome {
  const wrong = wrongListOptions(call)
  if (wrong !== undefined) return wrong
  const selection = selectionOf(kind, call)
  if (!('matches' in selection)) return selection
  const at = revisionOf(backend, call)
  if (typeof at !== 'object') return page(backend, kind, call, selection, { revision: at, exact: false })
  return 'ok' in at ? at : page(backend, kind, call, selection, at)
}

interface Position {
  readonly revision: number
  /** Reads the state at that revision instead of the current one. */
  readonly exact: boolean
  readonly startKey?: string
}

function page(backend: Backend, kind: Kind, call: ListCall, selection: Selection, at: Position): Outcome {
  if (at.exact && isCompacted(backend, at.revision)) return expired(call, at)
  const range = backend.store.range(kind.storage, {
    ...(kind.namespaced && call.namespace !== undefined ? { namespace: call.namespace } : {}),
    ...(at.startKey === undefined ? {} : { from: at.startKey }),
    ...(at.exact ? { revision: at.revision } : {}),
  })
  if (range === 'compacted') return expired(call, at)
  const limit = call.limit !== undefined && call.limit > 0 ? call.limit : Number.POSITIVE_INFINITY
  const items: KubeObject[] = []
  let index = 0
  for (; index < range.count && items.length < limit; index++) {
    const object = range.object(index)
    if (selection.matches(object)) items.push(servedForm(kind, object))
  }
  const resourceVersion = String(at.revision)
  // With a selector, upstream scans until the page is full. It returns a token if and only if it did not scan all keys.
  if (index >= range.count) return { ok: true, kind: 'list', items, resourceVersion }
  backend.versions.see(backend.store.revision, backend.clock.now())
  return {
    ok: true,
    kind: 'list',
    items,
    resourceVersion,
    continue: continueToken({ revision: at.revision, startKey: `${range.key(index - 1)}\u0000` }),
    // Upstream counts the remaining objects without reading them, so with a selector it returns no count.
    ...(selection.everything ? { remainingItemCount: range.count - index } : {}),
  }
}

function isCompacted({ versions, store, clock }: Backend, revision: number): boolean {
  const nowMs = clock.now()
  versions.see(store.revision, nowMs)
  return revision < versions.compacted(nowMs)
}

function revisionOf(backend: Backend, call: ListCall): number | Position | ReturnType<typeof failure> {
  const present = backend.store.revision
  if (call.continue !== undefined && call.continue !== '') {
    const token = readContinueToken(call.continue)
    if ('wrong' in token)
      return failure('BadRequest', `invalid continue token: continue key is not valid: ${token.wrong}`)
    if (call.resourceVersion !== undefined && call.resourceVersion !== '' && call.resourceVersion !== '0') {
      return failure('BadRequest', 'specifying resource version is not allowed when using continue')
    }
    // A negative revision comes from the token of an expired list: continue with the current state.
    if (token.revision < 0) return { revision: present, exact: false, startKey: token.startKey }
    return { revision: token.revision, exact: true, startKey: token.startKey }
  }
  if (call.resourceVersion === undefined || call.resourceVersion === '') return present
  const asked = readVersion(call.resourceVersion)
  if (typeof asked === 'string') return failure('BadRequest', `invalid resource version: ${asked}`)
  if (asked > present) return tooLarge(asked, backend.store.durableRevision)
  const exact =
    call.resourceVersionMatch === 'Exact' ||
    (call.resourceVersionMatch === undefined && (call.limit ?? 0) > 0 && asked > 0)
  return exact ? { revision: asked, exact: true } : present
}

/** The number, or why the text is invalid. */
export function readVersion(text: string): number | string {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`
}

export function tooLarge(asked: number, present: number): ReturnType<typeof failure> {
  return failure('Timeout', `Timeout: Too large resource version: ${asked}, current: ${present}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}

function expired(call: ListCall, at: Position): ReturnType<typeof failure> {
  if (call.continue === undefined || call.continue === '') {
    return failure('Expired', 'The resourceVersion for the provided list is too old.')
  }
  const answer = failure(
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
  )
  const token = continueToken({ revision: -1, startKey: at.startKey ?? '' })
  return { ok: false, status: { ...answer.status, metadata: { continue: token } } }
}

function wrongListOptions(call: ListCall) {
  const { resourceVersion = '', continue: token = '' } = call
  const resourceVersionMatch: string = call.resourceVersionMatch ?? ''
  if (resourceVersionMatch === '') return undefined
  return invalidOptions('ListOptions', listOptionErrors({ resourceVersion, resourceVersionMatch, continue: token }))
}
