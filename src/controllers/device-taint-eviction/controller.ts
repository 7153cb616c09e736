import type { PatchCall } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { keyOf, objectKey, splitKey } from '../../api/object-key.ts'
import type { DeviceTaintRule, ResourceClaim } from '../../api/objects/devices.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import {
  claimNameOf,
  foreignToPod,
  groupNameOf,
  isGroupReference,
  isPodReference,
  isReservedForPod,
} from '../../api/pod-claims.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { type Counter, type Histogram, MetricRegistry } from '../../base/metrics.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
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
import { disruptionTargetPatch } from '../disruption-target.ts'
import { evictionMeters } from '../eviction-meters.ts'
import {
  causeText,
  claimEviction,
  combined,
  type DeviceEviction,
  sameEviction,
  selectsDevice,
} from './decide-eviction.ts'
import { DevicePools, poolId } from './device-pools.ts'
import { evictionInProgress, isSameCondition, type RuleCounts, ruleCondition } from './rule-condition.ts'

export interface DeviceTaintEvictionOptions {
  /** The gate DRADeviceTaintRules. */
  readonly hasRules?: boolean
  /** The gate DRAWorkloadResourceClaims. */
  readonly workloadClaims?: boolean
  readonly metrics?: MetricRegistry
}

export const deviceTaintEvictionName = 'device-taint-eviction-controller'

/** A pod that device taints will evict, for `berth evictions` and `/debug`. */
export interface PendingDeviceEviction {
  readonly pod: string
  readonly node: string
  readonly stage: 'counting' | 'deleting'
  readonly fireAt: number
  readonly cause: string
  readonly failures: number
}

const claimsResource = 'resourceclaims.resource.k8s.io'
const slicesResource = 'resourceslices.resource.k8s.io'
const rulesResource = 'devicetaintrules.resource.k8s.io'
// v1.36, devicetainteviction ruleStatusPeriod and maxUIDCacheEntries.
const ruleStatusMs = 10_000
const maxEvictedPods = 500

/** Evicts the pods that use tainted devices (v1.36, pkg/controller/devicetainteviction). Keys: `pod:…`, `rule:…`. */
export function createDeviceTaintEviction(options: DeviceTaintEvictionOptions = {}): Controller {
  return createReconcilerController(new DeviceTaintEviction(options))
}

interface AllocatedClaim {
  readonly claim: ResourceClaim
  readonly eviction: DeviceEviction | undefined
}

interface PendingPod {
  readonly uid: string
  readonly eviction: DeviceEviction
  isMarked: boolean
}

class DeviceTaintEviction implements Reconciler {
  readonly name = deviceTaintEvictionName
  readonly wakes: Reconciler['wakes']
  private readonly workloadClaims: boolean
  private readonly pools = new DevicePools()
  private readonly claims = new Map<string, AllocatedClaim>()
  private readonly rules = new Map<string, DeviceTaintRule>()
  private readonly pending = new Map<string, PendingPod>()
  private readonly evicted = new LruMap<true>(maxEvictedPods)
  private readonly evictedBy = new Map<string, number>()
  private readonly ruleDue = new Set<string>()
  private canceled: string[] = []
  private readonly deletions: Counter
  private readonly latency: Histogram
  private view: View | undefined
  /** Wall time minus monotonic time, as of the last reconciliation. */
  private offset = 0

  constructor({ hasRules, workloadClaims = false, metrics = new MetricRegistry() }: DeviceTaintEvictionOptions) {
    this.workloadClaims = workloadClaims
    this.wakes = {
      [slicesResource]: (change: ChangeOf<typeof slicesResource>, view: View) => this.sliceChanged(change, view),
      ...(hasRules === true
        ? { [rulesResource]: (change: ChangeOf<typeof rulesResource>, view: View) => this.ruleChanged(change, view) }
        : {}),
      [claimsResource]: (change: ChangeOf<typeof claimsResource>, view: View) => this.claimChanged(change, view),
      pods: (change, view) => this.podChanged(change, view),
    }
    const meters = evictionMeters(metrics, {
      prefix: 'device_taint_eviction_controller',
      controller: 'DeviceTaintEvictionController',
      interval:
        "between the time when a device taint effect has been activated and a Pod's deletion via DeviceTaintEvictionController",
    })
    this.deletions = meters.deletions
    this.latency = meters.latency
  }

