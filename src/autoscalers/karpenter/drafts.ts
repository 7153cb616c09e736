import { deepEqual } from '../../api/equality.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { NodeClaim, NodePool } from '../../api/objects/karpenter.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import {
  type ActionIds,
  type CallAction,
  createObject,
  deleteObject,
  patchObject,
  recordEvent,
} from '../../runtime/actions.ts'
import type { Action } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import type { EventFilter } from './event-filter.ts'
import type { KarpenterMetrics } from './karpenter-metrics.ts'
import type { nodeClaims, nodePools } from './names.ts'

type Resource = typeof nodeClaims | typeof nodePools | 'nodes'
type Drafted<R extends Resource> = R extends 'nodes' ? Node : R extends typeof nodePools ? NodePool : NodeClaim

/**
 * The requests of a step. Parts of Karpenter that change the same object in one step share their changes, and the
 * object is written once.
 */
export class Drafts {
  readonly actions: Action[] = []
  readonly metrics: KarpenterMetrics
  private readonly ids: ActionIds
  private readonly view: View
  private readonly changed = new Map<
    string,
    { readonly resource: Resource; readonly before: KubeObject; after: KubeObject }
  >()

  private readonly filter: EventFilter
  private readonly now: number

  constructor(of: {
    readonly ids: ActionIds
    readonly view: View
    readonly filter: EventFilter
    readonly metrics: KarpenterMetrics
    readonly now: number
  }) {
    this.metrics = of.metrics
    this.ids = of.ids
    this.view = of.view
    this.filter = of.filter
    this.now = of.now
  }

  get<R extends Resource>(resource: R, name: string): Drafted<R> | undefined {
    const drafted = this.changed.get(`${resource}/${name}`)?.after
    return (drafted ?? this.view.get(resource, name)) as Drafted<R> | undefined
  }

  set<R extends Resource>(resource: R, after: Drafted<R>): void {
    const key = `${resource}/${after.metadata.name}`
    const draft = this.changed.get(key)
    const before = this.view.get(resource, after.metadata.name)
    if (draft !== undefined) draft.after = after
    else if (before !== undefined) this.changed.set(key, { resource, before, after })
  }

  create(resource: string, object: KubeObject): CallAction {
    return this.push(createObject(this.ids, { resource, object }))
  }

  delete(resource: string, object: KubeObject, graceSeconds?: number): CallAction {
    const options = graceSeconds === undefined ? {} : { options: { gracePeriodSeconds: graceSeconds } }
    return this.push(deleteObject(this.ids, { resource, object, ...options }))
  }

  patch(resource: string, object: KubeObject, patch: JsonObject): CallAction {
    return this.push(patchObject(this.ids, { resource, object, patch: { kind: 'merge', patch } }))
  }

  /** `message` is not computed for an event that was published recently. */
  event(
    object: KubeObject | undefined,
    reason: string,
    message: string | (() => string),
    { type = 'Normal', about = '' }: { readonly type?: 'Normal' | 'Warning'; readonly about?: string } = {},
  ): void {
    if (object === undefined) return
    const { uid = '', name } = object.metadata
    if (!this.filter.admits(reason, `${uid === '' ? name : uid} ${about}`, this.now)) return
    const text = typeof message === 'string' ? message : message()
    this.actions.push(recordEvent({ regarding: referenceTo(object), type, reason, message: text, api: 'core' }))
  }

  push(action: CallAction): CallAction {
    this.actions.push(action)
    return action
  }

  /** All requests, with one patch for each changed part of an object. */
  flush(): readonly Action[] {
    const patches: Action[] = []
    for (const { resource, before, after } of this.changed.values()) {
      const main = difference(before as unknown as JsonObject, after as unknown as JsonObject, 'status')
      if (main !== undefined)
        patches.push(patchObject(this.ids, { resource, object: before, patch: { kind: 'merge', patch: main } }))
      const status = difference(statusOf(before), statusOf(after))
      if (status !== undefined) {
        const patch = { kind: 'merge' as const, patch: { status } }
        patches.push(patchObject(this.ids, { resource, object: before, patch, subresource: 'status' }))
      }
    }
    // Deletions come after changes of the same object, because a finalizer must be set first.
    return [...patches, ...this.actions]
  }
}

function statusOf(object: KubeObject): JsonObject {
  return ((object as { readonly status?: JsonObject }).status ?? {}) as JsonObject
}

/** The merge patch from one value to the other, without one field; undefined if the values are equal. */
function difference(before: JsonObject, after: JsonObject, except?: string): JsonObject | undefined {
  if (before === after) return undefined
  const patch: Record<string, Json> = {}
  for (const name of Object.keys(after)) {
    const value = after[name]
    const old = before[name]
    if (old === value || value === undefined || name === except) continue
    if (isObject(value) && isObject(old)) {
      const inner = difference(old, value)
      if (inner !== undefined) patch[name] = inner
    } else if (!deepEqual(old, value)) patch[name] = value
  }
  for (const name of Object.keys(before))
    if (after[name] === undefined && before[name] !== undefined && name !== except) patch[name] = null
  return Object.keys(patch).length === 0 ? undefined : patch
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
