import { findCondition } from '../../api/conditions.ts'
import { keyOf, objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import type { QueueEntry } from '../../api/queue-entry.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { parseTime } from '../../api/time.ts'
import { nodePools } from '../../autoscalers/karpenter/names.ts'
import { claimsProblem, hasClaims } from '../../autoscalers/karpenter/scheduling/pod-needs.ts'
import { estimateEviction, type PendingEviction } from '../../controllers/taint-eviction/pending-eviction.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import type { RequestDiagnosis } from '../../scheduler/plugins/dynamic-resources/device-diagnosis.ts'
import { isWildcard, labelsOf } from '../../scheduler/queue/cluster-event.ts'
import { hintTableOf } from '../../scheduler/queue/hint-table.ts'
import { findDeviceRepairs, noMatchingDevice } from './device-repair.ts'
import type { ObjectSource } from './object-set.ts'
import { findRepairs, type Repair } from './repair.ts'
import { findResourceRepairs } from './resource-repair.ts'
import { amountText, shortagesOn } from './shortage.ts'
import { TrialCluster } from './trial-cluster.ts'

export interface NodeVerdict {
  readonly node: string
  readonly feasible: boolean
  /** The first plugin that rejects the pod, and its reasons. */
  readonly plugin?: string
  readonly reasons?: readonly string[]
  /** For a node that DynamicResources rejects: the requests, and the reason why they do not get devices of the node. */
  readonly devices?: readonly RequestDiagnosis[]
  /** Set if the pod requests more than the node has, even if the node is empty. */
  readonly isTooSmall?: boolean
  /** Weighted and normalized; only for feasible nodes. */
  readonly total?: number
  readonly scores?: Readonly<Record<string, number>>
}

export interface PodExplanation {
  readonly pod: string
  readonly state: 'bound' | 'placeable' | 'pending' | 'gated' | 'finished'
  readonly node?: string
  /** The result of scheduling the pod now. */
  readonly message: string
  readonly nodes: readonly NodeVerdict[]
  /** The node on which preemption would make room. */
  readonly preemption?: { readonly node: string; readonly victims: readonly string[] }
  readonly queue?: {
    readonly place: string
    readonly since: number
    readonly estimated: boolean
    readonly attempts?: number
    readonly retriedAt?: number
  }
  /** The events that may requeue the pod, by plugin. */
  readonly wakesOn: Readonly<Record<string, readonly string[]>>
  /** The smallest changes that would place the pod, best first. */
  readonly repairs: readonly Repair[]
  /** The reason why no change of these nodes can place the pod. */
  readonly never?: string
  /** The reason why the autoscaler of the cluster creates no node for the pod. */
  readonly autoscaler?: string
  readonly eviction?: { readonly at: number; readonly cause: string; readonly estimated: boolean }
}

export interface ExplainInput {
  readonly objects: ObjectSource
  readonly pod: Pod
  readonly now: number
  readonly profile?: Profile
  /** With the gates of the cluster; absent: the default release. */
  readonly release?: KubernetesRelease
  /** From a running berth. If absent, queue and eviction are estimated from the objects. */
  readonly queue?: readonly QueueEntry[]
  readonly evictions?: readonly PendingEviction[]
}

/** Explains why a pod is on its node or pending, and which changes would place it. Changes nothing. */
export function explainPod(input: ExplainInput): PodExplanation {
  const { pod, objects } = input
  const profile = input.profile ?? createDefaultProfile()
  const trial = new TrialCluster(objects, profile, pod)
  const explained = trial.explain(pod)
  const nodes = withDevices(withSizes(verdicts(trial, explained), trial, pod), trial, input)
  const common = { pod: keyOf(pod), nodes }
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') {
    return {
      ...common,
      state: 'finished',
      message: `the pod has ${pod.status.phase === 'Failed' ? 'failed' : 'finished'}`,
      wakesOn: {},
      repairs: [],
    }
  }
  if (pod.spec.nodeName) return { ...common, ...explainBound(input, pod.spec.nodeName) }
  const gates = pod.spec.schedulingGates ?? []
  if (gates.length > 0) {
    const names = gates.map(({ name }) => name).join(', ')
    const repairs: readonly Repair[] = [
      {
        node: '',
        changes: [{ what: 'gate', sentence: `remove the scheduling gate${gates.length === 1 ? '' : 's'} ${names}` }],
      },
    ]
    return {
      ...common,
      state: 'gated',
      message: `Scheduling is blocked due to non-empty scheduling gates: ${names}`,
      wakesOn: {},
      repairs,
      ...queueOf(input),
    }
  }
  const result = trial.schedule(pod)
  const group = groupNameOf(pod)
  if (result.kind === 'placed' && group !== undefined) {
    const key = objectKey(pod.metadata.namespace, group)
    const message = `it would fit on ${result.node}, but it is scheduled together with the pods of its PodGroup; berth explain podgroup ${key} shows when they start`
    return { ...common, state: 'pending', message, wakesOn: {}, repairs: [], ...queueOf(input) }
  }
  if (result.kind === 'placed') {
    return {
      ...common,
      state: 'placeable',
      message: `would be placed on ${result.node} now`,
      node: result.node,
      wakesOn: {},
      repairs: [],
      ...queueOf(input),
    }
  }
  const rejected =
    explained.preFilter === undefined
      ? explained.rejected
      : new Map(trial.nodes().map(({ name }) => [name, explained.preFilter!]))
  const plugins = result.kind === 'unschedulable' ? result.unschedulablePlugins : new Set<string>()
  const lacking = devicesByNode(nodes)
  const isEverywhere = lacking.size > 0 && lacking.size === nodes.length
  const never = impossible(trial, pod) ?? (isEverywhere ? noMatchingDevice(lacking) : undefined)
  return {
    ...common,
    state: 'pending',
    message: result.message,
    ...(result.kind === 'unschedulable' && result.preemption !== undefined
      ? {
          preemption: {
            node: result.preemption.victims.node,
            victims: result.preemption.victims.pods.map(({ key }) => key),
          },
        }
      : {}),
    wakesOn: wakes(profile, plugins),
    // A change of a node cannot fix a cycle that ends in an error.
    repairs:
      never === undefined && result.kind !== 'error'
        ? smallestFirst([
            ...findDeviceRepairs(trial, pod, lacking),
            ...findRepairs(trial, pod, rejected),
            ...findResourceRepairs(trial, pod),
          ])
        : [],
    ...(never === undefined ? {} : { never }),
    ...autoscalerOf(input),
    ...queueOf(input),
  }
}

