import type { Call } from '../../api/call.ts'
import { objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { callAction, createActionIds, recordEvent } from '../../runtime/actions.ts'
import type {
  Action,
  ActionResult,
  Answer,
  Change,
  Controller,
  StepInput,
  StepOutput,
} from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { WorkQueue } from '../../runtime/work-queue.ts'
import { type ServedKind, ServedKinds } from '../served-kinds.ts'
import { decideItem, type OwnerState } from './decide-item.ts'
import { type OwnerPlace, OwnerReads } from './owner-reads.ts'
import {
  addedOwners,
  beginsWith,
  dropOwners,
  foreground,
  isDeletingDependents,
  orphanFinalizer,
  removeFinalizer,
  unblockedOwners,
} from './ownership.ts'

export interface GarbageCollectorOptions {
  /** The currently served kinds. They are read at the start and after each change of a CustomResourceDefinition. */
  readonly kinds: () => readonly ServedKind[]
}

export const garbageCollector = 'garbage-collector-controller'

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
// v1.36, garbagecollector ignoredResources.
const ignored: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])

/** Deletes objects that have lost their owners, with foreground or background propagation, or orphans them. */
export function createGarbageCollector(options: GarbageCollectorOptions): Controller {
  const state = new GarbageCollector(options)
  return {
    name: garbageCollector,
    watches: state.watches(),
    step: (input) => state.step(input),
    inspect: () => state.inspect(),
  }
}

/** `orphan`: the object's dependents are orphaned first. */
type CollectionTask = 'delete' | 'orphan'

// Neither resources nor keys contain spaces.
const itemId = (task: CollectionTask, resource: string, key: string): string => `${task} ${resource} ${key}`
const readItemId = (id: string) => id.split(' ') as [CollectionTask, string, string]

