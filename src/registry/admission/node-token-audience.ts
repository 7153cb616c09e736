import { inTreePluginOf } from '../../api/csi-migration.ts'
import type { Pod, Volume } from '../../api/objects/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { projectedSourcesOf, volumeClaimNameOf } from '../../api/pod-references.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { Result } from '../../base/result.ts'
import { done, failed } from '../../base/result.ts'
import type { Store } from '../../store/contract.ts'
import type { RestrictedWrite } from './node-restriction.ts'

/** A node may request a token only for an audience that a volume of the pod needs, or that it has a right to. */
export function audienceProblem(write: RestrictedWrite, pod: Pod, audiences: readonly string[]): string | undefined {
  const { store, caller, guard, namespace, name, release } = write
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences'
  const [audience = ''] = audiences
  const errors: string[] = []
  for (const volume of pod.spec.volumes ?? []) {
    if (projectedSourcesOf(volume).some(({ serviceAccountToken: one }) => one && (one.audience ?? '') === audience)) {
      return undefined
    }
    const driver = driverOf(store, pod, volume)
    if (!driver.ok) errors.push(driver.message)
    else if (driver.value !== '') {
      const isNeeded = driverNeeds(store, driver.value, audience)
      if (!isNeeded.ok) errors.push(isNeeded.message)
      else if (isNeeded.value) return undefined
    }
  }
  const shown = JSON.stringify(audience)
  if (errors.length > 0) {
    const distinct = [...new Set(errors)]
    return `error validating audience ${shown}: ${distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`}`
  }
  const verb = 'request-serviceaccounts-token-audience'
  const access = guard?.access(caller, { verb, group: '', resource: audience, namespace, name })
  if (access === undefined || access.allowed) return undefined
  if (atLeast(release, '1.37')) return `${caller.name} is not authorized to request tokens for audience ${shown}`
  return `audience ${shown} not found in pod spec volume, ${caller.name} is not authorized to request tokens for this audience`
}

/** The CSI driver of a volume; '' if it has none. */
function driverOf(store: Store, pod: Pod, volume: Volume): Result<string> {
  const claimName = volumeClaimNameOf(pod.metadata.name, volume)
  if (claimName !== undefined) return driverOfClaim(store, pod.metadata.namespace ?? '', claimName)
  const csi = (volume as { readonly csi?: { readonly driver?: string } }).csi
  return done(csi === undefined ? (inTreePluginOf(volume)?.driver ?? '') : (csi.driver ?? ''))
}

function driverOfClaim(store: Store, namespace: string, name: string): Result<string> {
  const claim = store.get('persistentvolumeclaims', `${namespace}/${name}`) as PersistentVolumeClaim | undefined
  if (claim === undefined) return failed(`persistentvolumeclaim ${JSON.stringify(name)} not found`)
  const { volumeName = '' } = claim.spec ?? {}
  const volume = store.get('persistentvolumes', volumeName) as PersistentVolume | undefined
  if (volume === undefined) return failed(`persistentvolume ${JSON.stringify(volumeName)} not found`)
  const { csi } = volume.spec as { readonly csi?: { readonly driver?: string } }
  return done(csi?.driver ?? inTreePluginOf(volume.spec)?.driver ?? '')
}

interface CsiDriver {
  readonly spec?: { readonly tokenRequests?: readonly { readonly audience?: string }[] }
}

function driverNeeds(store: Store, name: string, audience: string): Result<boolean> {
  const driver = store.get('csidrivers.storage.k8s.io', name) as CsiDriver | undefined
  if (driver === undefined) return failed(`csidriver.storage.k8s.io ${JSON.stringify(name)} not found`)
  return done((driver.spec?.tokenRequests ?? []).some((one) => (one.audience ?? '') === audience))
}
