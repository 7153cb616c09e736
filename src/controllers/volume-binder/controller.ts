import type { Outcome } from '../../api/call.ts'
import { keyOf, splitKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { annotations } from '../../api/well-known.ts'
import type { Answer, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
  type Reconciler,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { decideClaim } from './decide-claim.ts'
import { decideVolume } from './decide-volume.ts'
import { type AboutObject, type BinderDecision, normal } from './decision.ts'
import { PodsByClaim } from './pods-by-claim.ts'
import { claimKeyOf, VolumeIndex } from './volume-index.ts'

export const volumeBinder = 'persistentvolume-controller'

export interface VolumeBinderOptions {
  /**
   * Creates and deletes volumes for claims of any class that names a provisioner. Default: true. Must be false if real
   * provisioners run.
   */
  readonly provisions?: boolean
  /** The interval at which unsettled objects are checked again (--pvclaimbinder-sync-period). Default: 15 s. */
  readonly syncPeriodMs?: number
}

const defaultSyncPeriodMs = 15_000
const askLimitMs = 30_000

/** Binds claims to volumes, and volumes to claims (v1.36, pkg/controller/volume/persistentvolume). */
export function createVolumeBinder(options: VolumeBinderOptions = {}): Controller {
  const binder = new VolumeBinder(options)
  const reconciler: Reconciler = {
    name: volumeBinder,
    wakes: {
      persistentvolumeclaims: ({ key, before, after }) => {
        const volume = after === undefined ? before?.spec.volumeName : undefined
        return volume === undefined ? key : [key, volume]
      },
      persistentvolumes: (change) => binder.volumeChanged(change),
      pods: (change) => {
        binder.pods.note(change)
        return undefined
      },
      'storageclasses.storage.k8s.io': noKey,
      'csinodes.storage.k8s.io': noKey,
      nodes: noKey,
    },
    reconcile: (key, context) => binder.reconcile(key, context),
    onResults: (key, results) => binder.takeResults(key, results),
    onAnswers: (key, answers) => binder.takeAnswers(key, answers),
  }
  // One at a time, so that each claim sees the latest state of the volumes, as with the single workers of upstream.
  const controller = createReconcilerController(reconciler, { keysPerStep: 1 })
  return {
    ...controller,
    step(input) {
      binder.startedAt ??= input.now
      return controller.step(input)
    },
  }
}

const noKey = (): undefined => undefined

/** Keys of claims contain a slash, keys of volumes do not. */
class VolumeBinder {
  readonly pods = new PodsByClaim()
  startedAt: number | undefined
  private readonly provisions: boolean
  private readonly syncPeriodMs: number
  private readonly volumes = new VolumeIndex()
  /** Volumes that are being bound, each with the key of its claim. No other claim may use them. */
  private readonly taken = new Map<string, string>()
  /** Notes that the next reconciliation records. */
  private readonly news = new Map<string, AboutObject>()
  /** The claims of volumes as read from the API server, until the volume is reconciled again. */
  private readonly asked = new Map<string, PersistentVolumeClaim | undefined>()

  constructor({ provisions = true, syncPeriodMs = defaultSyncPeriodMs }: VolumeBinderOptions) {
    this.provisions = provisions
    this.syncPeriodMs = syncPeriodMs
  }

  volumeChanged(change: {
    readonly key: string
    readonly before?: PersistentVolume
    readonly after?: PersistentVolume
  }): readonly string[] {
    this.volumes.note(change)
    const { key, before, after } = change
    const claims = new Set<string>([key])
    // As upstream, a volume that is reserved by name only waits until the claim is reconciled.
    for (const volume of [before, after]) {
      const claim = volume === undefined ? undefined : claimKeyOf(volume)
      if (claim !== undefined && (after === undefined || (volume?.spec.claimRef?.uid ?? '') !== '')) claims.add(claim)
    }
    return [...claims]
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const decision = key.includes('/') ? this.decideClaim(key, context.view) : this.decideVolume(key, context.view)
    if (decision === 'ask for the claim') return this.askForClaim(key, context)
    const told = this.news.get(key)
    this.news.delete(key)
    if (decision === undefined) return undefined
    const { call, notes = [], isUnsettled, retry } = decision
    if (call?.verb === 'update' && call.resource === 'persistentvolumes' && key.includes('/')) {
      this.taken.set(call.name, key)
    }
    return {
      actions: call === undefined ? [] : [context.call(call)],
      events: [...(told === undefined ? [] : [told]), ...notes].map(eventOf),
      ...(isUnsettled === true ? { wakeAt: this.nextSync(context.now) } : {}),
      ...(retry === true ? { retry } : {}),
    }
  }

  takeResults(key: string, results: readonly KeyedResult[]): 'again' | undefined {
    for (const [volume, claim] of this.taken) if (claim === key) this.taken.delete(volume)
    let isDone = true
    for (const { call, outcome } of results) {
      const isMade = call.verb === 'create' && (outcome.ok || outcome.status.reason === 'AlreadyExists')
      if (isMade) this.announce(key, call.object as PersistentVolume)
      else if (!outcome.ok) isDone = false
    }
    return isDone ? 'again' : undefined
  }

  takeAnswers(key: string, answers: readonly Answer[]): void {
    for (const { outcome } of answers) {
      const answer = outcome.kind === 'ok' ? (outcome.value as Outcome) : undefined
      if (answer?.ok === true && answer.kind === 'object') this.asked.set(key, answer.object as PersistentVolumeClaim)
      else if (answer?.ok === false && answer.status.reason === 'NotFound') this.asked.set(key, undefined)
    }
  }

  private decideClaim(key: string, view: View): BinderDecision | undefined {
    const claim = view.get('persistentvolumeclaims', key)
    if (claim === undefined) return undefined
    return decideClaim(claim, {
      volume: (name) => view.get('persistentvolumes', name),
      match: (one, onlyPromised) => this.match(one, onlyPromised),
      storageClass: (name) => view.get('storageclasses.storage.k8s.io', name),
      storageClasses: () => view.list('storageclasses.storage.k8s.io'),
      podsUsing: (name) => this.pods.of(name),
      node: (name) => view.get('nodes', name),
      csiNode: (name) => view.get('csinodes.storage.k8s.io', name),
      provisions: this.provisions,
    })
  }

  private decideVolume(key: string, view: View): BinderDecision | 'ask for the claim' | undefined {
    const volume = view.get('persistentvolumes', key)
    const isCertain = this.asked.has(key)
    const asked = this.asked.get(key)
    this.asked.delete(key)
    if (volume === undefined) return undefined
    const claimKey = claimKeyOf(volume)
    const known = claimKey === undefined ? undefined : view.get('persistentvolumeclaims', claimKey)
    return decideVolume(volume, { claim: isCertain ? asked : known, isCertain, provisions: this.provisions })
  }

  private askForClaim(key: string, { view, ids, now }: ReconcileContext): ReconcileResult {
    const volume = view.get('persistentvolumes', key)
    const claim = splitKey((volume === undefined ? undefined : claimKeyOf(volume)) ?? '')
    const call = { verb: 'get', resource: 'persistentvolumeclaims', ...claim } as const
    return { asks: [{ id: ids.next(), deadlineAt: now + askLimitMs, request: { kind: 'read', call } }] }
  }

  private match(claim: PersistentVolumeClaim, onlyPromised: boolean): PersistentVolume | undefined {
    const key = keyOf(claim)
    const isTaken = (name: string): boolean => (this.taken.get(name) ?? key) !== key
    return this.volumes.bestFor(claim, { onlyPromised, isTaken })
  }

  private announce(key: string, { metadata, spec }: PersistentVolume): void {
    const { namespace, name = '', uid } = spec.claimRef ?? {}
    const claim: PersistentVolumeClaim = {
      metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
      spec: {},
    }
    this.news.set(key, {
      about: claim,
      kind: 'PersistentVolumeClaim',
      note: normal('ProvisioningSucceeded', `Successfully provisioned volume ${metadata.name}`),
      component: metadata.annotations?.[annotations.provisionedBy] ?? '',
    })
  }

  /** Rounds are counted from the start, so that all unsettled objects are checked together. */
  private nextSync(now: number): number {
    const since = now - (this.startedAt ?? now)
    return now + this.syncPeriodMs - (since % this.syncPeriodMs)
  }
}

function eventOf({ about, kind, note, component }: AboutObject): EventRecord {
  const regarding = referenceTo(about, { apiVersion: 'v1', kind })
  return { regarding, api: 'core', ...note, ...(component === undefined ? {} : { component }) }
}
