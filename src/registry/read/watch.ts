import type { Failure, ListCall, WatchEvent } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure, plainError } from '../../api/status.ts'
import type { StoreChange } from '../../store/contract.ts'
import type { Caller, Registry } from '../contract.ts'
import type { Kind } from '../kinds/kind.ts'
import { readVersion, tooLarge } from './read.ts'
import { selectionOf } from './selection.ts'

export interface WatchStart {
  readonly caller?: Caller
  /** What is watched, with `resourceVersion` as the point to start after. */
  readonly call: ListCall
  /** A streaming list: the present state first, then a bookmark that says it is complete. */
  readonly sendInitialEvents?: boolean
  /** May be called before `startWatch` returns, with the initial events. */
  readonly onEvents: (events: readonly WatchEvent[]) => void
  /** Given the initial state instead of `onEvents`, for clients that read it piece by piece. */
  readonly onState?: (state: InitialState) => void
}

/** The objects that a watch begins with. The array is shared and never changes. */
export interface InitialState {
  readonly objects: readonly KubeObject[]
  readonly eventOf: (object: KubeObject) => WatchEvent
  /** What follows them: the bookmark that ends a streaming list. */
  readonly last?: WatchEvent
}

export interface StartedWatch {
  readonly cancel: () => void
  /** The revision after which changes are shown. */
  readonly from: number
}

/**
 * A watch as every client sees it, in process or over HTTP. From no version, or from "0": the present state as ADDED,
 * then what changes. From a version: what changed after it. From one that is compacted: an ERROR event with 410, as
 * upstream's watch cache answers.
 */
export function startWatch(registry: Registry, kind: Kind, start: WatchStart): StartedWatch | Failure {
  const { call } = start
  // Set while the state holds writes that are not on disk: what follows is shown after it.
  let held: WatchEvent[] | undefined
  const onEvents = (events: readonly WatchEvent[]) => {
    if (held === undefined) start.onEvents(events)
    else for (const event of events) held.push(event)
  }
  const selection = selectionOf(kind, call)
  if (!('matches' in selection)) return selection
  const { store } = registry
  const version = call.resourceVersion ?? ''
  const asked = version === '' ? 0 : readVersion(version)
  if (typeof asked === 'string') return plainError(asked)
  // What is not there yet is waited for; only a watch that begins with the state cannot do that.
  if (asked > store.revision && start.sendInitialEvents === true) return tooLarge(asked, store.durableRevision)
  const fromPresent = version === '' || version === '0' || start.sendInitialEvents === true
  const withState = start.sendInitialEvents ?? fromPresent
  const namespace = kind.namespaced ? call.namespace : undefined
  const selects = (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && selection.matches(object)
  const show = kind.fromStorage ?? ((object: KubeObject) => object)
  const revision = store.revision
  // Subscribed before the state is read, and nothing can come in between: everything here is synchronous.
  const subscription = store.watch(
    (changes) => {
      let events: WatchEvent[] | undefined
      for (let i = 0; i < changes.length; i++) {
        const change = changes[i] as StoreChange
        // Most changes are of something else.
        if (change.resource !== kind.storage) continue
        const event = eventOf(change, selects, show)
        if (event === undefined) continue
        if (events === undefined) events = [event]
        else events.push(event)
      }
      if (events !== undefined) onEvents(events)
    },
    fromPresent ? revision : asked,
  )
  if (subscription === 'compacted') {
    const { status } = failure('Expired', `too old resource version: ${asked} (${store.compactedRevision})`)
    onEvents([{ type: 'ERROR', status }])
    return { cancel: () => {}, from: asked }
  }
  if (withState) {
    const all = store.list(kind.storage, namespace === undefined ? {} : { namespace })
    const state: InitialState = {
      objects: selection.everything ? all : all.filter(selects),
      eventOf: (object) => ({ type: 'ADDED', object: show(object) }),
      ...(start.sendInitialEvents === true
        ? { last: { type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: true } }
        : {}),
    }
    if (revision <= store.durableRevision) showState(start, state)
    else {
      held = []
      const release = () => {
        const events = held as WatchEvent[]
        held = undefined
        if (events.length > 0) start.onEvents(events)
      }
      store.durable(revision).then(
        () => {
          showState(start, state)
          release()
        },
        (error: Error) => {
          subscription.cancel()
          held = [{ type: 'ERROR', status: failure('ServiceUnavailable', error.message).status }]
          release()
        },
      )
    }
  }
  return { cancel: subscription.cancel, from: fromPresent ? revision : asked }
}

function showState({ onState, onEvents }: WatchStart, state: InitialState): void {
  if (onState !== undefined) onState(state)
  else if (state.objects.length > 0 || state.last !== undefined) {
    const events = state.objects.map(state.eventOf)
    onEvents(state.last === undefined ? events : [...events, state.last])
  }
}

/** An object that comes to match is ADDED and one that ceases to is DELETED, as the API server's watch cache has it. */
function eventOf(
  change: StoreChange,
  selects: (object: KubeObject) => boolean,
  show: (object: KubeObject) => KubeObject,
): WatchEvent | undefined {
  const { before, after } = change
  const was = before !== undefined && selects(before)
  if (after !== undefined && selects(after)) return { type: was ? 'MODIFIED' : 'ADDED', object: show(after) }
  if (!was) return undefined
  const last = after === undefined ? change.last : undefined
  return { type: 'DELETED', object: show(last ?? stamped(before, change.revision)) }
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
