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
  /** The watched objects, with `resourceVersion` as the point after which the watch starts. */
  readonly call: ListCall
  /** A streaming list: the current state first, then a bookmark that marks its end. */
  readonly sendInitialEvents?: boolean
  /** May be called before `startWatch` returns, with the initial events. */
  readonly onEvents: (events: readonly WatchEvent[]) => void
  /** Receives the initial state instead of `onEvents`, for clients that read it in pieces. */
  readonly onState?: (state: InitialState) => void
}

/** The initial objects of a watch. The array is shared and never changes. */
export interface InitialState {
  readonly objects: readonly KubeObject[]
  readonly eventOf: (object: KubeObject) => WatchEvent
  /** The bookmark after them, which ends a streaming list. */
  readonly last?: WatchEvent
}

export interface StartedWatch {
  readonly cancel: () => void
  /** The revision after which changes are shown. */
  readonly from: number
}

/**
 * A watch, the same in process and over HTTP. Without a version or from "0": the current state as ADDED, then changes.
 * From a version: changes after it. From a compacted version: an ERROR event with 410, as upstream's watch cache
 * responds.
 */
export function startWatch(registry: Registry, kind: Kind, start: WatchStart): StartedWatch | Failure {
  const { call } = start
  // Set while the state contains writes that are not on disk: later events wait for them.
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
  // A watch waits for a future revision, unless the state comes first.
  if (asked > store.revision && start.sendInitialEvents === true) return tooLarge(asked, store.durableRevision)
  const fromPresent = version === '' || version === '0' || start.sendInitialEvents === true
  const withState = start.sendInitialEvents ?? fromPresent
  const namespace = kind.namespaced ? call.namespace : undefined
  const selects = (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && selection.matches(object)
  const show = kind.fromStorage ?? ((object: KubeObject) => object)
  const revision = store.revision
  // Subscribes before the state is read. Nothing can change in between, because everything here is synchronous.
  const subscription = store.watch(
    (changes) => {
      let events: WatchEvent[] | undefined
      for (let i = 0; i < changes.length; i++) {
        const change = changes[i] as StoreChange
        // Most changes do not concern the watched objects.
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

/**
 * An object that starts to match is ADDED, and an object that stops matching is DELETED, as in the watch cache of
 * kube-apiserver.
 */
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
