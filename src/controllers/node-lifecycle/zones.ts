import type { StringMap } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import type { NodeLifecycleSettings } from './options.ts'

/**
 * The key of a node's zone, from its labels; empty for nodes without one. Region and zone are joined as upstream does, because the
 * key is a label value of its metrics (v1.36, component-helpers/node/topology GetZoneKey).
 */
export function zoneKeyOf(given: StringMap | undefined): string {
  if (given === undefined) return ''
  const zone = given[labels.betaZone] ?? given[labels.zone] ?? ''
  const region = given[labels.betaRegion] ?? given[labels.region] ?? ''
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`
}

const exclusionLabel = 'node.kubernetes.io/exclude-disruption'

/** Nodes with the exclusion label do not count for the disruption of their zone. */
export function countsForDisruption(node: Node): boolean {
  return node.metadata.labels?.[exclusionLabel] === undefined
}

export type ZoneState = 'Initial' | 'Normal' | 'FullDisruption' | 'PartialDisruption'

/** The number of nodes of a zone that count, and the number of them that are not ready. */
export interface ZoneCount {
  readonly size: number
  readonly unhealthy: number
}

/** v1.36, nodelifecycle ComputeZoneState. The comparison uses single precision, the type of the flag. */
export function zoneStateOf({ size, unhealthy }: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  if (unhealthy > 0 && unhealthy === size) return 'FullDisruption'
  const fraction = Math.fround(unhealthy / size)
  return unhealthy > 2 && fraction >= Math.fround(unhealthyZoneThreshold) ? 'PartialDisruption' : 'Normal'
}

/** Nodes per second that may be tainted in a zone in this state; undefined: no change. */
export function evictionRateIn(
  state: ZoneState,
  size: number,
  settings: NodeLifecycleSettings,
  { fullDisruptionStops }: { readonly fullDisruptionStops: boolean },
): number | undefined {
  switch (state) {
    case 'Normal':
      return settings.nodeEvictionRate
    case 'PartialDisruption':
      return size > settings.largeClusterSizeThreshold ? settings.secondaryNodeEvictionRate : 0
    case 'FullDisruption':
      return fullDisruptionStops ? 0 : settings.nodeEvictionRate
    case 'Initial':
      return undefined
  }
}

export type Disruption =
  /** All zones were and are silent, or no zones exist. */
  | { readonly kind: 'unchanged' }
  /** All zones are silent: the control plane has probably lost its network. */
  | { readonly kind: 'enter-master-disruption' }
  | { readonly kind: 'exit-master-disruption' }
  | { readonly kind: 'judge-zones' }

/**
 * Decides whether all zones are disrupted after a pass (v1.36, nodelifecycle handleDisruption). `before` are the states of the
 * zones that still have nodes to count, `after` those that this pass found for the same zones.
 */
export function decideDisruption(
  before: ReadonlyMap<string, ZoneState>,
  after: ReadonlyMap<string, ZoneState>,
): Disruption {
  const allAre = every(after, (state) => state === 'FullDisruption')
  const allWere = every(before, (state) => state === 'FullDisruption')
  if (allAre && allWere) return { kind: 'unchanged' }
  if (allAre) return { kind: 'enter-master-disruption' }
  return allWere ? { kind: 'exit-master-disruption' } : { kind: 'judge-zones' }
}

function every<V>(map: ReadonlyMap<string, V>, holds: (value: V) => boolean): boolean {
  for (const value of map.values()) if (!holds(value)) return false
  return true
}
