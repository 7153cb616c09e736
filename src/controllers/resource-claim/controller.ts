import type { GetCall, Outcome, PatchCall } from '../../api/call.ts'
import { createCall, deleteCall, updateCall, updateStatusCall } from '../../api/object-calls.ts'
import { objectKey, splitKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/objects/devices.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { claimNameOf, claimNameOfGroup, podClaimAnnotation } from '../../api/pod-claims.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import type { Answer, Ask, ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import {
  type AfterResults,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
  type Reconciler,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { ClaimMetrics } from './claim-metrics.ts'
import { ClaimUsers } from './claim-users.ts'
import { CreatedClaims } from './created-claims.ts'
import {
  type Consumer,
  type ConsumerWorld,
  decideClaim,
  judgeReservations,
  leavesFinalizer,
  ownerState,
  withoutFinalizer,
} from './decide-claim.ts'
import {
  type ClaimGates,
  type ClaimStep,
  type ClaimWorld,
  decideGroup,
  decidePod,
  groupNeedsWork,
  podNeedsWork,
  releasesClaims,
} from './decide-pod.ts'

export interface ResourceClaimOptions {
  readonly gates?: Partial<ClaimGates>
  /** The version of scheduling.k8s.io in owner references to groups. */
  readonly groupVersion?: string
  readonly metrics?: MetricRegistry
  /** The release that determines the names of the metrics. */
  readonly release?: KubernetesRelease
  /** A controller ran in this cluster before: pods that ended earlier have lost their claims permanently. */
  readonly resumed?: boolean
}

export const resourceClaim = 'resourceclaim-controller'

const claimResource = 'resourceclaims.resource.k8s.io'
const templateResource = 'resourceclaimtemplates.resource.k8s.io'
const groupResource = 'podgroups.scheduling.k8s.io'
const fieldManager = 'ResourceClaimController'
const defaultGates: ClaimGates = {
  adminAccess: true,
  prioritizedList: true,
  workloadClaims: false,
  blocksOwner: false,
  endsAtFirstClaim: false,
  ignoresTemplates: false,
  refusesOtherConsumers: false,
}
// v1.36, resourceclaim maxUIDCacheEntries.
const deletedObjects = 500
const askLimitMs = 30_000

/**
 * Creates the claims of pods from templates, removes the reservations of deleted pods, and deallocates claims that are
 * no longer used (v1.36, pkg/controller/resourceclaim). Keys are `pod:`, `podgroup:` or `claim:` and the key of the
 * object.
 */
export function createResourceClaimController(options: ResourceClaimOptions = {}): Controller {
  return createReconcilerController(new ResourceClaims(options))
}

class ResourceClaims implements Reconciler {
  readonly name = resourceClaim
  readonly wakes: Reconciler['wakes']
  private readonly gates: ClaimGates
  private readonly groupVersion: string
  private readonly users = new ClaimUsers()
  private readonly deleted = new LruMap<true>(deletedObjects)
  /** Events of failed creations, recorded with the next attempt. */
  private readonly failures = new Map<string, EventRecord>()
  /** Pods and groups whose claims were just recorded in their status. */
  private readonly recorded = new Set<string>()
  private readonly created = new CreatedClaims()
  private readonly isResumed: boolean
  /** Claims whose status was written, and whose finalizer is removed next. */
  private readonly finalizing = new Set<string>()
  /** The answers of the API server about consumers, by key and uid. */
  private readonly answers = new Map<string, Map<string, 'there' | 'gone'> | 'failed'>()
  private readonly asked = new Map<number, string>()
  private readonly metrics: ClaimMetrics
  private view: View | undefined

  constructor(options: ResourceClaimOptions) {
    const { gates, groupVersion, metrics = new MetricRegistry(), release = defaultRelease, resumed = false } = options
    this.isResumed = resumed
    this.gates = { ...defaultGates, ...gates }
    this.groupVersion = `scheduling.k8s.io/${groupVersion ?? 'v1alpha2'}`
    this.wakes = {
      pods: (change, view) => this.podChanged(change, view),
      [claimResource]: (change: ChangeOf<typeof claimResource>, view: View) => this.claimChanged(change, view),
      [templateResource]: (change: ChangeOf<typeof templateResource>, view: View) => this.templateChanged(change, view),
      ...(this.gates.workloadClaims
        ? { [groupResource]: (change: ChangeOf<typeof groupResource>, view: View) => this.groupChanged(change, view) }
        : {}),
    }
    this.metrics = new ClaimMetrics(metrics, release, () => this.view?.list(claimResource) ?? [])
  }

  private podChanged(change: ChangeOf<'pods'>, view: View): readonly string[] | undefined {
    this.view = view
    const pod = change.after ?? change.before
    if (pod === undefined || !hasClaims(pod)) return undefined
    this.users.notePod(change)
    const isDeleted = change.after === undefined
    if (isDeleted && pod.metadata.uid !== undefined) this.deleted.set(pod.metadata.uid, true)
    const isOld = this.isResumed && change.before === undefined && releasesClaims(pod, false)
    return isOld ? [] : this.keysOfPod(change.key, pod, isDeleted, view)
  }

  /** v1.36, enqueuePod. */
  private keysOfPod(key: string, pod: Pod, isDeleted: boolean, view: View): readonly string[] {
    if (!hasClaims(pod)) return []
    const keys: string[] = []
    if (releasesClaims(pod, isDeleted)) {
      const { namespace } = pod.metadata
      for (const entry of pod.spec.resourceClaims ?? []) {
        const named = claimNameOf(pod, entry)
        if (named.kind === 'named') keys.push(`claim:${objectKey(namespace, named.name)}`)
      }
      const extended = pod.status?.extendedResourceClaimStatus
      if (extended !== undefined) keys.push(`claim:${objectKey(namespace, extended.resourceClaimName)}`)
    }
    if (podNeedsWork(pod, this.world(view, 0))) keys.push(`pod:${key}`)
    return keys
  }

  private podKeys(keys: Iterable<string>, view: View): readonly string[] {
    return [...keys].flatMap((key) => {
      const pod = view.get('pods', key)
      return pod === undefined ? [] : this.keysOfPod(key, pod, false, view)
    })
  }

  /** v1.36, enqueueResourceClaim. */
  private claimChanged({ key, after }: ChangeOf<typeof claimResource>, view: View): readonly string[] {
    this.view = view
    return [
      ...(after === undefined ? [] : [`claim:${key}`]),
      ...this.podKeys(this.users.podsOfClaim(key), view),
      ...this.groupKeys(this.users.groupsOfClaim(key), view),
    ]
  }

  private templateChanged(
    { key, after }: ChangeOf<typeof templateResource>,
    view: View,
  ): readonly string[] | undefined {
    if (after === undefined || this.gates.ignoresTemplates) return undefined
    return [
      ...this.podKeys(this.users.podsOfTemplate(key), view),
      ...this.groupKeys(this.users.groupsOfTemplate(key), view),
    ]
  }

  private groupChanged(change: ChangeOf<typeof groupResource>, view: View): readonly string[] | undefined {
    const group = change.after ?? change.before
    if (group === undefined || (group.spec.resourceClaims?.length ?? 0) === 0) return undefined
    this.users.noteGroup(change)
    const isDeleted = change.after === undefined
    if (isDeleted && group.metadata.uid !== undefined) this.deleted.set(group.metadata.uid, true)
    return this.keysOfGroup(change.key, group, isDeleted, view)
  }

  private groupKeys(keys: Iterable<string>, view: View): readonly string[] {
    return [...keys].flatMap((key) => {
      const group = view.get(groupResource, key)
      return group === undefined ? [] : this.keysOfGroup(key, group, false, view)
    })
  }

  /** v1.36, enqueuePodGroup. */
  private keysOfGroup(key: string, group: PodGroup, isDeleted: boolean, view: View): readonly string[] {
    const keys: string[] = []
    if (isDeleted) {
      for (const entry of group.spec.resourceClaims ?? []) {
        const named = claimNameOfGroup(group, entry)
        if (named.kind === 'named') keys.push(`claim:${objectKey(group.metadata.namespace, named.name)}`)
      }
    }
    if (groupNeedsWork(group, this.world(view, 0))) keys.push(`podgroup:${key}`)
    keys.push(...this.podKeys(this.users.podsOfGroup(key), view))
    return keys
  }

  private world(view: View, now: number): ClaimWorld {
    return {
      claim: (key): ResourceClaim | undefined => view.get(claimResource, key),
      template: (key): ResourceClaimTemplate | undefined => view.get(templateResource, key),
      group: (key): PodGroup | undefined => (this.gates.workloadClaims ? view.get(groupResource, key) : undefined),
      claimsOwnedBy: (uid): readonly ResourceClaim[] => {
        const present = view.controlledBy(claimResource, uid)
        return [...present, ...this.created.missing(uid, present, now)]
      },
      gates: this.gates,
    }
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const colon = key.indexOf(':')
    const object = key.slice(colon + 1)
    const { view } = context
    switch (key.slice(0, colon)) {
      case 'pod': {
        const pod = view.get('pods', object)
        return pod === undefined
          ? this.forget(key)
          : this.carryOut(
              key,
              pod,
              podKind,
              decidePod(pod, this.world(view, context.now), this.recorded.delete(key)),
              context,
            )
      }
      case 'podgroup': {
        const group = view.get(groupResource, object)
        return group === undefined
          ? this.forget(key)
          : this.carryOut(
              key,
              group,
              this.groupKind(),
              decideGroup(group, this.world(view, context.now), this.groupVersion, this.recorded.delete(key)),
              context,
            )
      }
      default:
        return this.syncClaim(key, object, context)
    }
  }

  private groupKind(): OwnerKind {
    return { apiVersion: this.groupVersion, kind: 'PodGroup', resource: groupResource, entry: 'PodGroupResourceClaim' }
  }

  private forget(key: string): undefined {
    this.failures.delete(key)
    this.recorded.delete(key)
    return undefined
  }

  private carryOut(
    key: string,
    object: KubeObject,
    kind: OwnerKind,
    step: ClaimStep,
    { call }: ReconcileContext,
  ): ReconcileResult {
    const failure = this.failures.get(key)
    this.failures.delete(key)
    const events = failure === undefined ? [] : [failure]
    switch (step.kind) {
      case 'nothing':
        return { events }
      case 'create':
        return { actions: [call(createCall(claimResource, step.claim))], events }
      case 'fail':
        if (step.entry !== undefined) events.push(creationFailed(object, kind, step.entry, step.message))
        return { events, retry: true }
      case 'record':
        return { actions: [call(recordCall(object, kind, step.statuses))], events }
      case 'reserve':
        return { actions: [call(updateStatusCall(claimResource, step.claim))], events }
    }
  }

  /** v1.36, syncClaim. */
  private syncClaim(
    key: string,
    object: string,
    { view, call, ids, now }: ReconcileContext,
  ): ReconcileResult | undefined {
    const claim = view.get(claimResource, object)
    const answers = this.answers.get(key)
    this.answers.delete(key)
    const finalizes = this.finalizing.delete(key)
    if (claim === undefined) return undefined
    if (finalizes && leavesFinalizer(claim))
      return { actions: [call(updateCall(claimResource, withoutFinalizer(claim)))] }
    if (answers === 'failed') return { retry: true }
    const { namespace } = claim.metadata
    const podOf = (name: string): Pod | undefined => view.get('pods', objectKey(namespace, name))
    const world: ConsumerWorld = {
      isDeleted: (uid) => this.deleted.get(uid) === true,
      pod: podOf,
      group: (name): PodGroup | undefined => view.get(groupResource, objectKey(namespace, name)),
      answer: ({ uid }) => answers?.get(uid),
      workloadClaims: this.gates.workloadClaims,
      refusesOtherConsumers: this.gates.refusesOtherConsumers,
    }
    const verdict = judgeReservations(claim, world)
    if (verdict.kind === 'unsupported') return { retry: true }
    if (verdict.kind === 'ask') {
      return { asks: verdict.consumers.map((one) => this.ask(ids.next(), now, namespace ?? '', one)) }
    }
    const next = decideClaim(claim, verdict.consumers, ownerState(claim, podOf))
    switch (next.kind) {
      case 'nothing':
        return undefined
      case 'status':
        return { actions: [call(updateStatusCall(claimResource, next.claim))] }
      case 'finalizer':
        return { actions: [call(updateCall(claimResource, next.claim))] }
      case 'delete':
        return { actions: [call(deleteCall(claimResource, claim))] }
    }
  }

  private ask(id: number, now: number, namespace: string, { resource, name, uid }: Consumer): Ask {
    const call: GetCall = { verb: 'get', resource: resource === 'pods' ? 'pods' : groupResource, namespace, name }
    this.asked.set(id, uid)
    return { id, deadlineAt: now + askLimitMs, request: { kind: 'read', call } }
  }

  onAnswers(key: string, answers: readonly Answer[]): void {
    const known = new Map<string, 'there' | 'gone'>()
    let failed = false
    for (const { id, outcome } of answers) {
      const uid = this.asked.get(id)
      this.asked.delete(id)
      const answer = outcome.kind === 'ok' ? (outcome.value as Outcome) : undefined
      if (uid === undefined) continue
      if (answer?.ok === true && answer.kind === 'object') {
        known.set(uid, answer.object.metadata.uid === uid ? 'there' : 'gone')
      } else if (answer?.ok === false && answer.status.reason === 'NotFound') known.set(uid, 'gone')
      else failed = true
    }
    this.answers.set(key, failed ? 'failed' : known)
  }

  onResults(key: string, results: readonly KeyedResult[], { view, now }: ReconcileContext): AfterResults | undefined {
    const [result] = results
    if (result === undefined) return undefined
    const { call, outcome } = result
    if (call.verb === 'create') this.noteCreation(key, result, view)
    if (!outcome.ok) return undefined
    if (call.verb === 'create' && outcome.kind === 'object') this.created.add(outcome.object as ResourceClaim, now)
    if (call.verb === 'patch') this.recorded.add(key)
    const isStatus = call.verb === 'update' && call.subresource === 'status'
    if (isStatus && key.startsWith('claim:') && outcome.kind === 'object') {
      if (leavesFinalizer(outcome.object as ResourceClaim)) this.finalizing.add(key)
    }
    return call.verb === 'delete' ? undefined : 'again'
  }

  private noteCreation(key: string, { call, outcome }: KeyedResult, view: View): void {
    if (call.verb !== 'create') return
    const claim = call.object as ResourceClaim
    this.metrics.created(claim, outcome.ok)
    if (outcome.ok) return
    const isPod = key.startsWith('pod:')
    const object = isPod ? view.get('pods', key.slice(4)) : view.get(groupResource, key.slice('podgroup:'.length))
    const entry = claim.metadata.annotations?.[podClaimAnnotation] ?? ''
    if (object === undefined) return
    const kind = isPod ? podKind : this.groupKind()
    // The name in upstream's message is empty, because the server generates it.
    this.failures.set(
      key,
      creationFailed(object, kind, entry, `create ResourceClaim : ${outcome.status.message ?? ''}`),
    )
  }
}

interface OwnerKind {
  readonly apiVersion: string
  readonly kind: string
  readonly resource: 'pods' | typeof groupResource
  /** The name of an entry of `spec.resourceClaims` in events. */
  readonly entry: string
}

const podKind: OwnerKind = { apiVersion: 'v1', kind: 'Pod', resource: 'pods', entry: 'PodResourceClaim' }

function hasClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims?.length ?? 0) > 0 || status?.extendedResourceClaimStatus !== undefined
}

function creationFailed(object: KubeObject, kind: OwnerKind, entry: string, message: string): EventRecord {
  return {
    regarding: referenceTo(object, kind),
    api: 'core',
    type: 'Warning',
    reason: 'FailedResourceClaimCreation',
    message: `${kind.entry} ${entry}: ${message}`,
    component: 'resource_claim',
  }
}

/** Server-side applies the names of the generated claims. */
function recordCall(object: KubeObject, kind: OwnerKind, statuses: readonly object[]): PatchCall {
  const { name, namespace = '' } = object.metadata
  const applied = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace },
    status: { resourceClaimStatuses: statuses },
  }
  return {
    verb: 'patch',
    resource: kind.resource,
    ...splitKey(objectKey(namespace, name)),
    subresource: 'status',
    fieldManager: fieldManager,
    patch: { kind: 'apply', object: applied as unknown as JsonObject, force: true },
  }
}
