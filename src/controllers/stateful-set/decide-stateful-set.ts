import { isPodReady, isPodTerminal } from '../../api/conditions.ts'
import { createCall, deleteCall, updateCall } from '../../api/object-calls.ts'
import type { Pod, PodTemplateSpec } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { EventNote } from '../event-note.ts'
import type { PlannedCall } from '../pending-notes.ts'
import { isPodAvailable } from '../pod-activity.ts'
import { scaledValue } from '../scaled-value.ts'
import { hasUnexpectedController, isStaleClaim, ownedClaim } from './claim-retention.ts'
import {
  claimsFor,
  identifiedPod,
  isInRange,
  parentAndOrdinal,
  podOf,
  replicasOf,
  revisionNameOf,
  startOrdinal,
} from './identity.ts'

export interface Revision {
  readonly name: string
  readonly template: PodTemplateSpec
}

export interface StatefulSetInput {
  readonly set: StatefulSet
  /** The pods that the set controls. */
  readonly pods: readonly Pod[]
  readonly claimOf: (name: string) => PersistentVolumeClaim | undefined
  readonly current: Revision
  readonly update: Revision
  /** The maximum number of pods to create at once with policy Parallel. */
  readonly batch: number
  readonly now: number
  readonly rules: StatefulSetRules
}

/** The rules that differ between releases. */
export interface StatefulSetRules {
  /** Several pods may be updated at once (MaxUnavailableStatefulSet). */
  readonly honorsMaxUnavailable: boolean
  readonly replacesUnavailable: boolean
  readonly capitalizesEvents: boolean
  readonly completesOnDelete: boolean
  /** The strategy Recreate replaces all pods at once (StatefulSetRecreateStrategy). */
  readonly recreates: boolean
}

export function statefulSetRules({ gates, changes }: KubernetesRelease): StatefulSetRules {
  return {
    honorsMaxUnavailable: gates.has('MaxUnavailableStatefulSet'),
    replacesUnavailable: changes.has('ParallelReplacesUnavailable'),
    capitalizesEvents: changes.has('CapitalizedSetEvents'),
    completesOnDelete: changes.has('OnDeleteCompletes'),
    recreates: gates.has('StatefulSetRecreateStrategy'),
  }
}

export interface StatefulSetDecision {
  readonly planned: readonly PlannedCall[]
  readonly notes: readonly EventNote[]
  /** The set waits for a state that no watch reports, so it is retried later. */
  readonly retry: boolean
  /** Pods that are deleted for an update no longer count as current. */
  readonly leavingCurrent: number
  /** The message of the condition Progressing about an update with the strategy Recreate. */
  readonly progress: string | undefined
  /** The set cannot be processed, and the status is not written. */
  readonly isRefused: boolean
}

/** An ordinal, and its pod if it exists. */
interface OrdinalSlot {
  readonly ordinal: number
  readonly pod: Pod | undefined
}

/** Decides the next actions for a StatefulSet (v1.37, statefulset updateStatefulSet). */
export function decideStatefulSet(input: StatefulSetInput): StatefulSetDecision {
  const plan = new StatefulSetPlan(input)
  if (input.set.metadata.deletionTimestamp === undefined) plan.make()
  return plan
}

class StatefulSetPlan implements StatefulSetDecision {
  readonly planned: PlannedCall[] = []
  readonly notes: EventNote[] = []
  retry = false
  leavingCurrent = 0
  progress: string | undefined
  isRefused = false
  private readonly input: StatefulSetInput
  private readonly isOrdered: boolean
  private created = 0

  constructor(input: StatefulSetInput) {
    this.input = input
    this.isOrdered = input.set.spec?.podManagementPolicy !== 'Parallel'
  }

  make(): void {
    const { set } = this.input
    const { type } = set.spec?.updateStrategy ?? {}
    const { places, condemned } = this.arrange()
    if (type === 'Recreate' && this.recreate([...places, ...condemned]) === 'stop') return
    for (const place of places) if (this.processPlace(place) === 'stop') return
    for (const { pod, ordinal } of condemned) this.fixClaims(pod, ordinal)
    const waitingFor = this.firstUnavailable(places, condemned)
    for (const { pod } of condemned) if (this.processCondemned(pod, waitingFor) === 'stop') return
    if (type === 'OnDelete' || type === 'Recreate') return
    if (this.input.rules.honorsMaxUnavailable) this.rollSeveral(places)
    else this.roll(places)
  }

  private arrange() {
    const { set, pods } = this.input
    const start = startOrdinal(set)
    const byOrdinal = new Map<number, Pod>()
    const condemned: { readonly pod: Pod; readonly ordinal: number }[] = []
    for (const pod of pods) {
      const ordinal = parentAndOrdinal(pod.metadata.name)?.ordinal
      if (ordinal === undefined) continue
      if (isInRange(set, ordinal)) byOrdinal.set(ordinal, pod)
      else condemned.push({ pod, ordinal })
    }
    const places: OrdinalSlot[] = []
    for (let i = 0; i < replicasOf(set); i++) places.push({ ordinal: start + i, pod: byOrdinal.get(start + i) })
    condemned.sort((a, b) => b.ordinal - a.ordinal)
    return { places, condemned }
  }

