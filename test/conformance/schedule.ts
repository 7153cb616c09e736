import { deepEqual } from '../../src/api/equality.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { ResourceName } from '../../src/api/objects/resources.ts'
import { statusCountingOf } from '../../src/api/pod-resources.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { createRandom } from '../../src/base/random.ts'
import { createPodParser } from '../../src/scheduler/cache/pod-parser.ts'
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import { createProfiles } from '../../src/scheduler/config/profiles.ts'
import { readSchedulerConfiguration } from '../../src/scheduler/config/scheduler-configuration.ts'
import type {
  AnyPlugin,
  CycleResult,
  Explanation,
  Nominator,
  ObjectReader,
  ParsedPod,
  PluginStatus,
  Profile,
} from '../../src/scheduler/contract/contract.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { eachOf, type GivenObjects, readerOf } from './given-objects.ts'
import { pass, type Verdict } from './verdict.ts'

export interface Given extends GivenObjects {
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[] | null
  readonly pod: Pod
  /** `queued`: the scheduler knows the pod itself and not its name alone. */
  readonly nominated?: readonly { readonly pod: Pod; readonly node: string; readonly queued?: boolean }[]
  /** Changes of nodes and bound pods before the pod is scheduled; null: added or deleted. */
  readonly changes?: readonly Change[] | null
  /** A KubeSchedulerConfiguration whose first profile schedules; the default profile without one. */
  readonly config?: unknown
}

type Change =
  | { readonly resource: 'nodes'; readonly old: Node | null; readonly new: Node | null }
  | { readonly resource: 'pods'; readonly old: Pod | null; readonly new: Pod | null }

interface Rejection {
  readonly code: string
  readonly plugin?: string
  readonly reasons: readonly string[]
}

interface PreemptionAnswer {
  readonly node: string
  readonly victims: readonly string[]
  readonly status: string
  readonly message?: string
}

export interface Want {
  readonly feasible: readonly string[]
  readonly rejected: Readonly<Record<string, Rejection>>
  readonly scores?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly total?: Readonly<Record<string, number>>
  readonly message?: string
  readonly preemption?: PreemptionAnswer | { readonly anyOf: readonly PreemptionAnswer[] }
  readonly preFilter?: Rejection
  readonly preFilterNodes?: readonly string[]
  /** The cycle ends in one of these errors, and nothing else is known. */
  readonly errors?: readonly string[]
}

/** The recordings were made without DynamicResources. */
export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  return compareSchedule(given, want, { release, profile: withoutDevices(profileOf(given, release)) })
}

/** The input of an additional check of a case. */
export interface AskedCluster {
  readonly cache: SchedulerCache
  readonly objects: ObjectReader
  readonly pod: ParsedPod
}

/** @param check Returns differences besides the answers of the cycle. */
export function compareSchedule(
  given: Given,
  want: Want,
  { release, profile }: { readonly release: KubernetesRelease; readonly profile: Profile },
  check?: (asked: AskedCluster) => unknown,
): Verdict {
  const cache = new SchedulerCache(createPodParser(statusCountingOf(release)))
  for (const node of given.nodes) cache.addNode(node)
  for (const pod of given.pods ?? []) cache.addPod(pod)
  eachOf(given, (resource, object) => cache.noteChange(resource as ResourceName, undefined, object))
  const nominator = nominatorOf(given, (pod) => cache.parser.parse(pod))
  const scheduling = createScheduling({ profile, cache, nominator })
  const input = { objects: readerOf(given), random: createRandom('golden') }
  const pod = cache.parser.parse(given.pod)
  for (const change of given.changes ?? []) {
    // The state that is kept between cycles must follow the changes.
    scheduling.schedule(pod, input)
    apply(cache, change)
  }

  if (want.errors !== undefined) return failsAlike(scheduling.schedule(pod, input), want.errors)
  const explained = describeNodes(scheduling.explain(pod, input), want)
  const expected = comparable(want)
  if (!deepEqual(explained, expected)) return { ok: false, got: explained }
  const result = scheduling.schedule(pod, input)
  const nominee = given.pod.status?.nominatedNodeName
  const problem = wrongEnd(result, want) ?? wrongResult(result, want, nominee)
  const wrong = problem ?? check?.({ cache, objects: input.objects, pod })
  return wrong === undefined ? pass : { ok: false, got: wrong }
}

