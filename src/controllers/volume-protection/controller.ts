import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type ReconcileContext, type ReconcileResult } from '../../runtime/reconciler.ts'
import { ClaimUsers } from '../claim-users.ts'
import { updateCall } from '../object-calls.ts'
import { CLAIM_FINALIZER, decideProtection, isBound, usesClaim, VOLUME_FINALIZER } from './decide-protection.ts'

export const VOLUME_PROTECTION = 'volume-protection-controller'

const CLAIM = 'claim:'
const VOLUME = 'volume:'

/**
 * Keeps claims that pods use and volumes that are bound, however much somebody wants them deleted. Upstream has two
 * controllers for it: persistentvolumeclaim-protection and persistentvolume-protection.
 */
export function createVolumeProtection(): Controller {
  const users = new ClaimUsers()
  return createReconcilerController({
    name: VOLUME_PROTECTION,
    wakes: {
      persistentvolumeclaims: ({ key }) => CLAIM + key,
      persistentvolumes: ({ key }) => VOLUME + key,
      pods: (change) => {
        const claims = users.note(change)
        return claims.length === 0 || isSameUse(change) ? undefined : claims.map((key) => CLAIM + key)
      },
    },
    reconcile(key, context) {
      return key.startsWith(CLAIM)
        ? reconcileClaim(key.slice(CLAIM.length), users, context)
        : reconcileVolume(key.slice(VOLUME.length), context)
    },
  })
}

type PodChange = Parameters<ClaimUsers['note']>[0]

function isSameUse({ before, after }: PodChange): boolean {
  if (before === undefined || after === undefined) return false
  return (
    before.spec.nodeName === after.spec.nodeName &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.metadata.deletionGracePeriodSeconds === after.metadata.deletionGracePeriodSeconds
  )
}

function reconcileClaim(key: string, users: ClaimUsers, context: ReconcileContext): ReconcileResult | undefined {
  const claim = context.view.get('persistentvolumeclaims', key)
  if (claim === undefined) return undefined
  const next = decideProtection(claim, CLAIM_FINALIZER, () => [...users.of(key)].some((pod) => usesClaim(pod, claim)))
  return next === undefined ? undefined : { actions: [context.call(updateCall('persistentvolumeclaims', next))] }
}

function reconcileVolume(key: string, context: ReconcileContext): ReconcileResult | undefined {
  const volume = context.view.get('persistentvolumes', key)
  if (volume === undefined) return undefined
  const next = decideProtection(volume, VOLUME_FINALIZER, () => isBound(volume))
  return next === undefined ? undefined : { actions: [context.call(updateCall('persistentvolumes', next))] }
}