  /**
   * Pods of other revisions are deleted together, and no pod is created before they are deleted (v1.37,
   * recreateDeleteAndWait).
   */
  private recreate(slots: readonly { readonly pod: Pod | undefined }[]): 'stop' | 'go on' {
    const { set, current, update, rules } = this.input
    if (!rules.recreates) {
      const { namespace = '', name } = set.metadata
      const message = `statefulset ${namespace}/${name} uses Recreate strategy but feature gate StatefulSetRecreateStrategy is disabled`
      this.notes.push({ type: 'Warning', reason: 'UnknownStrategy', message })
      this.retry = true
      this.isRefused = true
      return 'stop'
    }
    const old = slots.flatMap(({ pod }) => (pod !== undefined && revisionNameOf(pod) !== update.name ? [pod] : []))
    for (const pod of old) if (pod.metadata.deletionTimestamp === undefined) this.delete(pod)
    if (old.length > 0) this.progress = 'Deleting old revision pods'
    else if (current.name !== update.name) this.progress = 'Waiting for new-revision pods to be created'
    return old.length > 0 ? 'stop' : 'go on'
  }

  private firstUnavailable(
    places: readonly OrdinalSlot[],
    condemned: readonly { readonly pod: Pod }[],
  ): Pod | 'missing' | undefined {
    for (const { pod } of places) {
      if (pod === undefined) return 'missing'
      if (this.isUnavailable(pod)) return pod
    }
    return [...condemned].reverse().find(({ pod }) => this.isUnavailable(pod))?.pod
  }

  private processPlace({ pod, ordinal }: OrdinalSlot): 'stop' | 'go on' {
    if (pod === undefined) return this.fill(ordinal)
    const { set } = this.input
    if (isPodTerminal(pod)) {
      // The pod is in a final phase. A new pod is created when the old one is deleted.
      if (pod.metadata.deletionTimestamp === undefined) this.delete(pod)
      return this.isOrdered ? 'stop' : 'go on'
    }
    if (pod.status?.phase === 'Pending') {
      this.createClaims(pod.metadata.name, ordinal)
      this.fixClaims(pod, ordinal)
    }
    if (this.isOrdered && (pod.metadata.deletionTimestamp !== undefined || !this.isSteady(pod))) return 'stop'
    const identified = identifiedPod(pod, ordinal)
    if (identified !== undefined) {
      this.planned.push({
        call: updateCall('pods', identified),
        onSuccess: this.told('Update', `Pod ${pod.metadata.name}`, set, 'successful'),
        onFailure: (why) => this.failed('Update', `Pod ${pod.metadata.name}`, set, why),
      })
    }
    this.fixClaims(pod, ordinal)
    return 'go on'
  }

  /** The claims of a new pod are created before it. */
  private fill(ordinal: number): 'stop' | 'go on' {
    const { set, claimOf, batch } = this.input
    if (!this.isOrdered && this.created >= batch) return 'go on'
    const pod = this.newPod(ordinal)
    const { name } = pod.metadata
    const after = this.isOrdered ? 'stop' : 'go on'
    const wanted = [...claimsFor(set, ordinal).values()]
    const present = wanted.map((claim) => claimOf(claim.metadata.name))
    if (present.some((claim) => claim !== undefined && isStaleClaim(set, claim, name))) return after
    const leaving = present.find((claim) => claim?.metadata.deletionTimestamp !== undefined)
    if (leaving !== undefined) {
      this.notes.push(this.failed('Create', `Pod ${name}`, set, `pvc ${leaving.metadata.name} is being deleted`))
      this.retry = true
      return after
    }
    this.created++
    if (this.createClaims(name, ordinal)) return after
    this.planned.push({
      call: createCall('pods', pod),
      onSuccess: this.told('Create', `Pod ${name}`, set, 'successful'),
      onFailure: (why) => this.failed('Create', `Pod ${name}`, set, why),
    })
    return after
  }

