import type { KnownResource } from '../api/objects/resources.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { GroupFeatures } from './contract/groups.ts'

/** The resources that a scheduling decision depends on, for the scheduler, its shadow and explanations. */
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
  'resourceclaims.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'deviceclasses.resource.k8s.io',
]

/** The resources of pod groups; undefined: pod groups are disabled. */
export function groupResources(features: GroupFeatures | undefined): readonly KnownResource[] {
  if (features === undefined) return []
  const groups = 'podgroups.scheduling.k8s.io'
  return features.composes ? [groups, 'compositepodgroups.scheduling.k8s.io'] : [groups]
}

/** Includes the resources that only some releases have. */
export function watchedResourcesOf({ gates }: KubernetesRelease): readonly KnownResource[] {
  return gates.has('DRADeviceTaintRules') ? [...watchedResources, 'devicetaintrules.resource.k8s.io'] : watchedResources
}
