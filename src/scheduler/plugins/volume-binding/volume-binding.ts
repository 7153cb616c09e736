import { keyOf } from '../../../api/object-key.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { isFullyBound, volumeBoundTo, withAnnotation } from '../../../api/persistent-volumes.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { annotations } from '../../../api/well-known.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { failure, type ObjectReader, ok, type ParsedPod, skip, unresolvable } from '../../contract/contract.ts'
import type { ShapePoint } from '../node-resources-fit/allocation.ts'
import { AssumedObjects } from './assumed-objects.ts'
import { BindingWork } from './bind-volumes.ts'
import { CapacityScore, defaultShape } from './capacity-score.ts'
import { type Assumptions, claimProblem, claimsOf, type PodClaims, podClaims } from './claims.ts'
import { volumeBindingColumns } from './columns.ts'
import { findVolumes, type PodVolumes, type StaticBinding } from './find-volumes.ts'
import { volumeBindingWake } from './wake.ts'

export interface VolumeBindingArgs {
  readonly bindTimeoutSeconds?: number
  /** The score of a node by the utilization of storage, with StorageCapacityScoring. */
  readonly shape?: readonly ShapePoint[]
}

interface VolumeState {
  readonly objects: ObjectReader
  readonly claims: PodClaims
  /** The decisions of Filter, and from Reserve on the assumed decisions, by node. */
  readonly onNode: Map<string, PodVolumes>
  allBound: boolean
  work?: BindingWork
}

/** Finds nodes where the claims of a pod can be bound, and binds them before the pod (v1.36, volumebinding). */
export function createVolumeBinding(
  { bindTimeoutSeconds = 600, shape = defaultShape }: VolumeBindingArgs,
  { gates }: KubernetesRelease,
): ColumnarPlugin<VolumeState, ScoredClaims> {
  const assumed: Assumptions = { volumes: new AssumedObjects(), claims: new AssumedObjects() }
  return defineColumnarPlugin<VolumeState, ScoredClaims>({
    name: 'VolumeBinding',
    withoutPreFilter: 'not found',
    preFilter(pod, { objects }) {
      if (!hasClaims(pod)) return skip
      const problem = claimProblem(pod.pod, objects)
      if (problem !== undefined) return unresolvable(problem)
      const claims = podClaims(pod.pod, objects, assumed)
      if (typeof claims === 'string') return failure(claims)
      if (claims.hasUnboundImmediate) return unresolvable('pod has unbound immediate PersistentVolumeClaims')
      return { state: { objects, claims, onNode: new Map(), allBound: false } }
    },
    filter(_pod, { node, name }, { claims, objects, onNode }) {
      const found = findVolumes(claims, node, objects)
      if ('code' in found) return found
      onNode.set(name, found)
      return ok
    },
    ...(gates.has('StorageCapacityScoring') ? capacityScoring(new CapacityScore(shape), assumed) : {}),
    reserve(pod, node, state, { objects }) {
      // Without a state the pod has no claims, or only bound claims.
      if (state === undefined) return ok
      const volumes = state.onNode.get(node)
      state.allBound = volumes === undefined
      if (volumes === undefined) return ok
      state.allBound = claimsOf(pod.pod, objects, assumed).every(isFullyBound)
      if (state.allBound) return ok
      const next = assume(volumes, node, objects, assumed)
      if (typeof next === 'string') return failure(next)
      state.onNode.set(node, next)
      return ok
    },
    unreserve(_pod, node, state) {
      const volumes = state?.onNode.get(node)
      if (state === undefined || volumes === undefined) return
      revert(volumes, assumed)
      dropConfirmed(volumes, state.objects, assumed)
    },
    preBindPreFlight(_pod, node, state) {
      if (state === undefined || state.allBound) return skip
      return state.onNode.has(node) ? ok : failure(`no pod volume found for node ${JSON.stringify(node)}`)
    },
    preBind(pod, node, state, turn) {
      const volumes = state?.onNode.get(node)
      if (state === undefined || state.allBound || volumes === undefined) return { kind: 'done' }
      state.work ??= new BindingWork(volumes, bindTimeoutSeconds * 1000)
      const progress = state.work.step(pod, node, turn)
      if (progress.kind === 'done') dropConfirmed(volumes, turn.objects, assumed)
      return progress
    },
    wakeOn: volumeBindingWake,
    columns: volumeBindingColumns,
  })
}

/** The claims that a score depends on; undefined when the pod has none that are bound with it. */
type ScoredClaims = { readonly claims: PodClaims; readonly objects: ObjectReader } | undefined

/** PreScore does not get the state of PreFilter, so the claims are looked up again. Most pods have none. */
function capacityScoring(
  scorer: CapacityScore,
  assumed: Assumptions,
): Pick<ColumnarPlugin<VolumeState, ScoredClaims>, 'preScore' | 'score'> {
  return {
    preScore(pod, _nodes, { objects }) {
      const claims = hasClaims(pod) ? podClaims(pod.pod, objects, assumed) : undefined
      if (typeof claims !== 'object' || claims.delayed.length === 0) return { state: undefined }
      return { state: { claims, objects } }
    },
    score: (_pod, { node }, scored) => (scored === undefined ? 0 : scorer.onNode(scored.claims, node, scored.objects)),
  }
}

function hasClaims({ pod, shape }: ParsedPod): boolean {
  return shape.claims.length > 0 || (pod.spec.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined)
}

/** Assumes the writes, so that the next pod does not use the same volumes (AssumePodVolumes). */
function assume(
  { bindings, provisions }: PodVolumes,
  node: string,
  objects: ObjectReader,
  assumed: Assumptions,
): PodVolumes | string {
  const done: { readonly bindings: StaticBinding[]; readonly provisions: PersistentVolumeClaim[] } = {
    bindings: [],
    provisions: [],
  }
  for (const { volume, claim } of bindings) {
    const next: PersistentVolume = volumeBoundTo(volume, claim)
    const problem =
      next === volume ? undefined : assumed.volumes.assume(next, objects.get('persistentvolumes', next.metadata.name))
    if (problem !== undefined) {
      revert(done, assumed)
      return problem
    }
    done.bindings.push({ volume: next, claim })
  }
  for (const claim of provisions) {
    const next = { ...claim, metadata: withAnnotation(claim.metadata, annotations.selectedNode, node) }
    const problem = assumed.claims.assume(next, objects.get('persistentvolumeclaims', keyOf(claim)))
    if (problem !== undefined) {
      revert(done, assumed)
      return problem
    }
    done.provisions.push(next)
  }
  return done
}

function revert({ bindings, provisions }: PodVolumes, assumed: Assumptions): void {
  for (const { volume } of bindings) assumed.volumes.restore(volume)
  for (const claim of provisions) assumed.claims.restore(claim)
}

/** Drops assumed objects that the API server has confirmed. */
function dropConfirmed({ bindings, provisions }: PodVolumes, objects: ObjectReader, assumed: Assumptions): void {
  for (const { volume } of bindings) {
    const stored = objects.get('persistentvolumes', volume.metadata.name)
    if (stored !== undefined) assumed.volumes.over(stored)
  }
  for (const claim of provisions) {
    const stored = objects.get('persistentvolumeclaims', keyOf(claim))
    if (stored !== undefined) assumed.claims.over(stored)
  }
}
