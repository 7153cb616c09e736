import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import type { FoundVersion } from './found-cluster.ts'
import { controlPlaneFlags } from './found-control-plane.ts'

/**
 * The flags of a control plane for a cluster: first those of the cluster (its version, and the flags of its control
 * plane that the release accepts), then those of the user. Feature gates are merged; those of the user take precedence.
 */
export function clusterFlags(
  { version, components = [] }: FoundVersion,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const chosen = given['kubernetes-version']
  const asked = chosen === undefined ? version : String(chosen)
  const release = asked === undefined ? undefined : releaseOf(asked)
  const flags: Readonly<Record<string, unknown>> = {
    ...controlPlaneFlags(components, release?.ok === true ? release.value : defaultRelease),
    ...(version === undefined ? {} : { 'kubernetes-version': version }),
  }
  return { ...flags, ...given, ...bothGates(flags['feature-gates'], given['feature-gates']) }
}

/** Gates are text, as in a flag, or an object by name, as in a configuration file. */
function bothGates(ofCluster: unknown, given: unknown): { readonly 'feature-gates'?: unknown } {
  if (ofCluster === undefined) return {}
  const own = typeof given === 'object' ? Object.entries(given ?? {}).map(([name, on]) => `${name}=${on}`) : [given]
  return { 'feature-gates': [ofCluster, ...own].filter((text) => text !== undefined && text !== '').join(',') }
}
