import { parseGoDurationMs } from '../../../api/go-duration.ts'
import { objectKey } from '../../../api/object-key.ts'
import type { PodGroup } from '../../../api/objects/groups.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { groupNameOf } from '../../../api/pod-claims.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { must } from '../../../base/result.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import {
  failure,
  type NodeState,
  type ObjectReader,
  ok,
  type ParsedPod,
  skip,
  unresolvable,
} from '../../contract/contract.ts'
import { type DeviceFeatures, deviceFeaturesOf } from '../../devices/device-features.ts'
import { higherIsBetter } from '../../framework/normalize.ts'
import { answerFor, type ClaimState, type DeviceSettings, type NodeAllocation, needsDevices, readClaims } from './claim-state.ts' // biome-ignore format: one line
import { dynamicResourcesColumns } from './columns.ts'
import { deallocate } from './deallocation.ts'
import { groupClaims } from './group-claims.ts'
import { KeptAllocations } from './kept-allocations.ts'
import { podClaims } from './pod-claims.ts'
import { hasAlternatives, scoreOf } from './prioritized-lists.ts'
import { ClaimReservation } from './reservation.ts'
import { dynamicResourcesWake } from './wake.ts'

export interface DynamicResourcesArgs {
  /** A Go duration; `0s`: no limit. */
  readonly filterTimeout?: string
  readonly bindingTimeout?: string
}

/**
 * The number of search steps that count as one millisecond of the filter timeout. A decision has no clock, and the same
 * search must time out in every run.
 */
const stepsPerMs = 100

/** The PreFilter state, with the devices that Filter found on each node. */
interface FilterState extends ClaimState {
  readonly onNode: Map<string, NodeAllocation>
}

/** The PreScore state: the claims of pods with alternatives. */
interface ScoreState {
  readonly state: ClaimState | undefined
}

/** Allocates devices to the claims of pods (v1.36, dynamicresources). */
export function createDynamicResources(
  { filterTimeout = '10s', bindingTimeout = '10m' }: DynamicResourcesArgs,
  release: KubernetesRelease,
): ColumnarPlugin<FilterState, ScoreState> {
  const [filterTimeoutMs, bindingTimeoutMs] = [filterTimeout, bindingTimeout].map((text) =>
    must(parseGoDurationMs(text)),
  ) as [number, number]
  const features = deviceFeaturesOf(release)
  const limited = features.filterTimeout && filterTimeoutMs > 0
  const maxSteps = limited ? filterTimeoutMs * stepsPerMs : Number.POSITIVE_INFINITY
  const settings: DeviceSettings = { features, maxSteps, bindingTimeoutMs }
  const kept = new KeptAllocations()
  const reservations = new Map<string, ClaimReservation>()
  return defineColumnarPlugin<FilterState, ScoreState>({
    name: 'DynamicResources',
    withoutPreFilter: 'not found',
    preEnqueue(pod, objects) {
      if (pod.spec.resourceClaims === undefined) return ok
      const claims = podClaims(
        pod,
        (key) => objects.get('resourceclaims.resource.k8s.io', key),
        features.workloadClaims,
      )
      return 'problem' in claims ? unresolvable(claims.problem) : ok
    },
    preFilter(pod, cluster) {
      const state = readClaims(pod, cluster, settings)
      return 'code' in state ? state : { state: { ...state, onNode: new Map() } }
    },
    filter(pod, node, state) {
      const { status, allocation } = answerFor(pod, node, state, settings)
      if (allocation !== undefined) state.onNode.set(node.name, allocation)
      return status
    },
    postFilter: (pod, diagnosis, context) => deallocate(pod, diagnosis, context, settings),
    groupPostFilter: groupClaims(settings),
    preScore(pod, _nodes, cluster) {
      const state = features.prioritizedList ? readClaims(pod, cluster, settings) : skip
      return { state: { state: 'code' in state || !hasAlternatives(state.claims) ? undefined : state } }
    },
    score(pod, node, { state }) {
      if (state === undefined) return 0
      const { allocation } = answerFor(pod, node, state, settings)
      return allocation === undefined ? 0 : scoreOf(state.claims, allocation.results)
    },
    normalize: higherIsBetter,
    reserve(pod, name, known, cluster) {
      if (!needsDevices(pod, cluster.devices, features)) return ok
      const state = known ?? readClaims(pod, cluster, settings)
      if ('code' in state) return state.code === 'Skip' ? ok : failure(state.reasons.join(', '))
      const allocation = known?.onNode.get(name) ?? allocationOn(pod, cluster.node(name), state, settings, kept)
      if (allocation === undefined) return failure('claim allocation not found for node')
      const reservation = new ClaimReservation(
        pod,
        name,
        state,
        allocation,
        settings,
        groupOf(pod.pod, cluster.objects, features),
      )
      reservation.begin()
      reservations.set(pod.uid, reservation)
      return ok
    },
    unreserve(pod) {
      const reservation = reservations.get(pod.uid)
      reservations.delete(pod.uid)
      return reservation?.release()
    },
    preBindPreFlight: (pod) => (reservations.has(pod.uid) ? ok : skip),
    preBind: (pod, _node, _state, turn) => reservations.get(pod.uid)?.preBind(turn) ?? { kind: 'done' },
    postBind(pod) {
      reservations.delete(pod.uid)
    },
    wakeOn: dynamicResourcesWake(release),
    columns: dynamicResourcesColumns(settings, kept),
  })
}

/** The group whose claims the pod shares. */
function groupOf(pod: Pod, objects: ObjectReader, { workloadClaims }: DeviceFeatures): PodGroup | undefined {
  const name = workloadClaims ? groupNameOf(pod) : undefined
  return name === undefined
    ? undefined
    : objects.get('podgroups.scheduling.k8s.io', objectKey(pod.metadata.namespace, name))
}

/** The devices on a node. A cycle that computes them for all nodes at once keeps only the last ones of each node. */
function allocationOn(
  pod: ParsedPod,
  node: NodeState | undefined,
  state: ClaimState,
  settings: DeviceSettings,
  kept: KeptAllocations,
): NodeAllocation | undefined {
  if (node === undefined) return undefined
  const known = kept.find(node.node, state)
  if (known !== undefined) return known
  const answer = answerFor(pod, node, state, settings)
  if (answer.status.code !== 'Success') return undefined
  return answer.allocation ?? { results: [], extendedClaim: undefined, mappings: [] }
}
