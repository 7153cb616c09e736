import type { Node } from '../../../api/objects/node.ts'
import type { PersistentVolume } from '../../../api/objects/storage.ts'
import { classOfClaim, sizeOfClaim } from '../../../api/persistent-volumes.ts'
import { intValue, quantityInt } from '../../../api/quantity.ts'
import type { ObjectReader } from '../../contract/contract.ts'
import { scaledQuotient } from '../../framework/quotient.ts'
import { brokenLinear, type ShapePoint } from '../node-resources-fit/allocation.ts'
import type { PodClaims } from './claims.ts'
import { findVolumes, type PodVolumes } from './find-volumes.ts'

export const defaultShape: readonly ShapePoint[] = [
  { utilization: 0, score: 10 },
  { utilization: 100, score: 0 },
]

interface CapacityUse {
  requestedBytes: number
  capacityBytes: number
}

/**
 * Scores a node by the part of the volumes or of the storage capacity that the claims of a pod would use, averaged over
 * storage classes (v1.37, volumebinding Score and buildScorerFunction).
 */
export class CapacityScore {
  private readonly scoreOf: (utilization: number) => number

  constructor(shape: readonly ShapePoint[]) {
    this.scoreOf = brokenLinear(shape)
  }

  onNode(claims: PodClaims, node: Node, objects: ObjectReader): number {
    const found = findVolumes(claims, node, objects)
    if ('code' in found) return 0
    const uses = found.bindings.length > 0 ? usesOfVolumes(found) : usesOfRooms(found, claims, node)
    if (uses.size === 0) return 0
    let sum = 0
    for (const { requestedBytes, capacityBytes } of uses.values()) {
      const isFull = capacityBytes === 0 || requestedBytes > capacityBytes
      sum += this.scoreOf(isFull ? 100 : scaledQuotient(requestedBytes, 100, capacityBytes))
    }
    return Math.round(sum / uses.size)
  }
}

function usesOfVolumes({ bindings }: PodVolumes): ReadonlyMap<string, CapacityUse> {
  const uses = new Map<string, CapacityUse>()
  for (const { volume, claim } of bindings) {
    const use = useOf(uses, (volume as PersistentVolume).spec.storageClassName ?? '')
    use.requestedBytes += quantityInt(sizeOfClaim(claim))
    use.capacityBytes += intValue(volume.spec.capacity?.['storage'])
  }
  return uses
}

/** The capacity of a class is that of the last claim; several claims of a class use it together. */
function usesOfRooms(
  { provisions }: PodVolumes,
  { delayed }: PodClaims,
  { metadata }: Node,
): ReadonlyMap<string, CapacityUse> {
  const uses = new Map<string, CapacityUse>()
  for (const claim of provisions) {
    const rooms = delayed.find((one) => one.claim === claim)?.roomFor
    const room = rooms?.find(({ nodes }) => nodes.matches(metadata.labels))
    if (room === undefined) continue
    const use = useOf(uses, classOfClaim(claim))
    use.capacityBytes = room.capacityBytes
    use.requestedBytes += quantityInt(sizeOfClaim(claim))
  }
  return uses
}

function useOf(uses: Map<string, CapacityUse>, storageClass: string): CapacityUse {
  let use = uses.get(storageClass)
  if (use === undefined) {
    use = { requestedBytes: 0, capacityBytes: 0 }
    uses.set(storageClass, use)
  }
  return use
}