function autoscalerOf({ objects, pod }: ExplainInput): Pick<PodExplanation, 'autoscaler'> {
  if (!hasClaims(pod) || objects.list(nodePools).length === 0) return {}
  return { autoscaler: `Karpenter creates no node for it: ${claimsProblem}` }
}

/** Sorts by number of changes. Among equal numbers, changes that remove the cause come before changes of resources. */
const smallestFirst = (repairs: readonly Repair[]) => repairs.toSorted((a, b) => a.changes.length - b.changes.length)

function verdicts(trial: TrialCluster, explained: ReturnType<TrialCluster['explain']>): readonly NodeVerdict[] {
  const scores = new Map(explained.scores.map((each) => [each.node, each]))
  const good = explained.feasible.map((node): NodeVerdict => {
    const score = scores.get(node)
    return { node, feasible: true, ...(score === undefined ? {} : { total: score.total, scores: score.plugins }) }
  })
  good.sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || (a.node < b.node ? -1 : 1))
  const all = explained.preFilter
  const bad = all === undefined ? [...explained.rejected] : trial.nodes().map(({ name }) => [name, all] as const)
  return [
    ...good,
    ...bad.map(
      ([node, { plugin, reasons }]): NodeVerdict => ({
        node,
        feasible: false,
        ...(plugin === undefined ? {} : { plugin }),
        reasons,
      }),
    ),
  ]
}

/** Marks nodes that are too small for the pod, and lists them last. */
function withSizes(nodes: readonly NodeVerdict[], trial: TrialCluster, pod: Pod): readonly NodeVerdict[] {
  const parsed = trial.parse(pod)
  // A node also counts if another plugin rejects it first, such as a tainted node without GPUs.
  const isTooSmall = ({ node, feasible }: NodeVerdict) => {
    const state = feasible ? undefined : trial.node(node)
    return state !== undefined && shortagesOn(state, parsed).some(({ request, allocatable }) => request > allocatable)
  }
  const small = new Set(nodes.filter(isTooSmall))
  return [...nodes.filter((node) => !small.has(node)), ...[...small].map((node) => ({ ...node, isTooSmall: true }))]
}

