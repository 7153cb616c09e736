import type { Call, Outcome } from '../../api/call.ts'
import { objectKey } from '../../api/object-key.ts'
import type { KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { callAction, createActionIds, recordEvent } from '../../runtime/actions.ts'
import type {
  Action,
  ActionResult,
  Answer,
  Ask,
  Change,
  Controller,
  StepInput,
  StepOutput,
} from '../../runtime/controller.ts'
import { referenceTo } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { WorkQueue } from '../../runtime/work-queue.ts'
import { type ServedKind, ServedKinds } from '../served-kinds.ts'
import { decideItem, type OwnerState } from './decide-item.ts'
import {
  addedOwners,
  beginsWith,
  dropOwners,
  FOREGROUND,
  isDeletingDependents,
  ORPHAN,
  removeFinalizer,
  unblockedOwners,
} from './ownership.ts'

export interface GarbageCollectorOptions {
  /** The kinds served at the moment. Asked for at the start and whenever a definition of custom resources changes. */
  readonly kinds: () => readonly ServedKind[]
}

export const GARBAGE_COLLECTOR = 'garbage-collector-controller'

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io'
// v1.36, garbagecollector ignoredResources.
const IGNORED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])
const READ_TIMEOUT_MS = 30_000

/** Deletes what has lost its owners, in the foreground or background, or lets it go as an orphan. */
export function createGarbageCollector(options: GarbageCollectorOptions): Controller {
  const state = new GarbageCollector(options)
  return {
    name: GARBAGE_COLLECTOR,
    watches: state.watches(),
    step: (input) => state.step(input),
    inspect: () => state.inspect(),
  }
}

/** `orphan`: the object's dependents are to be let go of first. */
type Task = 'delete' | 'orphan'

// Neither resources nor keys have spaces in them.
const itemId = (task: Task, resource: string, key: string): string => `${task} ${resource} ${key}`
const readItemId = (id: string) => id.split(' ') as [Task, string, string]

class GarbageCollector {
  private readonly options: GarbageCollectorOptions
  private kinds: ServedKinds
  private readonly ids = createActionIds()
  private readonly queue = new WorkQueue()
  /** Uids of owners that are gone for good. */
  private readonly absent = new RecentUids(500)
  /** Owners that an ask has found, for one look. */
  private found = new Map<string, KubeObject>()
  private readonly asking = new Map<string, Set<string>>()
  private readonly asked = new Map<number, string>()
  private readonly inFlight = new Map<number, string>()
  /** Calls that an item still waits for, and whether one of them failed. */
  private readonly pending = new Map<string, { left: number; failed: boolean }>()
  /** Owners that were looked for in other namespaces. */
  private readonly searched = new RecentUids(500)
  private actions: Action[] = []
  private asks: Ask[] = []
  private now = 0
  private view!: View

  constructor(options: GarbageCollectorOptions) {
    this.options = options
    this.kinds = new ServedKinds(options.kinds())
  }

  watches(): readonly string[] {
    const resources = this.kinds.all
      .filter(({ verbs }) => ['delete', 'list', 'watch'].every((verb) => verbs.includes(verb)))
      .map(({ resource }) => resource)
      .filter((resource) => !IGNORED.has(resource))
    return resources.includes(DEFINITIONS) ? resources : [...resources, DEFINITIONS]
  }

