import type { Node } from '../../../api/objects/node.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { reachableFrom, sizeOfClaim, topologyAllows } from '../../../api/persistent-volumes.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import { failure, type ObjectReader, type PluginStatus, unresolvable } from '../../contract/contract.ts'
import { affinityOn, type BoundClaim, type DelayedClaim, type PodClaims } from './claims.ts'

/** An existing volume for a claim. */
export interface StaticBinding {
  readonly volume: PersistentVolume
  readonly claim: PersistentVolumeClaim
}

/** The volume changes that a pod requires to run on a node. */
export interface PodVolumes {
  readonly bindings: readonly StaticBinding[]
  /** Claims for which volumes must be provisioned. */
  readonly provisions: readonly PersistentVolumeClaim[]
}

const noProvisioner = 'kubernetes.io/no-provisioner'
const noHints: PodVolumes = { bindings: [], provisions: [] }

const nodeConflictReason = 1
const bindConflict = 2
const noSpace = 4
const noVolume = 8

const reasons: readonly (readonly [number, string])[] = [
  [nodeConflictReason, "node(s) didn't match PersistentVolume's node affinity"],
  [bindConflict, "node(s) didn't find available persistent volumes to bind"],
  [noSpace, 'node(s) did not have enough free storage'],
  [noVolume, 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'],
]

/** One status per set of conflicts, shared by all nodes. */
const rejections: readonly PluginStatus[] = Array.from({ length: 16 }, (_, conflicts) =>
  unresolvable(...reasons.flatMap(([bit, reason]) => ((conflicts & bit) === 0 ? [] : [reason]))),
)

export const nodeConflict = rejections[nodeConflictReason] as PluginStatus

/** The volumes for the pod's claims on a node, or the conflicts (v1.36, volumebinding FindPodVolumes). */
export function findVolumes(claims: PodClaims, node: Node, objects: ObjectReader): PodVolumes | PluginStatus {
  const bound = claims.bound.length === 0 ? 0 : checkBound(claims.bound, node, objects)
  if (typeof bound !== 'number') return bound
  const found = claims.delayed.length === 0 ? noHints : findForDelayed(claims.delayed, node)
  const conflicts = bound | (typeof found === 'number' ? found : 0)
  return conflicts === 0 && typeof found !== 'number' ? found : (rejections[conflicts] as PluginStatus)
}

function checkBound(claims: readonly BoundClaim[], node: Node, objects: ObjectReader): number | PluginStatus {
  const csiNode = objects.get('csinodes.storage.k8s.io', node.metadata.name)
  for (const { volume } of claims) {
    if (volume === undefined) return noVolume
    const reach = affinityOn(volume, csiNode)
    if ('problem' in reach) return failure(reach.problem)
    if (!reachableFrom(reach.affinity, node.metadata.labels)) return nodeConflictReason
  }
  return 0
}

/** Existing volumes are used before new ones are provisioned: the smallest volume for the smallest claim first. */
function findForDelayed(claims: readonly DelayedClaim[], { metadata }: Node): PodVolumes | number {
  const toMatch: DelayedClaim[] = []
  const toProvision: DelayedClaim[] = []
  for (const claim of claims) {
    if (claim.selectedNode === undefined) toMatch.push(claim)
    else if (claim.selectedNode === metadata.name) toProvision.push(claim)
    else return bindConflict
  }
  toMatch.sort((a, b) => compareQuantities(sizeOfClaim(a.claim), sizeOfClaim(b.claim)))
  const bindings: StaticBinding[] = []
  const taken = new Set<string>()
  for (const one of toMatch) {
    const volume = one.candidates.bestFor(metadata.labels, taken)
    if (volume === undefined) toProvision.push(one)
    else {
      taken.add(volume.metadata.name)
      bindings.push({ volume, claim: one.claim })
    }
  }
  for (const { storageClass, roomFor } of toProvision) {
    const { provisioner, allowedTopologies } = storageClass
    if (provisioner === '' || provisioner === noProvisioner) return bindConflict
    if (!topologyAllows(allowedTopologies, metadata.labels)) return bindConflict
    if (roomFor !== undefined && !roomFor.some(({ nodes }) => nodes.matches(metadata.labels))) return noSpace
  }
  return { bindings, provisions: toProvision.map(({ claim }) => claim) }
}
