import type { Call, Outcome } from '../../api/call.ts'
import { updateStatusCall } from '../../api/object-calls.ts'
import type { Namespace } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Answer, Ask, ChangeOf, Controller } from '../../runtime/controller.ts'
import {
  type AfterResults,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import { type ServedKind, ServedKinds } from '../served-kinds.ts'
import {
  decideConditions,
  estimateForPods,
  finalizedNamespace,
  type Remainder,
  remainderOf,
  troubles,
} from './decide-deletion.ts'

export interface NamespaceControllerOptions {
  /** The kinds that are currently served. */
  readonly kinds: () => readonly ServedKind[]
}

export const namespaceController = 'namespace-controller'

// v1.36, namespace controller: namespaceDeletionGracePeriod, and the maximum delay of nsControllerRateLimiter.
const graceMs = 5_000
const longestRetryMs = 60_000
const readTimeoutMs = 60_000

/**
 * One pass over a terminating namespace. Pods are deleted first, and listed again. When no pod is left, all other
 * objects are deleted. When nothing is left, the finalizer of the namespace is removed.
 */
interface DeletionPass {
  readonly namespace: string
  readonly kinds: readonly ServedKind[]
  /** Deletes the objects of these kinds, then lists what is left. */
  stage: 'delete' | 'look' | 'judge'
  target: readonly ServedKind[]
  readonly podGraceSeconds: number
  /** Resources that must be listed before they can be deleted one by one. */
  toEmpty: Map<string, readonly KubeObject[]>
  left: Map<string, readonly KubeObject[]>
  readonly errors: string[]
}

export function createNamespaceController(options: NamespaceControllerOptions): Controller {
  const state = new Namespaces(options)
  return createReconcilerController(
    {
      name: namespaceController,
      wakes: { namespaces: (change) => state.changed(change), pods: () => undefined },
      reconcile: (key, context) => state.reconcile(key, context),
      onResults: (key, results) => state.takeResults(key, results),
      onAnswers: (key, answers) => state.takeAnswers(key, answers),
    },
    { retries: { maxMs: longestRetryMs } },
  )
}

class Namespaces {
  private readonly options: NamespaceControllerOptions
  private readonly passes = new Map<string, DeletionPass>()
  private readonly touched = new Set<string>()
  private readonly nextPassAt = new Map<string, number>()
  private readonly asked = new Map<number, string>()

  constructor(options: NamespaceControllerOptions) {
    this.options = options
  }

  changed({ key, after }: ChangeOf<'namespaces'>): string {
    if (after?.metadata.deletionTimestamp !== undefined) this.touched.add(key)
    return key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, now } = context
    const namespace = view.get('namespaces', key)
    if (namespace?.metadata.deletionTimestamp === undefined || (namespace.spec?.finalizers ?? []).length === 0) {
      this.forget(key)
      return undefined
    }
    // Objects that are being created in the namespace get time to arrive.
    if (this.touched.delete(key)) {
      this.nextPassAt.set(key, Math.min(this.nextPassAt.get(key) ?? Number.POSITIVE_INFINITY, now + graceMs))
    }
    let pass = this.passes.get(key)
    if (pass === undefined) {
      const at = this.nextPassAt.get(key) ?? now
      if (at > now) return { wakeAt: at }
      this.nextPassAt.delete(key)
      pass = this.begin(namespace, context)
      this.passes.set(key, pass)
    }
    return this.goOn(key, namespace, pass, context)
  }

  takeResults(key: string, results: readonly KeyedResult[]): AfterResults | undefined {
    const pass = this.passes.get(key)
    if (pass === undefined || results.length === 0) return undefined
    for (const { outcome } of results) {
      if (!outcome.ok && outcome.status.reason !== 'NotFound') pass.errors.push(outcome.status.message ?? '')
    }
    pass.stage = 'look'
    return 'again'
  }

  takeAnswers(key: string, answers: readonly Answer[]): void {
    const pass = this.passes.get(key)
    if (pass === undefined) return
    for (const { id, outcome } of answers) {
      const resource = this.asked.get(id)
      this.asked.delete(id)
      if (resource === undefined) continue
      const listed = outcome.kind === 'ok' ? (outcome.value as Outcome) : undefined
      if (listed?.ok === true && listed.kind === 'list') {
        if (pass.stage === 'look') pass.left.set(resource, listed.items)
        else pass.toEmpty.set(resource, listed.items)
      } else pass.errors.push(listed?.ok === false ? (listed.status.message ?? '') : `${resource} could not be listed`)
    }
    if (pass.stage === 'look') pass.stage = 'judge'
  }

  private begin(namespace: Namespace, { view, wall }: ReconcileContext): DeletionPass {
    const { name } = namespace.metadata
    const kinds = new ServedKinds(this.options.kinds()).all.filter(
      ({ namespaced, verbs }) => namespaced && verbs.includes('delete'),
    )
    return {
      namespace: name,
      kinds,
      stage: 'delete',
      target: kinds.filter(({ resource }) => resource === 'pods'),
      podGraceSeconds: estimateForPods(namespace, view.list('pods', name), wall),
      toEmpty: new Map(),
      left: new Map(),
      errors: [],
    }
  }

  private goOn(key: string, namespace: Namespace, pass: DeletionPass, context: ReconcileContext): ReconcileResult {
    if (pass.stage === 'delete') {
      const unlisted = pass.target.filter((kind) => !canDeleteAll(kind) && !pass.toEmpty.has(kind.resource))
      if (unlisted.length > 0) return { asks: this.listAll(unlisted, pass.namespace, context) }
      const calls = pass.target.flatMap((kind) => deletions(kind, pass))
      if (calls.length > 0) return { actions: calls.map((call) => context.call(call)) }
      pass.stage = 'look'
    }
    if (pass.stage === 'look') {
      const listable = pass.target.filter(({ verbs }) => verbs.includes('list'))
      if (listable.length > 0) return { asks: this.listAll(listable, pass.namespace, context) }
      pass.stage = 'judge'
    }
    return this.judge(key, namespace, pass, context)
  }

  private judge(key: string, namespace: Namespace, pass: DeletionPass, context: ReconcileContext): ReconcileResult {
    const { now, wall } = context
    const isPods = pass.target.every(({ resource }) => resource === 'pods')
    const remainders = pass.target.map((kind) =>
      remainderOf(kind, pass.left.get(kind.resource) ?? [], pass.namespace, isPods ? pass.podGraceSeconds : 0),
    )
    const isLeft = remainders.some(({ count }) => count > 0)
    if (isPods && !isLeft && pass.errors.length === 0) {
      pass.stage = 'delete'
      pass.target = pass.kinds.filter(({ resource }) => resource !== 'pods')
      return this.goOn(key, namespace, pass, context)
    }
    this.passes.delete(key)
    const errors = [...pass.errors, ...remainders.flatMap(({ error }) => (error === undefined ? [] : [error]))]
    // While pods are left, upstream does not count the other objects.
    const found = troubles(errors, isPods ? [] : remainders)
    const status = this.statusCalls(namespace, found, wall)
    if (errors.length > 0) return { actions: status.map((call) => context.call(call)), retry: true }
    if (isLeft) {
      const at = now + waitMs(remainders)
      this.nextPassAt.set(key, at)
      return { actions: status.map((call) => context.call(call)), wakeAt: at }
    }
    const finalized = finalizedNamespace(namespace)
    const finalize: Call = {
      verb: 'update',
      resource: 'namespaces',
      name: namespace.metadata.name,
      subresource: 'finalize',
      // Sent after the status, whose new resourceVersion is unknown here. The uid identifies the namespace.
      object: status.length === 0 ? finalized : withoutVersion(finalized),
    }
    return { actions: [...status, finalize].map((call) => context.call(call)) }
  }

  private statusCalls(namespace: Namespace, found: ReturnType<typeof troubles>, now: number): readonly Call[] {
    const conditions = decideConditions(namespace, found, now)
    if (conditions === namespace.status?.conditions) return []
    const updated: Namespace = { ...namespace, status: { ...namespace.status, phase: 'Terminating', conditions } }
    return [updateStatusCall('namespaces', updated)]
  }

  private listAll(kinds: readonly ServedKind[], namespace: string, { ids, now }: ReconcileContext): readonly Ask[] {
    return kinds.map(({ resource }) => {
      const id = ids.next()
      this.asked.set(id, resource)
      const call = { verb: 'list', resource, namespace } as const
      return { id, deadlineAt: now + readTimeoutMs, request: { kind: 'read', call } }
    })
  }

  private forget(key: string): void {
    this.passes.delete(key)
    this.touched.delete(key)
    this.nextPassAt.delete(key)
  }
}

const canDeleteAll = ({ verbs }: ServedKind): boolean => verbs.includes('deletecollection')

function deletions(kind: ServedKind, { namespace, toEmpty }: DeletionPass): readonly Call[] {
  const { resource } = kind
  const options = { propagationPolicy: 'Background' } as const
  if (canDeleteAll(kind)) return [{ verb: 'deletecollection', resource, namespace, options }]
  return (toEmpty.get(resource) ?? []).map(({ metadata }) => ({
    verb: 'delete',
    resource,
    namespace,
    name: metadata.name,
    options,
  }))
}

/** Half of the longest estimate, plus one second. */
function waitMs(remainders: readonly Remainder[]): number {
  const seconds = Math.max(...remainders.map(({ estimateSeconds }) => estimateSeconds))
  return (Math.floor(seconds / 2) + 1) * 1000
}

function withoutVersion(namespace: Namespace): Namespace {
  const { resourceVersion: _, ...metadata } = namespace.metadata
  return { ...namespace, metadata }
}