class GarbageCollector {
  private readonly options: GarbageCollectorOptions
  private kinds: ServedKinds
  private readonly ids = createActionIds()
  private readonly queue = new WorkQueue()
  /** Owners that no longer exist. */
  private readonly absent = new RecentIds(500)
  private readonly ownerReads = new OwnerReads()
  private readonly inFlight = new Map<number, string>()
  /** The number of calls that an item waits for, and whether one of them failed. */
  private readonly pending = new Map<string, { left: number; failed: boolean }>()
  /** Owners that were searched in other namespaces. */
  private readonly searched = new RecentIds(500)
  private actions: Action[] = []
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
      .filter((resource) => !ignored.has(resource))
    return resources.includes(definitions) ? resources : [...resources, definitions]
  }

  step({ changes, results, answers, now, view }: StepInput): StepOutput {
    this.actions = []
    this.now = now
    this.view = view
    const isRedefined = changes.some(({ resource }) => (resource as string) === definitions)
    if (isRedefined) this.kinds = new ServedKinds(this.options.kinds())
    for (const change of changes) this.note(change)
    for (const result of results) this.takeResult(result)
    for (const answer of answers) this.takeAnswer(answer)
    this.queue.advance(now)
    for (let id = this.queue.take(); id !== undefined; id = this.queue.take()) this.process(id)
    const asks = this.ownerReads.next(() => this.ids.next(), now)
    const wakeAt = this.queue.nextAt()
    return {
      actions: this.actions,
      ...(asks.length === 0 ? {} : { asks }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
      ...(isRedefined ? { watches: this.watches() } : {}),
    }
  }

  inspect(): unknown {
    return { inFlight: [...this.pending.keys()], retries: Object.fromEntries(this.queue.delays()) }
  }

  private note({ resource, key, before, after }: Change): void {
    if (after === undefined) {
      if (before !== undefined) this.noteGone(resource, key, before)
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
    if (beginsWith(orphanFinalizer, before, after)) this.add('orphan', resource, key)
    else if (beginsWith(foreground, before, after)) {
      this.addDependents(after)
      this.add('delete', resource, key)
    }
  }

  private noteGone(resource: string, key: string, object: KubeObject): void {
    const { uid } = object.metadata
    if (uid === undefined) return
    if (this.addDependents(object)) {
      this.absent.add(placeId(resource, key, uid))
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

  /** Adds the owners of a dependent. An owner that waits for its dependents may then wait for one less. */
  private addOwner(dependent: KubeObject, reference: OwnerReference): void {
    const state = this.stateOf(dependent, reference)
    if (state.kind !== 'present' || !isDeletingDependents(state.owner)) return
    const kind = this.kinds.ofReference(reference)
    if (kind === undefined) return
    this.add('delete', kind.resource, objectKey(state.owner.metadata.namespace, state.owner.metadata.name))
  }

  private add(task: CollectionTask, resource: string, key: string): void {
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
    const owned = this.view.ownedBy(object.metadata.uid ?? '')
    const decision = decideItem(
      kind,
      object,
      owned.map((one) => one.object),
      (reference) => this.stateOf(object, reference, id),
    )
    switch (decision.kind) {
      case 'leave':
        this.finish(id)
        return
      case 'retry':
        this.retry(id)
        return
      case 'ask':
        // The item stays in process until all answers have arrived, as upstream's worker waits for them.
        this.ownerReads.ask(
          id,
          decision.references.map((reference) =>
            placeOf(this.kinds.ofReference(reference) as ServedKind, object, reference),
          ),
        )
        return
      case 'dependents': {
        const blocking = new Set(decision.blocking)
        for (const dependent of owned) {
          const { metadata } = dependent.object
          if (!blocking.has(dependent.object) || metadata.deletionTimestamp !== undefined) continue
          this.add('delete', dependent.resource, objectKey(metadata.namespace, metadata.name))
        }
        this.finish(id)
        return
      }
      case 'call':
        this.warnOfMisplaced(id, object)
        this.ownerReads.end(id)
        this.call(id, decision.calls)
    }
  }

  /** First all dependents are orphaned, then the finalizer is removed from the owner. */
  private orphan(id: string, kind: ServedKind, owner: KubeObject): void {
    if (!beginsWith(orphanFinalizer, undefined, owner)) {
      this.finish(id)
      return
    }
    const uid = owner.metadata.uid ?? ''
    const calls = this.view.ownedBy(uid).flatMap(({ resource, object }): readonly Call[] => {
      const dependentKind = this.kinds.find(resource)
      return dependentKind === undefined ? [] : [dropOwners(dependentKind, object, [uid])]
    })
    this.call(id, calls.length > 0 ? calls : [removeFinalizer(kind, owner, orphanFinalizer)])
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
      // The owner's finalizer is removed after its dependents are updated.
      if (readItemId(id)[0] === 'orphan') this.queue.add(id)
    }
    this.queue.done(id)
  }

  private retry(id: string): void {
    this.ownerReads.end(id)
    this.queue.addRateLimited(id, this.now)
    this.queue.done(id)
  }

  private finish(id: string): void {
    this.ownerReads.end(id)
    this.queue.forget(id)
    this.queue.done(id)
  }

  /** The state of an owner, from the view, the server's answers to the item, and the cache of absent owners. */
  private stateOf(dependent: KubeObject, reference: OwnerReference, item?: string): OwnerState {
    const kind = this.kinds.ofReference(reference)
    if (kind === undefined) return { kind: 'unknown' }
    const { namespace } = dependent.metadata
    if (kind.namespaced && (namespace ?? '') === '') return { kind: 'impossible' }
    const key = objectKey(kind.namespaced ? namespace : undefined, reference.name)
    const owner: KubeObject | undefined = this.view.get(kind.resource as KnownResource, key)
    if (owner?.metadata.uid === reference.uid) return { kind: 'present', owner }
    const place = placeId(kind.resource, key, reference.uid)
    if (owner !== undefined || this.absent.has(place)) return { kind: 'absent' }
    const answer = item === undefined ? undefined : this.ownerReads.answerTo(item, place)
    if (answer === undefined) return { kind: 'unseen' }
    return answer === 'absent' ? { kind: 'absent' } : { kind: 'present', owner: answer }
  }

  private takeAnswer(answer: Answer): void {
    for (const { item, failed } of this.ownerReads.take(answer, ({ id }) => this.absent.add(id))) {
      if (failed) this.retry(item)
      else this.process(item)
    }
  }

  /** Warns the author of the reference that the owner with this uid exists in another namespace. */
  private warnOfMisplaced(item: string, object: KubeObject): void {
    for (const [resource, references] of this.absentOwners(item, object)) {
      const elsewhere = new Set<string>()
      for (const { metadata } of this.view.list(resource as KnownResource)) {
        if (metadata.uid !== undefined && references.has(metadata.uid)) elsewhere.add(metadata.uid)
      }
      for (const [uid, reference] of references) {
        if (elsewhere.has(uid)) this.warn(object, reference)
        else this.searched.add(uid)
      }
    }
  }

  /** References to missing namespaced owners that were not searched in other namespaces: by resource, then by uid. */
  private absentOwners(item: string, object: KubeObject): ReadonlyMap<string, ReadonlyMap<string, OwnerReference>> {
    const absent = new Map<string, Map<string, OwnerReference>>()
    for (const reference of object.metadata.ownerReferences ?? []) {
      const kind = this.kinds.ofReference(reference)
      if (kind?.namespaced !== true || this.searched.has(reference.uid)) continue
      if (this.stateOf(object, reference, item).kind !== 'absent') continue
      const ofKind = absent.get(kind.resource) ?? new Map<string, OwnerReference>()
      absent.set(kind.resource, ofKind.set(reference.uid, reference))
    }
    return absent
  }

  private warn(object: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { namespace = '' } = object.metadata
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    const message = `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`
    const regarding = referenceTo(object)
    this.actions.push(
      recordEvent({ regarding, type: 'Warning', reason: 'OwnerRefInvalidNamespace', message, api: 'core' }),
    )
  }
}

const placeId = (resource: string, key: string, uid: string): string => `${resource} ${key} ${uid}`

function placeOf(kind: ServedKind, { metadata }: KubeObject, { name, uid }: OwnerReference): OwnerPlace {
  const namespace = kind.namespaced ? metadata.namespace : undefined
  const at = namespace === undefined ? {} : { namespace }
  return {
    id: placeId(kind.resource, objectKey(namespace, name), uid),
    uid,
    read: { verb: 'get', resource: kind.resource, ...at, name },
  }
}

/** The ids that were added last. Upstream keeps them in an LRU cache. */
class RecentIds {
  private readonly size: number
  private readonly ids = new Set<string>()

  constructor(size: number) {
    this.size = size
  }

  has(id: string): boolean {
    return this.ids.has(id)
  }

  add(id: string): void {
    this.ids.delete(id)
    this.ids.add(id)
    if (this.ids.size <= this.size) return
    for (const oldest of this.ids) {
      this.ids.delete(oldest)
      return
    }
  }
}