function withoutDevices(profile: Profile): Profile {
  const others = (plugins: readonly AnyPlugin[]): readonly AnyPlugin[] =>
    plugins.filter(({ name }) => name !== 'DynamicResources')
  return {
    ...profile,
    preEnqueue: others(profile.preEnqueue),
    preFilter: others(profile.preFilter),
    filter: others(profile.filter),
    postFilter: others(profile.postFilter),
    preScore: others(profile.preScore),
    score: profile.score.filter(({ plugin }) => plugin.name !== 'DynamicResources'),
  }
}

function apply(cache: SchedulerCache, change: Change): void {
  if (change.resource === 'nodes') {
    if (change.old === null) cache.addNode(change.new as Node)
    else if (change.new === null) cache.removeNode(change.old)
    else cache.updateNode(change.old, change.new)
  } else if (change.old === null) cache.addPod(change.new as Pod)
  else if (change.new === null) cache.removePod(change.old)
  else cache.updatePod(change.old, change.new)
}

function profileOf({ config }: Given, release: KubernetesRelease): Profile {
  if (config === undefined) return createDefaultProfile({ release })
  const read = readSchedulerConfiguration(config, release)
  if (!read.ok) throw new Error(JSON.stringify(read))
  const created = createProfiles(read.value, { release })
  if (!created.ok) throw new Error(created.message)
  return created.value[0] as Profile
}

function failsAlike(result: CycleResult, want: readonly string[]): Verdict {
  const got = result.kind === 'error' ? result.message : result.kind
  return want.includes(got) ? pass : { ok: false, got: { errors: [got] } }
}

/** Everything of an answer but preemption, with sets in one order. */
function comparable({ preemption: _, ...want }: Want): unknown {
  const { message, preFilter, preFilterNodes } = want
  return {
    feasible: [...want.feasible].sort(),
    rejected: Object.fromEntries(Object.entries(want.rejected).map(([node, one]) => [node, sorted(one)])),
    scores: want.scores ?? {},
    total: want.total ?? {},
    ...(message === undefined ? {} : { message }),
    ...(preFilter === undefined ? {} : { preFilter: sorted(preFilter) }),
    ...(preFilterNodes === undefined ? {} : { preFilterNodes: [...preFilterNodes].sort() }),
  }
}

function describeNodes(explained: Explanation, want: Want): unknown {
  const { message, preFilter, preFilterNodes } = explained
  const scores: Record<string, Record<string, number>> = {}
  for (const { node, plugins } of explained.scores) {
    for (const [plugin, score] of Object.entries(plugins)) {
      scores[plugin] ??= {}
      scores[plugin][node] = score
    }
  }
  return {
    feasible: [...explained.feasible].sort(),
    rejected: Object.fromEntries([...explained.rejected].map(([node, status]) => [node, sorted(status)])),
    scores,
    total: Object.fromEntries(explained.scores.map(({ node, total }) => [node, total])),
    // The message of a narrowed search is not in every vector.
    ...(message === undefined || (preFilterNodes !== undefined && want.message === undefined) ? {} : { message }),
    ...(preFilter === undefined ? {} : { preFilter: sorted(preFilter) }),
    ...(preFilterNodes === undefined ? {} : { preFilterNodes: [...preFilterNodes].sort() }),
  }
}

function sorted({ code, plugin, reasons }: Rejection | PluginStatus): Rejection {
  return { code, ...(plugin === undefined ? {} : { plugin }), reasons: [...reasons].sort() }
}