  inspect(): readonly PendingDeviceEviction[] {
    return [...this.pending]
      .map(([key, { eviction, isMarked }]) => ({
        pod: key,
        node: this.view?.get('pods', key)?.spec.nodeName ?? '',
        stage: isMarked ? ('deleting' as const) : ('counting' as const),
        fireAt: eviction.at - this.offset,
        cause: eviction.causes.map(causeText).join(', '),
        failures: 0,
      }))
      .sort((a, b) => a.fireAt - b.fireAt || (a.pod < b.pod ? -1 : 1))
  }

  private sliceChanged({ before, after }: ChangeOf<typeof slicesResource>, view: View): readonly string[] {
    this.view = view
    const { pool, devices } = this.pools.note(before, after)
    return devices.size === 0
      ? []
      : this.reassess(view, ({ status }) =>
          (status?.allocation?.devices?.results ?? []).some(
            (result) => poolId(result.driver, result.pool) === pool && devices.has(result.device),
          ),
        )
  }

  private ruleChanged({ before, after }: ChangeOf<typeof rulesResource>, view: View): readonly string[] {
    const name = (after ?? before)?.metadata.name as string
    if (after === undefined) {
      this.rules.delete(name)
      this.evictedBy.delete(before?.metadata.uid ?? '')
    } else this.rules.set(name, after)
    const isSame = before?.metadata.uid === after?.metadata.uid && semanticEqual(before?.spec, after?.spec)
    if (isSame) return []
    return [...(after === undefined ? [] : [`rule:${name}`]), ...this.reassess(view, () => true)]
  }

  /** Recomputes the evictions of allocated claims. Returns the pods for which they changed. */
  private reassess(view: View, concerns: (claim: ResourceClaim) => boolean): readonly string[] {
    const keys: string[] = []
    for (const [key, { claim, eviction }] of this.claims) {
      if (!concerns(claim)) continue
      const next = claimEviction(claim, this.pools, this.rules.values())
      if (sameEviction(eviction, next)) continue
      this.claims.set(key, { claim, eviction: next })
      keys.push(...this.podsOf(claim, view))
    }
    return keys
  }

  private claimChanged({ key, before, after }: ChangeOf<typeof claimsResource>, view: View): readonly string[] {
    this.view = view
    const isAllocated = after?.status?.allocation !== undefined
    const wasAllocated = this.claims.has(key)
    if (!isAllocated) {
      this.claims.delete(key)
      return wasAllocated ? this.both(before, after, view) : []
    }
    const known = before?.metadata.uid === after.metadata.uid ? this.claims.get(key) : undefined
    const eviction = known === undefined ? claimEviction(after, this.pools, this.rules.values()) : known.eviction
    this.claims.set(key, { claim: after, eviction })
    return this.both(before, after, view)
  }

  private both(before: ResourceClaim | undefined, after: ResourceClaim | undefined, view: View): readonly string[] {
    const keys = new Set([...this.podsOf(before, view), ...this.podsOf(after, view)])
    return [...keys]
  }

  /** v1.36, handlePods. Returns the pods to work on. */
  private podsOf(claim: ResourceClaim | undefined, view: View): readonly string[] {
    const namespace = claim?.metadata.namespace
    const keys: string[] = []
    for (const consumer of claim?.status?.reservedFor ?? []) {
      if (isPodReference(consumer)) {
        const pod = view.get('pods', objectKey(namespace, consumer.name))
        if (pod?.metadata.uid === consumer.uid) keys.push(...this.assess(pod))
      } else if (this.workloadClaims && isGroupReference(consumer)) {
        const members = view.list('pods', namespace).filter((pod) => groupNameOf(pod) === consumer.name)
        for (const pod of members) keys.push(...this.assess(pod))
      }
    }
    return keys
  }

