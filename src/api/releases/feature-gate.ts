import { lookupTable } from '../../base/lookup-table.ts'

export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated'

/** A feature gate as one release defines it (k8s.io/component-base/featuregate FeatureSpec, and its dependencies). */
export interface FeatureGate {
  readonly stage: FeatureStage
  /** The default. */
  readonly on: boolean
  /** The gate cannot be set to anything but its default. */
  readonly locked?: boolean
  /** Gates that must be on if this one is on. */
  readonly dependsOn?: readonly string[]
}

/** The gates of a release by name, in alphabetical order. The tables are made by lookupTable. */
export type FeatureGateTable = Readonly<Record<string, FeatureGate>>

/** The gates of a release, where they differ from those of the release before. */
export type GateChanges = Readonly<Record<string, FeatureGate | 'removed'>>

export function gatesAfter(before: FeatureGateTable, changes: GateChanges): FeatureGateTable {
  const gates = Object.entries({ ...before, ...changes })
    .filter((entry): entry is [string, FeatureGate] => entry[1] !== 'removed')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return lookupTable(Object.fromEntries(gates))
}

/** The gates of patch levels lower than `before`, where they differ from the newest patch; undefined: the gate is unknown. */
export interface PatchedGates {
  readonly before: number
  readonly gates: Readonly<Record<string, FeatureGate | undefined>>
}
