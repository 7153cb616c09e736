import type { ListCall, Outcome } from '../../api/call.ts'
import { updateCall, updateStatusCall } from '../../api/object-calls.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'
import { PodsByClaim } from '../volume-binder/pods-by-claim.ts'
import { decideUnused } from './decide-unused.ts'

const claimFinalizer = 'kubernetes.io/pvc-protection'
const volumeFinalizer = 'kubernetes.io/pv-protection'
const classFinalizer = 'kubernetes.io/vac-protection'
const classes = 'volumeattributesclasses.storage.k8s.io'
const askLimitMs = 30_000

/**
 * Removes the finalizer of a deleted claim when no pod uses it, and records in its status whether a pod refers to it
 * (v1.37, pkg/controller/volume/pvcprotection).
 */
export function createClaimProtection({
  release = defaultRelease,
}: {
  readonly release?: KubernetesRelease
} = {}): Controller {
  const recordsUse = release.gates.has('PersistentVolumeClaimUnusedSinceTime')
  const pods = new PodsByClaim()
  /** Reads the pods of the namespace from the API server, because the view may not have a new pod yet. */
  const asked = new Map<string, readonly Pod[]>()
  return createReconcilerController({
    name: 'persistentvolumeclaim-protection-controller',
    wakes: { persistentvolumeclaims: itself, pods: (change) => pods.note(change) },
    reconcile(key, { view, call, ids, now, wall }) {
      const claim = view.get('persistentvolumeclaims', key)
      const listed = asked.get(key)
      asked.delete(key)
      if (claim === undefined) return undefined
      const users = listed ?? [...pods.of(key)]
      const next = decideFinalizer(claim, claimFinalizer, () => users.some((pod) => uses(pod, claim)))
      const unused = recordsUse ? decideUnused(claim, users, release, wall) : undefined
      const isLive = claim.metadata.deletionTimestamp === undefined
      if (next === undefined && unused === undefined) return undefined
      if (unused !== undefined && (listed !== undefined || unused.isUsed)) {
        return { actions: [call(updateStatusCall('persistentvolumeclaims', unused.claim))] }
      }
      if (next !== undefined && (listed !== undefined || isLive)) {
        return { actions: [call(updateCall('persistentvolumeclaims', next))] }
      }
      const list: ListCall = { verb: 'list', resource: 'pods', namespace: claim.metadata.namespace ?? '' }
      return { asks: [{ id: ids.next(), deadlineAt: now + askLimitMs, request: { kind: 'read', call: list } }] }
    },
    onAnswers(key, answers) {
      for (const { outcome } of answers) {
        const answer = outcome.kind === 'ok' ? (outcome.value as Outcome<Pod>) : undefined
        if (answer?.ok === true && answer.kind === 'list') asked.set(key, answer.items)
      }
    },
  })
}

/**
 * Removes the finalizer of a deleted volume when no claim is bound to it (v1.36, pkg/controller/volume/pvprotection).
 */
export function createVolumeProtection(): Controller {
  return createReconcilerController({
    name: 'persistentvolume-protection-controller',
    wakes: { persistentvolumes: itself },
    reconcile(key, { view, call }) {
      const volume = view.get('persistentvolumes', key)
      if (volume === undefined) return undefined
      const next = decideFinalizer(volume, volumeFinalizer, () => volume.status?.phase === 'Bound')
      return next === undefined ? undefined : { actions: [call(updateCall('persistentvolumes', next))] }
    },
  })
}

/** The object with a missing finalizer added, or with one that is no longer needed removed. */
function decideFinalizer<T extends KubeObject>(
  object: T,
  finalizer: string,
  isUsed: () => boolean,
): KubeObject | undefined {
  const { finalizers = [], ...meta } = object.metadata
  const has = finalizers.includes(finalizer)
  if (meta.deletionTimestamp === undefined) {
    return has ? undefined : { ...object, metadata: { ...meta, finalizers: [...finalizers, finalizer] } }
  }
  if (!has || isUsed()) return undefined
  const left = finalizers.filter((one) => one !== finalizer)
  return { ...object, metadata: left.length === 0 ? meta : { ...meta, finalizers: left } }
}

/** An unbound pod has mounted nothing; a finished pod still uses its claims. */
function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claim.metadata.name
    const isOwn = ephemeral !== undefined && `${pod.metadata.name}-${name}` === claim.metadata.name
    return isOwn && isControlledBy(claim, pod) && !isShutDown(pod)
  })
}

/** Reports whether the kubelet has finished with the pod, or the pod was force-deleted. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}

interface ClassUser extends KubeObject {
  readonly spec?: { readonly volumeAttributesClassName?: string }
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

/** The VolumeAttributesClasses that a claim or a volume uses. */
function classesOf(object: KubeObject | undefined): readonly string[] {
  const { spec, status } = (object ?? {}) as Partial<ClassUser>
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  return [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target].filter(
    (name): name is string => name !== undefined && name !== '',
  )
}

/**
 * Removes the finalizer of a deleted VolumeAttributesClass when no claim and no volume uses it (v1.36,
 * pkg/controller/volume/vacprotection).
 */
export function createAttributesClassProtection(): Controller {
  const users = ({ before, after }: { readonly before?: KubeObject; readonly after?: KubeObject }) => [
    ...classesOf(before),
    ...classesOf(after),
  ]
  return createReconcilerController({
    name: 'volumeattributesclass-protection-controller',
    wakes: { [classes]: itself, persistentvolumeclaims: users, persistentvolumes: users },
    reconcile(key, { view, call }) {
      const found = view.get(classes, key)
      if (found === undefined) return undefined
      const isUsed = () =>
        view.list('persistentvolumeclaims').some((claim) => classesOf(claim).includes(key)) ||
        view.list('persistentvolumes').some((volume) => classesOf(volume).includes(key))
      const next = decideFinalizer(found, classFinalizer, isUsed)
      return next === undefined ? undefined : { actions: [call(updateCall(classes, next))] }
    },
  })
}
