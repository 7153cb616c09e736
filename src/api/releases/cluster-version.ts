import { knownMinors, newestPatchOf } from './release-of.ts'

/** The version of a cluster, in the form that `releaseOf` accepts, and whether it differs from the reported version. */
export interface ClusterVersion {
  /** For example 1.34.3. */
  readonly version: string
  /** Set when the cluster has a version that is not known: the nearest known one is used. */
  readonly instead?: string
}

/**
 * The known version that is nearest to the version that a cluster reports, a gitVersion or the version of a kubelet,
 * such as `v1.34.3-eks-1a2b3c`, `v1.35.0+k3s1` or `1.36.2-gke.100`. Undefined when the text is not a version.
 */
export function clusterVersion(text: string): ClusterVersion | undefined {
  const found = /^v?(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:[-+.].*)?$/.exec(text)
  if (found === null) return undefined
  const [, major, minorNumber, patch] = found
  const minor = `${major}.${minorNumber}`
  const newest = newestPatchOf(minor)
  if (newest !== undefined) {
    if (Number(patch) <= newest) return { version: `${minor}.${patch}` }
    return { version: `${minor}.${newest}`, instead: `${minor}.${patch}` }
  }
  const oldestKnown = knownMinors[0] as string
  const newestKnown = knownMinors.at(-1) as string
  const nearest = compareMinors(minor, oldestKnown) < 0 ? oldestKnown : newestKnown
  return { version: `${nearest}.${newestPatchOf(nearest)}`, instead: `${minor}.${patch}` }
}

/** Negative when `a` is older. */
export function compareMinors(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA - majorB || minorA - minorB
}

/** Negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  return compareMinors(a, b) || Number(a.split('.')[2] ?? 0) - Number(b.split('.')[2] ?? 0)
}
