import type { KubeObject } from '../../api/objects/meta.ts'
import type { PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import { compareQuantities, quantity } from '../../api/quantity.ts'
import { annotations as wellKnown } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'

const resource = 'storageclasses.storage.k8s.io'
const betaClass = 'volume.beta.kubernetes.io/storage-class'
const betaDefault = 'storageclass.beta.kubernetes.io/is-default-class'

function isDefault({ metadata }: StorageClass): boolean {
  const { annotations = {} } = metadata
  return annotations[wellKnown.defaultStorageClass] === 'true' || annotations[betaDefault] === 'true'
}

/** The newest default class; of equally new ones, the first by name. */
function defaultClass(store: Store): StorageClass | undefined {
  if (store.count(resource) === 0) return undefined
  const defaults = (store.list(resource) as readonly StorageClass[]).filter(isDefault)
  const age = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? ''
  return defaults.toSorted((a, b) => {
    if (age(a) !== age(b)) return age(a) < age(b) ? 1 : -1
    return a.metadata.name < b.metadata.name ? -1 : 1
  })[0]
}

export function withStorageClass(store: Store, claim: PersistentVolumeClaim): PersistentVolumeClaim {
  if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[betaClass] !== undefined) return claim
  const found = defaultClass(store)
  if (found === undefined) return claim
  return { ...claim, spec: { ...claim.spec, storageClassName: found.metadata.name } }
}

const finalizers = lookupTable<string>({
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
})

/** Adds finalizers that protect volumes, claims and classes while they are in use (StorageObjectInUseProtection). */
export function withProtection(name: string, object: KubeObject): KubeObject {
  const finalizer = finalizers[name]
  const own = object.metadata.finalizers ?? []
  if (finalizer === undefined || own.includes(finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...own, finalizer] } }
}

/** Why a claim may not be expanded (PersistentVolumeClaimResize). */
export function resizeProblem(
  store: Store,
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): string | undefined {
  const size = (one: PersistentVolumeClaim) => quantity(one.spec.resources?.requests?.['storage'] ?? '0')
  if (compareQuantities(size(claim), size(old)) <= 0) return undefined
  if (old.status?.phase !== 'Bound') return 'Only bound persistent volume claims can be expanded'
  const name = claim.spec.storageClassName ?? ''
  const storageClass = store.get(resource, name) as StorageClass | undefined
  if (name !== '' && name === old.spec.storageClassName && storageClass?.allowVolumeExpansion === true) return undefined
  return 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
}
