import { objectKey } from '../../api/object-key.ts'
import type { Pod, Volume } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { controllerReference, isControlledBy } from '../../api/owner-references.ts'
import { type Controller, referenceTo } from '../../runtime/controller.ts'
import { createReconcilerController, type ReconcileContext, type ReconcileResult } from '../../runtime/reconciler.ts'
import { ClaimUsers, claimNameOf } from '../claim-users.ts'
import type { Note } from '../note.ts'
import { createCall } from '../object-calls.ts'
import { PlanMemory } from '../plan-memory.ts'

export const EPHEMERAL_VOLUME = 'ephemeral-volume-controller'

const podKind = { apiVersion: 'v1', kind: 'Pod' } as const

/** Makes the claims of volumes that a pod brings with it; they are the pod's own and go with it. */
export function createEphemeralVolumes(): Controller {
  const users = new ClaimUsers()
  const plans = new PlanMemory()
  return createReconcilerController({
    name: EPHEMERAL_VOLUME,
    wakes: {
      pods(change) {
        users.note(change)
        return change.before === undefined && hasEphemeral(change.after) ? change.key : undefined
      },
      persistentvolumeclaims({ key, after }) {
        if (after !== undefined) return undefined
        return [...users.of(key)]
          .filter(hasEphemeral)
          .map(({ metadata }) => objectKey(metadata.namespace, metadata.name))
      },
    },
    reconcile: (key, context) => reconcile(key, plans, context),
    onResults: (key, results) => {
      const hasNews = plans.settle(key, results)
      return results.some(({ outcome }) => !outcome.ok) ? 'retry' : hasNews ? 'again' : undefined
    },
  })
}

function hasEphemeral(pod: Pod | undefined): boolean {
  return pod?.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) ?? false
}

function reconcile(key: string, plans: PlanMemory, context: ReconcileContext): ReconcileResult | undefined {
  const { view } = context
  const pod = view.get('pods', key)
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
    plans.forget(key)
    return undefined
  }
  const notes: Note[] = [...plans.takeNotes(key)]
  const planned = (pod.spec.volumes ?? []).flatMap((volume) => {
    const claim = claimFor(pod, volume)
    if (claim === undefined) return []
    const { name, namespace } = claim.metadata
    const present = view.get('persistentvolumeclaims', objectKey(namespace, name))
    if (present === undefined) {
      const onFailure = (why: string) => failed(volume, `create PVC ${name}: ${why}`)
      return [{ call: createCall('persistentvolumeclaims', claim), onFailure }]
    }
    if (!isControlledBy(present, pod)) {
      notes.push(
        failed(
          volume,
          `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
        ),
      )
    }
    return []
  })
  return {
    actions: plans.remember(key, planned).map((call) => context.call(call)),
    events: notes.map((note) => ({
      regarding: referenceTo(pod, podKind),
      api: 'core',
      component: 'ephemeral_volume',
      ...note,
    })),
    ...(notes.length > 0 ? { retry: true } : {}),
  }
}

function claimFor(pod: Pod, volume: Volume): PersistentVolumeClaim | undefined {
  const template = volume.ephemeral?.volumeClaimTemplate
  const name = claimNameOf(pod, volume)
  if (template === undefined || name === undefined) return undefined
  const { labels, annotations } = template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(pod, podKind)],
    },
    spec: template.spec as PersistentVolumeClaim['spec'],
  }
}

function failed({ name }: Volume, why: string): Note {
  return { type: 'Warning', reason: 'FailedBinding', message: `ephemeral volume ${name}: ${why}` }
}