// The limit of nodes. The causes of additional nodes repeat those of the first nodes.
const maxDiagnosedNodes = 100

/** Adds the causes to nodes that lack devices. */
function withDevices(
  nodes: readonly NodeVerdict[],
  trial: TrialCluster,
  { pod, release = defaultRelease }: ExplainInput,
): readonly NodeVerdict[] {
  let left = maxDiagnosedNodes
  return nodes.map((verdict) => {
    if (verdict.plugin !== 'DynamicResources' || left-- <= 0) return verdict
    const devices = trial.devicesOn(pod, verdict.node, release)
    return devices.length === 0 ? verdict : { ...verdict, devices }
  })
}

function devicesByNode(nodes: readonly NodeVerdict[]): ReadonlyMap<string, readonly RequestDiagnosis[]> {
  return new Map(nodes.flatMap(({ node, devices }) => (devices === undefined ? [] : [[node, devices] as const])))
}

function explainBound({ pod, objects, now, evictions }: ExplainInput, node: string) {
  const on = objects.get('nodes', node)
  const known = evictions?.find((each) => each.pod === keyOf(pod))
  const eviction = known ?? (on === undefined || evictions !== undefined ? undefined : estimateEviction(pod, on, now))
  return {
    state: 'bound' as const,
    node,
    message: on === undefined ? `bound to ${node}, which does not exist` : `bound to ${node}`,
    wakesOn: {},
    repairs: [],
    ...(eviction === undefined
      ? {}
      : { eviction: { at: eviction.fireAt, cause: eviction.cause, estimated: known === undefined } }),
  }
}

/** The queue of the pod: reported by the scheduler, or estimated from its conditions. */
function queueOf({ pod, queue }: ExplainInput): Pick<PodExplanation, 'queue'> {
  const entry = queue?.find((each) => each.pod === keyOf(pod))
  if (entry !== undefined) {
    const at = entry.place === 'backoff' ? entry.backoffUntil : entry.retriedAt
    return {
      queue: {
        place: entry.place,
        since: entry.since,
        estimated: false,
        attempts: entry.attempts,
        ...(at === undefined ? {} : { retriedAt: at }),
      },
    }
  }
  const condition = findCondition(pod.status?.conditions, 'PodScheduled')
  const since = parseTime(condition?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '')
  if (since === undefined) return {}
  const place =
    (pod.spec.schedulingGates ?? []).length > 0 || condition?.reason === 'SchedulingGated'
      ? 'gated'
      : condition?.reason === 'Unschedulable'
        ? 'unschedulable'
        : 'active'
  return { queue: { place, since, estimated: true } }
}

function wakes(profile: Profile, plugins: ReadonlySet<string>): Readonly<Record<string, readonly string[]>> {
  const all = [...new Set([...profile.preFilter, ...profile.filter, ...profile.postFilter])]
  const table = hintTableOf([profile])
  const labels = (plugin: string): readonly string[] =>
    table.rulesOf(profile.schedulerName, plugin).flatMap(({ on }) => (isWildcard(on) ? ['any change'] : labelsOf(on)))
  return Object.fromEntries(
    all.filter(({ name }) => plugins.has(name)).map(({ name }) => [name, [...new Set(labels(name))]]),
  )
}

/** A request that exceeds even an empty node. */
function impossible(trial: TrialCluster, pod: Pod): string | undefined {
  const nodes = trial.nodes()
  if (nodes.length === 0) return 'never: the cluster has no nodes'
  const { requests } = trial.parse(pod).shape
  const largest = (read: (node: (typeof nodes)[number]) => number) => Math.max(...nodes.map(read))
  const tooMuch = (resource: string, request: number, most: number) =>
    request > most
      ? `never: requests ${amountText(resource, request)} ${resource}, but the largest node has ${amountText(resource, most)}`
      : undefined
  return (
    tooMuch(
      'cpu',
      requests.cpuMilli,
      largest(({ allocatable }) => allocatable.cpuMilli),
    ) ??
    tooMuch(
      'memory',
      requests.memoryBytes,
      largest(({ allocatable }) => allocatable.memoryBytes),
    ) ??
    [...requests.scalars]
      .map(([name, amount]) =>
        tooMuch(
          name,
          amount,
          largest(({ allocatable }) => allocatable.scalars.get(name) ?? 0),
        ),
      )
      .find((each) => each !== undefined)
  )
}
