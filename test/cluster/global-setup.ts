import { buildParts, clusterRelease, missing } from './real-parts.ts'

/** Of other releases the API server only; the other parts are built when a test starts them. */
const wanted = clusterRelease.minor === '1.36' ? undefined : (['kube-apiserver'] as const)

/** Once for all files, which run beside each other. */
export function setup(): void {
  if (missing(wanted) === undefined) buildParts(wanted)
}