  step({ changes, results, answers, now, view }: StepInput): StepOutput {
    this.actions = []
    this.asks = []
    this.now = now
    this.view = view
    const isRedefined = changes.some(({ resource }) => (resource as string) === DEFINITIONS)
    if (isRedefined) this.kinds = new ServedKinds(this.options.kinds())
    for (const change of changes) this.note(change)
    for (const result of results) this.takeResult(result)
    for (const answer of answers) this.takeAnswer(answer)
    this.queue.advance(now)
    for (let id = this.queue.take(); id !== undefined; id = this.queue.take()) this.process(id)
    this.found.clear()
    const wakeAt = this.queue.nextAt()
    return {
      actions: this.actions,
      ...(this.asks.length === 0 ? {} : { asks: this.asks }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
      ...(isRedefined ? { watches: this.watches() } : {}),
    }
  }

  inspect(): unknown {
    return { inFlight: [...this.pending.keys()], retries: Object.fromEntries(this.queue.delays()) }
  }

  private note({ resource, key, before, after }: Change): void {
    if (after === undefined) {
      if (before !== undefined) this.noteGone(before)
      return
    }
    const references = after.metadata.ownerReferences ?? []
    const former = before?.metadata.ownerReferences ?? []
    if (references !== former) {
      for (const reference of addedOwners(former, references)) {
        if (this.stateOf(after, reference).kind !== 'present') this.add('delete', resource, key)
      }
      for (const reference of unblockedOwners(former, references)) this.addOwner(after, reference)
    }
    if (beginsWith(ORPHAN, before, after)) this.add('orphan', resource, key)
    else if (beginsWith(FOREGROUND, before, after)) {
      this.addDependents(after)
      this.add('delete', resource, key)
    }
  }

  private noteGone(object: KubeObject): void {
    const { uid } = object.metadata
    if (uid === undefined) return
    if (this.addDependents(object)) {
      this.absent.add(uid)
      this.searched.add(uid)
    }
    for (const reference of object.metadata.ownerReferences ?? []) this.addOwner(object, reference)
  }

  private addDependents({ metadata }: KubeObject): boolean {
    const dependents = this.view.ownedBy(metadata.uid ?? '')
    for (const { resource, object } of dependents) {
      this.add('delete', resource, objectKey(object.metadata.namespace, object.metadata.name))
    }
    return dependents.length > 0
  }

  /** An owner that waits for its dependents may have one less to wait for. */
  private addOwner(dependent: KubeObject, reference: OwnerReference): void {
    const state = this.stateOf(dependent, reference)
    if (state.kind !== 'present' || !isDeletingDependents(state.owner)) return
    const kind = this.kinds.ofReference(reference)
    if (kind === undefined) return
    this.add('delete', kind.resource, objectKey(state.owner.metadata.namespace, state.owner.metadata.name))
  }

  private add(task: Task, resource: string, key: string): void {
    this.queue.add(itemId(task, resource, key))
  }

  private process(id: string): void {
    const [task, resource, key] = readItemId(id)
    const kind = this.kinds.find(resource)
    const object: KubeObject | undefined = this.view.get(resource as KnownResource, key)
    if (kind === undefined || object === undefined) this.finish(id)
    else if (task === 'orphan') this.orphan(id, kind, object)
    else this.decide(id, kind, object)
  }

  private decide(id: string, kind: ServedKind, object: KubeObject): void {
    const dependents = this.view.ownedBy(object.metadata.uid ?? '').map((owned) => owned.object)
    const decision = decideItem(kind, object, dependents, (reference) => this.stateOf(object, reference))
    switch (decision.kind) {
      case 'leave':
        this.finish(id)
        return
      case 'retry':
        this.queue.addRateLimited(id, this.now)
        this.queue.done(id)
        return
      case 'ask':
        for (const reference of decision.references) this.ask(id, object, reference)
        this.queue.done(id)
        return
      case 'dependents':
        for (const blocking of decision.blocking) this.addBlocking(object, blocking)
        this.finish(id)
        return
      case 'call':
        this.warnOfMisplaced(object)
        this.call(id, decision.calls)
    }
  }

  private addBlocking(owner: KubeObject, dependent: KubeObject): void {
    const owned = this.view.ownedBy(owner.metadata.uid ?? '').find(({ object }) => object === dependent)
    if (owned === undefined || dependent.metadata.deletionTimestamp !== undefined) return
    this.add('delete', owned.resource, objectKey(dependent.metadata.namespace, dependent.metadata.name))
  }

  /** First every dependent is let go of, then the owner of its finalizer. */
  private orphan(id: string, kind: ServedKind, owner: KubeObject): void {
    if (!beginsWith(ORPHAN, undefined, owner)) {
      this.finish(id)
      return
    }
    const uid = owner.metadata.uid ?? ''
    const calls = this.view.ownedBy(uid).flatMap(({ resource, object }): readonly Call[] => {
      const dependentKind = this.kinds.find(resource)
      return dependentKind === undefined ? [] : [dropOwners(dependentKind, object, [uid])]
    })
    this.call(id, calls.length > 0 ? calls : [removeFinalizer(kind, owner, ORPHAN)])
  }

  private call(id: string, calls: readonly Call[]): void {
    this.pending.set(id, { left: calls.length, failed: false })
    for (const call of calls) {
      const action = callAction(this.ids, call)
      this.inFlight.set(action.id, id)
      this.actions.push(action)
    }
  }

  private takeResult({ id: actionId, outcome }: ActionResult): void {
    const id = this.inFlight.get(actionId)
    this.inFlight.delete(actionId)
    const pending = id === undefined ? undefined : this.pending.get(id)
    if (id === undefined || pending === undefined) return
    pending.left--
    if (!outcome.ok && outcome.status.reason !== 'NotFound') pending.failed = true
    if (pending.left > 0) return
    this.pending.delete(id)
    if (pending.failed) this.queue.addRateLimited(id, this.now)
    else {
      this.queue.forget(id)
      // The owner's own finalizer comes after its dependents.
      if (readItemId(id)[0] === 'orphan') this.queue.add(id)
    }
    this.queue.done(id)
  }

  private finish(id: string): void {
    this.queue.forget(id)
    this.queue.done(id)
  }

  private stateOf(dependent: KubeObject, reference: OwnerReference): OwnerState {
    const kind = this.kinds.ofReference(reference)
    if (kind === undefined) return { kind: 'unknown' }
    const { namespace } = dependent.metadata
    if (kind.namespaced && (namespace ?? '') === '') return { kind: 'impossible' }
    const key = objectKey(kind.namespaced ? namespace : undefined, reference.name)
    const owner: KubeObject | undefined = this.view.get(kind.resource as KnownResource, key)
    if (owner?.metadata.uid === reference.uid) return { kind: 'present', owner }
    if (owner !== undefined || this.absent.has(reference.uid)) return { kind: 'absent' }
    const seen = this.found.get(reference.uid)
    return seen === undefined ? { kind: 'unseen' } : { kind: 'present', owner: seen }
  }

  private ask(id: string, dependent: KubeObject, reference: OwnerReference): void {
    const waiting = this.asking.get(reference.uid)
    if (waiting !== undefined) {
      waiting.add(id)
      return
    }
    const kind = this.kinds.ofReference(reference) as ServedKind
    const { namespace } = dependent.metadata
    const at = kind.namespaced && namespace !== undefined ? { namespace } : {}
    const askId = this.ids.next()
    this.asking.set(reference.uid, new Set([id]))
    this.asked.set(askId, reference.uid)
    this.asks.push({
      id: askId,
      deadlineAt: this.now + READ_TIMEOUT_MS,
      request: { kind: 'read', call: { verb: 'get', resource: kind.resource, ...at, name: reference.name } },
    })
  }

  private takeAnswer({ id: askId, outcome }: Answer): void {
    const uid = this.asked.get(askId)
    if (uid === undefined) return
    this.asked.delete(askId)
    const waiting = this.asking.get(uid) ?? []
    this.asking.delete(uid)
    const read = outcome.kind === 'ok' ? (outcome.value as Outcome) : undefined
    const isKnown = read !== undefined && (read.ok || read.status.reason === 'NotFound')
    if (read?.ok === true && read.kind === 'object' && read.object.metadata.uid === uid)
      this.found.set(uid, read.object)
    else if (isKnown) this.absent.add(uid)
    for (const id of waiting) {
      if (isKnown) this.queue.add(id)
      else this.queue.addRateLimited(id, this.now)
    }
  }

  /** An owner of that uid lives in another namespace: whoever wrote the reference should know. */
  private warnOfMisplaced(object: KubeObject): void {
    const { namespace = '' } = object.metadata
    for (const reference of object.metadata.ownerReferences ?? []) {
      const kind = this.kinds.ofReference(reference)
      if (kind?.namespaced !== true || this.searched.has(reference.uid)) continue
      if (this.stateOf(object, reference).kind !== 'absent') continue
      const isElsewhere = this.view
        .list(kind.resource as KnownResource)
        .some(({ metadata }) => metadata.uid === reference.uid && metadata.namespace !== namespace)
      if (!isElsewhere) {
        this.searched.add(reference.uid)
        continue
      }
      const identity = `[${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}]`
      const message = `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`
      const regarding = referenceTo(object)
      this.actions.push(
        recordEvent({ regarding, type: 'Warning', reason: 'OwnerRefInvalidNamespace', message, api: 'core' }),
      )
    }
  }
}

/** The last uids that were added, as upstream keeps them in an LRU cache. */
class RecentUids {
  private readonly size: number
  private readonly uids = new Set<string>()

  constructor(size: number) {
    this.size = size
  }

  has(uid: string): boolean {
    return this.uids.has(uid)
  }

  add(uid: string): void {
    this.uids.delete(uid)
    this.uids.add(uid)
    if (this.uids.size <= this.size) return
    for (const oldest of this.uids) {
      this.uids.delete(oldest)
      return
    }
  }
}
