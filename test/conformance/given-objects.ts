import { keyOf } from '../../src/api/object-key.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { ObjectReader } from '../../src/scheduler/contract/contract.ts'

const resources = {
  namespaces: 'namespaces',
  services: 'services',
  pdbs: 'poddisruptionbudgets.policy',
  pvs: 'persistentvolumes',
  pvcs: 'persistentvolumeclaims',
  storageClasses: 'storageclasses.storage.k8s.io',
  csiNodes: 'csinodes.storage.k8s.io',
  csiDrivers: 'csidrivers.storage.k8s.io',
  csiStorageCapacities: 'csistoragecapacities.storage.k8s.io',
  volumeAttachments: 'volumeattachments.storage.k8s.io',
  resourceSlices: 'resourceslices.resource.k8s.io',
  deviceClasses: 'deviceclasses.resource.k8s.io',
  resourceClaims: 'resourceclaims.resource.k8s.io',
} as const

/** The objects of a vector besides nodes and pods. */
export type GivenObjects = { readonly [Name in keyof typeof resources]?: readonly KubeObject[] | null }

export function eachOf(given: GivenObjects, visit: (resource: string, object: KubeObject) => void): void {
  for (const [name, resource] of Object.entries(resources)) {
    for (const object of given[name as keyof GivenObjects] ?? []) visit(resource, object)
  }
}

export function readerOf(given: GivenObjects): ObjectReader {
  const lists = new Map<string, readonly KubeObject[]>()
  for (const [name, resource] of Object.entries(resources)) {
    lists.set(resource, given[name as keyof GivenObjects] ?? [])
  }
  return {
    get: (resource, key) => lists.get(resource)?.find((object) => keyOf(object) === key) as never,
    list: (resource, namespace) =>
      (lists.get(resource) ?? []).filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      ) as never,
  }
}
