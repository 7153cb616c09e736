import { parseFeatureGates } from '../api/releases/feature-gates.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { defaultRelease, releaseOf, withFeatureGates } from '../api/releases/release-of.ts'
import { done, failed, type Result } from '../base/result.ts'

/** The release in the flags kubernetes-version and feature-gates. */
export function readRelease(flags: Readonly<Record<string, unknown>>): Result<KubernetesRelease> {
  const version = flags['kubernetes-version']
  const release = version === undefined ? done(defaultRelease) : releaseOf(String(version))
  const gates = flags['feature-gates']
  if (!release.ok || gates === undefined) return release
  const read = typeof gates === 'object' ? done(gatesIn(gates)) : parseFeatureGates(String(gates))
  const set = read.ok ? withFeatureGates(release.value, read.value) : read
  return set.ok ? set : failed(`invalid argument ${JSON.stringify(gates)} for "--feature-gates" flag: ${set.message}`)
}

/** Gates in the form of a KubeletConfiguration: an object by name. */
function gatesIn(gates: unknown): ReadonlyMap<string, boolean> {
  return new Map(Object.entries((gates ?? {}) as object).map(([name, on]) => [name, on === true || on === 'true']))
}
