import { createCall } from '../../api/object-calls.ts'
import { objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod, Volume } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/objects/storage.ts'
import { controllerReference, isControlledBy } from '../../api/owner-references.ts'
import type { Controller, EventRecord } from '../../runtime/controller.ts'
import { createReconcilerController, type ReconcileResult } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'

const podKind = { apiVersion: 'v1', kind: 'Pod' } as const

/**
 * Creates the claims of generic ephemeral volumes, which are deleted with their pod (v1.36,
 * pkg/controller/volume/ephemeral).
 */
export function createEphemeralClaims(): Controller {
  const failures = new Map<string, EventRecord>()
  return createReconcilerController({
    name: 'ephemeral-volume-controller',
    wakes: {
      pods: ({ key, after }) => (after?.spec.volumes?.some(isEphemeral) === true ? key : undefined),
      // A deleted claim is created again for a pod that still needs it.
      persistentvolumeclaims: ({ before, after }) => (after === undefined ? ownerOf(before) : undefined),
    },
    reconcile(key, { view, call }): ReconcileResult | undefined {
      const pod = view.get('pods', key)
      const failure = failures.get(key)
      failures.delete(key)
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined
      const events = failure === undefined ? [] : [failure]
      for (const volume of pod.spec.volumes ?? []) {
        if (!isEphemeral(volume)) continue
        const found = claimFor(pod, volume, view)
        if (found === 'made') continue
        if (found === 'foreign') return { events: [...events, foreignClaim(pod, volume)], retry: true }
        return { actions: [call(createCall('persistentvolumeclaims', found))], events }
      }
      return { events }
    },
    onResults(key, results, { view }) {
      const pod = view.get('pods', key)
      const failed = results.find(({ outcome }) => !outcome.ok)
      if (failed === undefined) return 'again'
      const { call, outcome } = failed
      if (pod === undefined || call.verb !== 'create' || outcome.ok) return undefined
      const claim = call.object.metadata.name
      const volume = claim.slice(pod.metadata.name.length + 1)
      failures.set(key, warn(pod, volume, `create PVC ${claim}: ${outcome.status.message ?? ''}`))
      return 'retry'
    },
  })
}

function isEphemeral({ ephemeral }: Volume): boolean {
  return ephemeral !== undefined
}

function claimFor(pod: Pod, volume: Volume, view: View): PersistentVolumeClaim | 'made' | 'foreign' {
  const { name, namespace } = pod.metadata
  const claimName = `${name}-${volume.name}`
  const present = view.get('persistentvolumeclaims', objectKey(namespace, claimName))
  if (present !== undefined) return isControlledBy(present, pod) ? 'made' : 'foreign'
  const template = volume.ephemeral?.volumeClaimTemplate
  const { annotations, labels } = template?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName,
      ...(namespace === undefined ? {} : { namespace }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [controllerReference(pod, podKind)],
    },
    spec: (template?.spec ?? {}) as PersistentVolumeClaimSpec,
  }
}

function foreignClaim(pod: Pod, volume: Volume): EventRecord {
  const { name, namespace = '' } = pod.metadata
  const owner = `${namespace}/${name}`
  return warn(pod, volume.name, `PVC ${owner}-${volume.name} was not created for pod ${owner} (pod is not owner)`)
}

function warn(pod: Pod, volume: string, why: string): EventRecord {
  return {
    regarding: referenceTo(pod, podKind),
    api: 'core',
    type: 'Warning',
    reason: 'FailedBinding',
    message: `ephemeral volume ${volume}: ${why}`,
    component: 'ephemeral_volume',
  }
}

function ownerOf(claim: PersistentVolumeClaim | undefined): string | undefined {
  const owner = claim?.metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'Pod')
  return owner === undefined ? undefined : objectKey(claim?.metadata.namespace, owner.name)
}
