import { lookupTable } from '../../base/lookup-table.ts'
import type { FeatureGate, FeatureGateTable, PatchedGates } from './feature-gate.ts'

const beta = (on: boolean): FeatureGate => ({ stage: 'beta', on })

/** The patch releases that changed the table of feature gates: the differences between the git tags of each minor. */
const patchedGates: readonly (PatchedGates & { readonly minor: string })[] = [
  {
    minor: '1.34',
    before: 2,
    gates: { SchedulerAsyncAPICalls: beta(true), StatefulSetSemanticRevisionComparison: undefined },
  },
  { minor: '1.35', before: 1, gates: { SchedulerAsyncAPICalls: beta(true) } },
  { minor: '1.35', before: 4, gates: { MaxUnavailableStatefulSet: beta(true) } },
]

/** The gates of a patch level, from the table of the newest patch of its minor. */
export function gatesAtPatch(newest: FeatureGateTable, minor: string, patch: number): FeatureGateTable {
  const applicable = patchedGates.filter((patched) => patched.minor === minor && patch < patched.before)
  if (applicable.length === 0) return newest
  const gates: Record<string, FeatureGate | undefined> = { ...newest }
  for (const patched of applicable) Object.assign(gates, patched.gates)
  const known = Object.entries(gates).filter((entry): entry is [string, FeatureGate] => entry[1] !== undefined)
  return lookupTable(Object.fromEntries(known))
}
