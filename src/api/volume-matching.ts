import { compileLabelSelector } from './label-selector.ts'
import type { StringMap } from './objects/meta.ts'
import type { NodeSelector } from './objects/node.ts'
import type { PersistentVolume, PersistentVolumeClaim } from './objects/storage.ts'
import {
  classOfClaim,
  classOfVolume,
  isBoundTo,
  offersModes,
  reachableFrom,
  sameAttributesClass,
  sameVolumeMode,
  sizeOfClaim,
  sizeOfVolume,
} from './persistent-volumes.ts'
import { compareQuantities } from './quantity.ts'
import { labels as wellKnown } from './well-known.ts'

export interface SuitableVolumes {
  /** Volumes whose claimRef names the claim. */
  readonly promised: readonly PersistentVolume[]
  /** Available volumes that fit, the smallest first. */
  readonly free: readonly PersistentVolume[]
}

/**
 * The volumes that a claim may get, on any node (v1.36, component-helpers/storage/volume FindMatchingVolume). A volume
 * whose claimRef names the claim takes precedence.
 */
export function suitableVolumes(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>): SuitableVolumes {
  const wanted = sizeOfClaim(claim)
  const storageClass = classOfClaim(claim)
  const selector = claim.spec.selector === undefined ? undefined : compileLabelSelector(claim.spec.selector)
  const promised: PersistentVolume[] = []
  const free: PersistentVolume[] = []
  for (const volume of volumes) {
    const ours = isBoundTo(volume, claim)
    if (volume.spec.claimRef !== undefined && !ours) continue
    if (compareQuantities(sizeOfVolume(volume), wanted) < 0) continue
    if (!sameVolumeMode(claim, volume) || !sameAttributesClass(claim, volume)) continue
    if (volume.metadata.deletionTimestamp !== undefined) continue
    if (ours) {
      promised.push(volume)
      continue
    }
    // Binding volumes before they are Available would lead to conflicts.
    if (volume.status?.phase !== 'Available') continue
    if (selector !== undefined && !(selector.ok && selector.value.matches(volume.metadata.labels))) continue
    if (classOfVolume(volume) !== storageClass) continue
    if (offersModes(volume.spec.accessModes, claim.spec.accessModes)) free.push(volume)
  }
  // Sorting is stable: the first of equal volumes is used.
  return { promised, free: free.sort((a, b) => compareQuantities(sizeOfVolume(a), sizeOfVolume(b))) }
}

interface Ranked {
  readonly volume: PersistentVolume
  readonly rank: number
}

/** The suitable volumes of one claim, for many nodes. */
export class VolumeCandidates {
  private readonly promised: readonly PersistentVolume[]
  /** By the host that can reach them. Volumes without a host are in `elsewhere`. */
  private readonly onHost = new Map<string, Ranked[]>()
  private readonly elsewhere: Ranked[] = []

  constructor(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>) {
    const { promised, free } = suitableVolumes(claim, volumes)
    this.promised = promised
    for (const [rank, volume] of free.entries()) this.file({ volume, rank })
  }

  /**
   * The volume for a node with these labels. If the claim has a promised volume that the node cannot reach, there is no
   * volume.
   * @param taken Names of volumes that other claims of the pod will have.
   */
  bestFor(labels: StringMap | undefined, taken: ReadonlySet<string>): PersistentVolume | undefined {
    for (const volume of this.promised) {
      if (taken.has(volume.metadata.name)) continue
      return reachableFrom(volume.spec.nodeAffinity, labels) ? volume : undefined
    }
    const host = labels?.[wellKnown.hostname]
    const local = host === undefined ? undefined : firstOf(this.onHost.get(host), labels, taken)
    const other = firstOf(this.elsewhere, labels, taken)
    if (local === undefined || other === undefined) return (local ?? other)?.volume
    return (local.rank < other.rank ? local : other).volume
  }

  private file(ranked: Ranked): void {
    const hosts = hostsOf(ranked.volume.spec.nodeAffinity?.required)
    if (hosts === undefined) {
      this.elsewhere.push(ranked)
      return
    }
    for (const host of hosts) {
      const others = this.onHost.get(host)
      if (others === undefined) this.onHost.set(host, [ranked])
      else others.push(ranked)
    }
  }
}

function firstOf(
  volumes: readonly Ranked[] = [],
  labels: StringMap | undefined,
  taken: ReadonlySet<string>,
): Ranked | undefined {
  return volumes.find(
    ({ volume }) => !taken.has(volume.metadata.name) && reachableFrom(volume.spec.nodeAffinity, labels),
  )
}

/** The hosts that a selector allows, if every term names hosts. */
function hostsOf(selector: NodeSelector | undefined): ReadonlySet<string> | undefined {
  const terms = selector?.nodeSelectorTerms ?? []
  if (terms.length === 0) return undefined
  const hosts = new Set<string>()
  for (const { matchExpressions = [] } of terms) {
    const named = matchExpressions.find(({ key, operator }) => key === wellKnown.hostname && operator === 'In')
    if (named === undefined) return undefined
    for (const host of named.values ?? []) hosts.add(host)
  }
  return hosts
}
