import { lookupTable } from '../../base/lookup-table.ts'

export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated'

/** A feature gate as one release defines it (k8s.io/component-base/featuregate FeatureSpec, and its dependencies). */
export interface FeatureGate {
  readonly stage: FeatureStage
  /** The default. */
  readonly on: boolean
  /** The gate cannot be changed from its default. */
  readonly locked?: boolean
  /** Gates that must be on if this one is on. */
  readonly dependsOn?: readonly string[]
}

/** The gates of a release by name, in alphabetical order. lookupTable creates the tables. */
export type FeatureGateTable = Readonly<Record<string, FeatureGate>>

/** The gates of a release that differ from the previous release. */
export type GateChanges = Readonly<Record<string, FeatureGate | 'removed'>>

export function gatesAfter(before: FeatureGateTable, changes: GateChanges): FeatureGateTable {
  const gates = Object.entries({ ...before, ...changes })
    .filter((entry): entry is [string, FeatureGate] => entry[1] !== 'removed')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return lookupTable(Object.fromEntries(gates))
}

/** The gates of patch levels below `before` that differ from the newest patch; undefined: the gate is unknown. */
export interface PatchedGates {
  readonly before: number
  readonly gates: Readonly<Record<string, FeatureGate | undefined>>
}
