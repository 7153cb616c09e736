import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import type { FoundVersion } from './found-cluster.ts'
import { controlPlaneFlags } from './found-control-plane.ts'

/**
 * The flags of a forecast that the cluster itself says: its version, and the flags of its control plane.
 * @param chosen The release, if the user chooses another one.
 */
export function assumedFlags(
  { version, components = [] }: FoundVersion,
  chosen?: string,
): Readonly<Record<string, string>> {
  const asked = chosen ?? version
  const release = asked === undefined ? undefined : releaseOf(asked)
  return {
    ...controlPlaneFlags(components, release?.ok === true ? release.value : defaultRelease),
    ...(version === undefined ? {} : { 'kubernetes-version': version }),
  }
}

/** The gates that the cluster sets, and then those that the user sets. */
export function withGates(
  flags: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const gates = [flags['feature-gates'], more['feature-gates']].filter((text) => text !== undefined && text !== '')
  return { ...flags, ...more, ...(gates.length === 0 ? {} : { 'feature-gates': gates.join(',') }) }
}
