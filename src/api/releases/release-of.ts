import { lookupTable } from '../../base/lookup-table.ts'
import { done, failed, must, type Result } from '../../base/result.ts'
import { type FeatureGateTable, gatesAfter } from './feature-gate.ts'
import { effectiveGates } from './feature-gates.ts'
import type { KubernetesRelease } from './kubernetes-release.ts'
import { gatesAtPatch } from './patched-gates.ts'
import { createReleaseApi, type ReleaseApi } from './release-api.ts'
import { changesOf } from './release-changes.ts'
import { defaultPluginsOf } from './scheduler-plugins.ts'
import { apiTypes as types134 } from './v1.34/api-types.ts'
import { gateChanges as changes134 } from './v1.34/feature-gates.ts'
import { apiTypes as types135 } from './v1.35/api-types.ts'
import { gateChanges as changes135 } from './v1.35/feature-gates.ts'
import { apiTypes as types136 } from './v1.36/api-types.ts'
import { gateChanges as changes136 } from './v1.36/feature-gates.ts'
import { apiTypes as types137 } from './v1.37/api-types.ts'
import { gateChanges as changes137 } from './v1.37/feature-gates.ts'

interface Minor {
  readonly minor: string
  readonly newestPatch: number
  readonly featureGates: FeatureGateTable
  readonly api: ReleaseApi
}

const gates134 = gatesAfter({}, changes134)
const gates135 = gatesAfter(gates134, changes135)
const gates136 = gatesAfter(gates135, changes136)
const gates137 = gatesAfter(gates136, changes137)

/** The minors that berth knows, oldest first. */
const minors: readonly Minor[] = [
  { minor: '1.34', newestPatch: 11, featureGates: gates134, api: createReleaseApi('1.34', [types134]) },
  { minor: '1.35', newestPatch: 8, featureGates: gates135, api: createReleaseApi('1.35', [types134, types135]) },
  {
    minor: '1.36',
    newestPatch: 4,
    featureGates: gates136,
    api: createReleaseApi('1.36', [types134, types135, types136]),
  },
  {
    minor: '1.37',
    newestPatch: 1,
    featureGates: gates137,
    api: createReleaseApi('1.37', [types134, types135, types136, types137]),
  },
]

/** The minors that berth knows, oldest first, for example 1.36. */
export const knownMinors: readonly string[] = minors.map(({ minor }) => minor)

/** The newest patch level of a minor; undefined for unknown minors. */
export function newestPatchOf(minor: string): number | undefined {
  return minors.find((known) => known.minor === minor)?.newestPatch
}

/**
 * The release of a version: `1.36` is the newest patch of the minor, `1.36.2` is this patch. A leading `v` is ignored.
 */
export function releaseOf(version: string): Result<KubernetesRelease> {
  const found = /^v?(\d{1,3}\.\d{1,3})(?:\.(\d{1,3}))?$/.exec(version)
  const minor = minors.find((known) => known.minor === found?.[1])
  const patch = found?.[2] === undefined ? minor?.newestPatch : Number(found[2])
  if (minor === undefined || patch === undefined || patch > minor.newestPatch) {
    return failed(`Kubernetes version ${JSON.stringify(version)} is not known; known versions: ${knownVersions()}`)
  }
  return done(createRelease(minor, patch))
}

/** The same release with some gates set, or upstream's error message. */
export function withFeatureGates(
  release: KubernetesRelease,
  set: ReadonlyMap<string, boolean>,
): Result<KubernetesRelease> {
  const setGates = new Map([...release.setGates, ...set])
  const effective = effectiveGates(release.featureGates, setGates)
  if (!effective.ok) return effective
  const gates = new Set([...effective.value, ...removedGates(release.minor, release.featureGates)])
  return done({ ...release, gates, setGates, schedulerPlugins: defaultPluginsOf(release.minor, gates) })
}

export const defaultRelease: KubernetesRelease = must(releaseOf(knownMinors.at(-1) as string))

function createRelease({ minor, featureGates, api }: Minor, patch: number): KubernetesRelease {
  const version = `${minor}.${patch}`
  const table = gatesAtPatch(featureGates, minor, patch)
  const gates = new Set([...must(effectiveGates(table, new Map())), ...removedGates(minor, table)])
  return {
    minor,
    patch,
    version,
    featureGates: table,
    gates,
    setGates: new Map(),
    changes: changesOf(version),
    schedulerPlugins: defaultPluginsOf(minor, gates),
    flags: lookupTable({}),
    api,
  }
}

/** Gates of older minors that this minor no longer has, because the feature became permanent. */
function removedGates(minor: string, table: FeatureGateTable): readonly string[] {
  const older = minors.slice(
    0,
    minors.findIndex((known) => known.minor === minor),
  )
  return older.flatMap(({ featureGates }) =>
    Object.entries(featureGates).flatMap(([name, gate]) => (gate.on && table[name] === undefined ? [name] : [])),
  )
}

function knownVersions(): string {
  return minors.map(({ minor, newestPatch }) => `${minor} (up to ${minor}.${newestPatch})`).join(', ')
}
