import type { FeatureGateTable } from './feature-gate.ts'
import type { ReleaseApi } from './release-api.ts'
import type { ReleaseChange } from './release-changes.ts'

/**
 * A release of Kubernetes as data. Code that depends on the release gets this value; no code reads a global release.
 * Hot paths read `gates` and `changes` once, when they are created.
 */
export interface KubernetesRelease {
  /** For example 1.36. */
  readonly minor: string
  /** For example 4. */
  readonly patch: number
  /** For example 1.36.4. */
  readonly version: string
  /** The feature gates that this version knows, with their defaults. */
  readonly featureGates: FeatureGateTable
  /**
   * The enabled gates: enabled by default or by `withFeatureGates`. A gate that became permanent and was removed before
   * this version is on; a gate that this version does not have yet is off.
   */
  readonly gates: ReadonlySet<string>
  /** The gates that were set explicitly, by name. */
  readonly setGates: ReadonlyMap<string, boolean>
  /** Changes of behavior without a gate that this version has. */
  readonly changes: ReadonlySet<ReleaseChange>
  /** The plugins of kube-scheduler's default profile at this version, with the gates of `gates`, in order. */
  readonly schedulerPlugins: readonly DefaultPlugin[]
  /**
   * The defaults of flags of kube-controller-manager and kube-scheduler that differ between releases, without dashes.
   */
  readonly flags: Readonly<Record<string, string>>
  /** The API of this minor. */
  readonly api: ReleaseApi
}

/** A plugin of the default profile. Weight 0 is the default weight, 1, for plugins with Score. */
export interface DefaultPlugin {
  readonly name: string
  readonly weight: number
}
