import type { KnownResource } from '../api/objects/resources.ts'

/** What a decision of the scheduler depends on: everything that it, a shadow of it or an explanation has to know. */
export const watchedResources: readonly KnownResource[] = [
  'pods',
  'nodes',
  'namespaces',
  'services',
  'replicationcontrollers',
  'replicasets.apps',
  'statefulsets.apps',
  'poddisruptionbudgets.policy',
  'persistentvolumes',
  'persistentvolumeclaims',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]