  private podChanged({ key, before, after }: ChangeOf<'pods'>, view: View): readonly string[] {
    this.view = view
    if (after === undefined) {
      this.pending.delete(key)
      return []
    }
    if ((after.spec.resourceClaims?.length ?? 0) === 0) return []
    const isSame =
      before?.metadata.uid === after.metadata.uid &&
      before?.spec.nodeName === after.spec.nodeName &&
      semanticEqual(before?.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)
    return isSame ? [] : this.assess(after)
  }

  /** Starts, changes or cancels the countdown of a pod (v1.36, handlePod). */
  private assess(pod: Pod): readonly string[] {
    const key = keyOf(pod)
    const eviction = this.evictionOf(pod)
    if (eviction === undefined) {
      if (!this.pending.delete(key)) return []
      this.canceled.push(key)
      return [`pod:${key}`]
    }
    const { uid = '' } = pod.metadata
    this.pending.set(key, { uid, eviction, isMarked: false })
    return [`pod:${key}`, ...this.ruleKeys(eviction)]
  }

  private ruleKeys({ causes }: DeviceEviction): readonly string[] {
    const names = causes.flatMap(({ rule }) => (rule === undefined ? [] : [rule]))
    for (const name of names) this.ruleDue.add(name)
    return names.map((name) => `rule:${name}`)
  }

  /** v1.36, podEvictionTime. */
  private evictionOf(pod: Pod): DeviceEviction | undefined {
    if ((pod.spec.nodeName ?? '') === '') return undefined
    const evictions = (pod.spec.resourceClaims ?? []).flatMap((entry) => {
      const named = claimNameOf(pod, entry)
      if (named.kind !== 'named') return []
      const found = this.claims.get(objectKey(pod.metadata.namespace, named.name))
      if (found?.eviction === undefined) return []
      if (named.isGenerated && foreignToPod(pod, found.claim, this.workloadClaims) !== undefined) return []
      return isReservedForPod(pod, found.claim, this.workloadClaims) ? [found.eviction] : []
    })
    return combined(evictions)
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    this.offset = context.wall - context.now
    const events = this.canceled.map((pod) => podEvent(pod, this.view?.get('pods', pod), 'Cancelling deletion'))
    this.canceled = []
    const name = key.slice(key.indexOf(':') + 1)
    const result = key.startsWith('pod:') ? this.evict(name, context) : this.reportRule(name, context)
    return events.length === 0 ? result : { ...result, events: [...events, ...(result?.events ?? [])] }
  }

  /** v1.36, maybeDeletePod: marks the pod, then deletes it. */
  private evict(key: string, { view, call, now, wall }: ReconcileContext): ReconcileResult | undefined {
    const pending = this.pending.get(key)
    if (pending === undefined || this.evicted.get(pending.uid) === true) return undefined
    const wakeAt = now + pending.eviction.at - wall
    if (wakeAt > now) return { wakeAt }
    const pod = view.get('pods', key)
    if (pod === undefined || pod.metadata.uid !== pending.uid || pod.metadata.deletionTimestamp !== undefined) {
      this.finish(key, pending)
      return undefined
    }
    const mark = pending.isMarked ? undefined : disruptionTargetPatch(pod, deviceTaintManager, wall)
    const events = pending.isMarked ? [] : [podEvent(key, pod, 'Marking for deletion')]
    pending.isMarked = true
    if (mark !== undefined) return { actions: [call(mark)], events }
    const options = { preconditions: { uid: pending.uid } }
    return { actions: [call({ verb: 'delete', resource: 'pods', ...splitKey(key), options })], events }
  }

  private finish(key: string, { uid }: PendingPod): void {
    this.pending.delete(key)
    this.evicted.set(uid, true)
  }

  onResults(key: string, results: readonly KeyedResult[], { wall }: ReconcileContext): AfterResults | undefined {
    const [result] = results
    const pod = key.startsWith('pod:') ? key.slice('pod:'.length) : undefined
    const pending = pod === undefined ? undefined : this.pending.get(pod)
    if (result === undefined || pod === undefined || pending === undefined) return undefined
    const { call, outcome } = result
    if (!outcome.ok && outcome.status.reason !== 'NotFound') {
      pending.isMarked = false
      return 'retry'
    }
    if (call.verb === 'patch' && outcome.ok) return 'again'
    this.finish(pod, pending)
    if (!outcome.ok) return 'done'
    this.deletions.inc()
    this.latency.observe((wall - pending.eviction.at) / 1000)
    for (const name of this.ruleKeys(pending.eviction)) {
      const uid = this.rules.get(name.slice('rule:'.length))?.metadata.uid ?? ''
      this.evictedBy.set(uid, (this.evictedBy.get(uid) ?? 0) + 1)
    }
    return 'done'
  }