/** An error on a node, which the recordings keep beside the answers of other nodes, ends the cycle. */
function wrongEnd(result: CycleResult, { rejected }: Want): unknown {
  const errors = Object.values(rejected).flatMap(({ code, reasons }) => (code === 'Error' ? reasons : []))
  if (errors.length === 0 || (result.kind === 'error' && errors.includes(result.message))) return undefined
  return { result }
}

function wrongResult(result: CycleResult, want: Want, nominee: string | undefined): unknown {
  if (result.kind === 'error' && Object.values(want.rejected).some(({ code }) => code === 'Error')) return undefined
  return want.feasible.length > 0 ? wrongPlace(result, want, nominee) : wrongFailure(result, want)
}

function wrongPlace(result: CycleResult, { total = {}, feasible }: Want, nominee: string | undefined): unknown {
  if (result.kind !== 'placed') return { result: result.kind, message: result.message }
  // The node that a pod is nominated to is tried first and alone.
  if (nominee !== undefined && feasible.includes(nominee)) {
    return result.node === nominee ? undefined : { placed: result.node, nominated: nominee }
  }
  const best = Math.max(...Object.values(total))
  const right = feasible.length === 1 ? result.node === feasible[0] : total[result.node] === best
  return right ? undefined : { placed: result.node }
}

function wrongFailure(result: CycleResult, want: Want): unknown {
  if (result.kind !== 'unschedulable') return { result: result.kind }
  const { diagnosis, preemption } = result
  const rejected = Object.fromEntries(
    [...(diagnosis?.rejected() ?? [])].map(([node, status]) => [node, sorted(status)]),
  )
  const expected = (comparable(want) as { rejected: unknown }).rejected
  if (!deepEqual(rejected, expected)) return { rejected }
  if (want.preemption === undefined) return undefined
  const answer: PreemptionAnswer = {
    node: preemption?.victims.node ?? '',
    victims: (preemption?.victims.pods ?? []).map(({ key }) => key).sort(),
    status: preemption === undefined ? 'Unschedulable' : 'Success',
    ...(result.postFilterMessage === undefined ? {} : { message: result.postFilterMessage }),
  }
  const allowed = 'anyOf' in want.preemption ? want.preemption.anyOf : [want.preemption]
  if (!allowed.some((one) => deepEqual(comparablePreemption(one), answer))) return { preemption: answer }
  const message = [want.message, answer.message].filter((part) => part !== undefined).join(' ')
  return want.message === undefined || result.message === message ? undefined : { message: result.message }
}

/** A preemption that ran into an error (status Error) leaves the pod unschedulable, like one that found no victims. */
function comparablePreemption(one: PreemptionAnswer): PreemptionAnswer {
  const status = one.status === 'Error' ? 'Unschedulable' : one.status
  return { ...one, status, victims: [...one.victims].sort() }
}

/**
 * Upstream's nominator keeps names and looks the pods up in its queue (v1.36, PriorityQueue.nominatedPodToInfo). One
 * that is in no queue, as here, counts as a pod without requests, labels or priority.
 */
function nominatorOf({ nominated = [] }: Given, parse: (pod: Pod) => ParsedPod): Nominator {
  const byNode = new Map<string, ParsedPod[]>()
  for (const { pod, node, queued } of nominated) {
    const { name, namespace, uid } = pod.metadata as { name: string; namespace: string; uid: string }
    const bare: Pod = { metadata: { name, namespace, uid }, spec: { containers: [] } }
    byNode.set(node, [...(byNode.get(node) ?? []), parse(queued ? pod : bare)])
  }
  return {
    nominatedPodsFor: (node) => byNode.get(node) ?? [],
    nominatedNodes: () => byNode.keys(),
    nodeOf: (uid) => nominated.find(({ pod }) => pod.metadata.uid === uid)?.node,
    size: nominated.length,
    version: 1,
  }
}