  private newPod(ordinal: number): Pod {
    const { set, current, update } = this.input
    const { updateStrategy } = set.spec ?? {}
    const rolling = updateStrategy?.rollingUpdate
    const start = startOrdinal(set)
    const isCurrent =
      rolling === undefined
        ? (updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate' &&
          ordinal < start + (set.status?.currentReplicas ?? 0)
        : ordinal < start + (rolling.partition ?? 0)
    const { name, template } = isCurrent ? current : update
    return podOf(set, template, name, ordinal)
  }

  private createClaims(podName: string, ordinal: number): boolean {
    const { set, claimOf } = this.input
    const missing = [...claimsFor(set, ordinal).values()].filter(({ metadata }) => claimOf(metadata.name) === undefined)
    for (const claim of missing) {
      const { name } = claim.metadata
      this.planned.push({
        call: createCall('persistentvolumeclaims', claim),
        onSuccess: this.told('Create', `Claim ${name} Pod ${podName}`, set, 'success'),
        onFailure: (why) => this.failed('Create', `Claim ${name} for Pod ${podName}`, set, why),
      })
    }
    return missing.length > 0
  }

  private fixClaims(pod: Pod, ordinal: number): void {
    const { set, claimOf } = this.input
    for (const { metadata } of claimsFor(set, ordinal).values()) {
      const claim = claimOf(metadata.name)
      const owned = claim === undefined ? undefined : ownedClaim(claim, set, pod, ordinal)
      if (claim === undefined || owned === undefined) continue
      const isPlanned = this.planned.some(({ call }) => call.verb === 'update' && call.name === metadata.name)
      if (isPlanned) continue
      if (hasUnexpectedController(claim, set, pod)) this.notes.push(conflicting(metadata.name))
      this.planned.push({ call: updateCall('persistentvolumeclaims', owned) })
    }
  }

  private processCondemned(pod: Pod, waitingFor: Pod | 'missing' | undefined): 'stop' | 'go on' {
    if (pod.metadata.deletionTimestamp !== undefined) return this.isOrdered ? 'stop' : 'go on'
    if (this.isOrdered && pod !== waitingFor && !this.isSteady(pod)) return 'stop'
    this.delete(pod)
    return this.isOrdered ? 'stop' : 'go on'
  }

  /** Updates one pod at a time, from the highest ordinal down to the partition. */
  private roll(places: readonly OrdinalSlot[]): void {
    const { set } = this.input
    const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0
    for (let i = places.length - 1; i >= partition; i--) {
      const pod = places[i]?.pod
      if (pod === undefined) return
      if (this.isOutdated(pod)) {
        this.replace(pod)
        return
      }
      if (this.isUnavailable(pod)) return
    }
  }

  /**
   * Updates as many pods at once as maxUnavailable allows (v1.37, statefulset
   * updateStatefulSetAfterInvariantEstablished).
   */
  private rollSeveral(places: readonly OrdinalSlot[]): void {
    const { set, rules } = this.input
    const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {}
    const allowed = Math.max(1, scaledValue(maxUnavailable, replicasOf(set), 'down'))
    const unavailable = places.filter(({ pod }) => pod === undefined || this.isUnavailable(pod)).length
    let budget = allowed - unavailable
    const outdated = places
      .slice(partition)
      .reverse()
      .flatMap(({ pod }) => (pod && this.isOutdated(pod) ? [pod] : []))
    if (!this.isOrdered && rules.replacesUnavailable) {
      for (const pod of outdated.filter((one) => this.isUnavailable(one))) this.replace(pod)
      for (const pod of outdated.filter((one) => !this.isUnavailable(one))) if (budget-- > 0) this.replace(pod)
    } else for (const pod of outdated) if (budget-- > 0) this.replace(pod)
  }

  private isOutdated(pod: Pod): boolean {
    return revisionNameOf(pod) !== this.input.update.name && pod.metadata.deletionTimestamp === undefined
  }

  private replace(pod: Pod): void {
    this.delete(pod)
    this.leavingCurrent++
  }

  private delete(pod: Pod): void {
    const { set } = this.input
    const what = `Pod ${pod.metadata.name}`
    this.planned.push({
      call: deleteCall('pods', pod),
      onSuccess: this.told('Delete', what, set, 'successful'),
      onFailure: (why) => this.failed('Delete', what, set, why),
    })
  }

  // v1.36, statefulset recordPodEvent and recordClaimEvent.
  private told(verb: string, what: string, set: StatefulSet, how: string): EventNote {
    const message = `${this.inMessage(verb)} ${what} in StatefulSet ${set.metadata.name} ${how}`
    return { type: 'Normal', reason: `Successful${verb}`, message }
  }

  private failed(verb: string, what: string, set: StatefulSet, why: string): EventNote {
    const message = `${this.inMessage(verb)} ${what} in StatefulSet ${set.metadata.name} failed error: ${why}`
    return { type: 'Warning', reason: `Failed${verb}`, message }
  }

  private inMessage(verb: string): string {
    return this.input.rules.capitalizesEvents ? verb : verb.toLowerCase()
  }

  private isSteady(pod: Pod): boolean {
    const { set, now } = this.input
    return isRunningAndReady(pod) && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
  }

  private isUnavailable(pod: Pod): boolean {
    const { set, now } = this.input
    return pod.metadata.deletionTimestamp !== undefined || !isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
  }
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod)
}

function conflicting(claim: string): EventNote {
  const message =
    `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, ` +
    'the retention policy is ignored for this claim'
  return { type: 'Warning', reason: 'ConflictingController', message }
}
