import type { PodStatus } from '../../api/objects/pod.ts'

/** The statuses of the resource claims that were generated for a pod. */
export function claimStatuses(status: PodStatus | undefined): unknown {
  if (status === undefined) return undefined
  const extended = status.extendedResourceClaimStatus
  return extended === undefined ? status.resourceClaimStatuses : [status.resourceClaimStatuses, extended]
}