  /** The condition of a rule, at most every 10 seconds (v1.36, maybeUpdateRuleStatus). */
  private reportRule(name: string, { view, call, now, wall }: ReconcileContext): ReconcileResult | undefined {
    const rule = view.get(rulesResource, name)
    if (rule === undefined) return undefined
    const existing = rule.status?.conditions?.find(({ type }) => type === evictionInProgress)
    const since = wall - (parseTime(existing?.lastTransitionTime) ?? 0)
    if (existing?.observedGeneration === rule.metadata.generation && since < ruleStatusMs) {
      return { wakeAt: now + ruleStatusMs - since }
    }
    const condition = ruleCondition(rule, this.countsOf(rule, view))
    // The next update reports pods that were evicted since.
    const again = this.ruleDue.delete(name) ? { wakeAt: now + ruleStatusMs } : {}
    if (isSameCondition(existing, condition)) return again
    return { ...again, actions: [call(conditionCall(rule, { ...condition, lastTransitionTime: formatTime(wall) }))] }
  }

  private countsOf(rule: DeviceTaintRule, view: View): RuleCounts {
    const isNone = rule.spec.taint.effect === 'None'
    const asEvicting: DeviceTaintRule = {
      ...rule,
      spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: 'NoExecute' } },
    }
    const affected = [...this.claims.values()].filter(({ claim, eviction }) => {
      const found = isNone ? claimEviction(claim, this.pools, [asEvicting]) : eviction
      return found?.causes.some(({ rule: by }) => by === rule.metadata.name) ?? false
    })
    const pods = new Map<string, Pod>()
    for (const { claim } of affected) {
      for (const { name, uid } of (claim.status?.reservedFor ?? []).filter(isPodReference)) {
        const pod = view.get('pods', objectKey(claim.metadata.namespace, name))
        const counts = pod?.metadata.uid === uid && pod?.metadata.deletionTimestamp === undefined
        if (pod !== undefined && counts && (pod.spec.nodeName ?? '') !== '') pods.set(uid, pod)
      }
    }
    const selected = (results: Iterable<{ driver: string; pool: string; device: string }>): number =>
      [...results].filter((device) => selectsDevice(rule, device)).length
    const allocated = [...this.claims.values()].flatMap(({ claim }) => claim.status?.allocation?.devices?.results ?? [])
    return {
      pendingPods: pods.size,
      pendingNamespaces: new Set([...pods.values()].map(({ metadata }) => metadata.namespace)).size,
      publishedDevices: isNone ? selected(this.pools.all()) : 0,
      allocatedDevices: isNone ? selected(allocated) : 0,
      evictedPods: this.evictedBy.get(rule.metadata.uid ?? '') ?? 0,
    }
  }
}

function podEvent(key: string, pod: Pod | undefined, message: string): EventRecord {
  const uid = pod?.metadata.uid
  return {
    regarding: { apiVersion: 'v1', kind: 'Pod', ...splitKey(key), ...(uid === undefined ? {} : { uid }) },
    api: 'core',
    type: 'Normal',
    reason: 'DeviceTaintManagerEviction',
    message,
  }
}

const deviceTaintManager = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
}

function conditionCall({ apiVersion, metadata }: DeviceTaintRule, condition: object): PatchCall {
  const { name, uid } = metadata
  const object = {
    // The version of the rule: v1beta2 in v1.36, v1 in v1.37.
    apiVersion,
    kind: 'DeviceTaintRule',
    metadata: { name, ...(uid === undefined ? {} : { uid }) },
    status: { conditions: [condition] },
  }
  return {
    verb: 'patch',
    resource: rulesResource,
    name,
    subresource: 'status',
    fieldManager: deviceTaintEvictionName,
    patch: { kind: 'apply', object: object as unknown as JsonObject, force: true },
  }
}
