import { deepEqual } from '../../src/api/equality.ts'
import { keyOf } from '../../src/api/object-key.ts'
import type { Namespace, Service } from '../../src/api/objects/cluster.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { ColumnarCache } from '../../src/scheduler/cache/scheduler-cache.ts'
import { createScheduling } from '../../src/scheduler/cycle.ts'
import type {
  CycleResult,
  Explanation,
  Nominator,
  ObjectReader,
  ParsedPod,
  Status,
} from '../../src/scheduler/framework/contract.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import { pass, type Verdict } from './verdict.ts'

interface Given {
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly pod: Pod
  readonly namespaces?: readonly Namespace[]
  readonly services?: readonly Service[]
  readonly pdbs?: readonly PodDisruptionBudget[]
  readonly nominated?: readonly { readonly pod: Pod; readonly node: string }[]
  readonly pvs?: readonly KubeObject[]
  readonly pvcs?: readonly KubeObject[]
  readonly storageClasses?: readonly KubeObject[]
  readonly csiNodes?: readonly KubeObject[]
}

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

interface Want {
  readonly feasible: readonly string[]
  readonly rejected: Readonly<Record<string, Rejection>>
  readonly scores?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly total?: Readonly<Record<string, number>>
  readonly message?: string
  readonly preemption?: PreemptionAnswer | { readonly anyOf: readonly PreemptionAnswer[] }
  readonly preFilter?: Rejection
  readonly preFilterNodes?: readonly string[]
}

export function run(given: Given, want: Want): Verdict {
  const cache = new ColumnarCache()
  for (const node of given.nodes) cache.addNode(node)
  for (const pod of given.pods) cache.addPod(pod)
  const nominator = nominatorOf(given, (pod) => cache.parser.parse(pod))
  const scheduling = createScheduling({ profile: createDefaultProfile(), cache, nominator })
  const input = { objects: readerOf(given), random: createRandom('golden') }
  const pod = cache.parser.parse(given.pod)

  const explained = describeNodes(scheduling.explain(pod, input))
  const expected = comparable(want)
  if (!deepEqual(explained, expected)) return { ok: false, got: explained }
  const result = scheduling.schedule(pod, input)
  const problem = want.feasible.length > 0 ? wrongPlace(result, want) : wrongFailure(result, want)
  return problem === undefined ? pass : { ok: false, got: problem }
}

/** Everything of an answer but preemption, with sets in one order. */
function comparable({ preemption: _, ...want }: Want): unknown {
  const { message, preFilter, preFilterNodes } = want
  return {
    feasible: [...want.feasible].sort(),
    rejected: Object.fromEntries(Object.entries(want.rejected).map(([node, one]) => [node, sorted(one)])),
    scores: want.scores ?? {},
    total: want.total ?? {},
    // The message of a narrowed search is not in the vectors.
    ...(message === undefined ? {} : { message }),
    ...(preFilter === undefined ? {} : { preFilter: sorted(preFilter) }),
    ...(preFilterNodes === undefined ? {} : { preFilterNodes: [...preFilterNodes].sort() }),
  }
}

function describeNodes(explained: Explanation): unknown {
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
    ...(message === undefined || preFilterNodes !== undefined ? {} : { message }),
    ...(preFilter === undefined ? {} : { preFilter: sorted(preFilter) }),
    ...(preFilterNodes === undefined ? {} : { preFilterNodes: [...preFilterNodes].sort() }),
  }
}

function sorted({ code, plugin, reasons }: Rejection | Status): Rejection {
  return { code, ...(plugin === undefined ? {} : { plugin }), reasons: [...reasons].sort() }
}

function wrongPlace(result: CycleResult, { total = {}, feasible }: Want): unknown {
  if (result.kind !== 'placed') return { result: result.kind, message: result.message }
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
  if (!allowed.some((one) => deepEqual({ ...one, victims: [...one.victims].sort() }, answer)))
    return { preemption: answer }
  const message = [want.message, answer.message].filter((part) => part !== undefined).join(' ')
  return want.message === undefined || result.message === message ? undefined : { message: result.message }
}

/**
 * Upstream's nominator keeps names and looks the pods up in its queue (v1.36, PriorityQueue.nominatedPodToInfo). One
 * that is in no queue, as here, counts as a pod without requests, labels or priority.
 */
function nominatorOf({ nominated = [] }: Given, parse: (pod: Pod) => ParsedPod): Nominator {
  const byNode = new Map<string, ParsedPod[]>()
  for (const { pod, node } of nominated) {
    const { name, namespace, uid } = pod.metadata as { name: string; namespace: string; uid: string }
    const bare: Pod = { metadata: { name, namespace, uid }, spec: { containers: [] } }
    byNode.set(node, [...(byNode.get(node) ?? []), parse(bare)])
  }
  return {
    nominatedPodsFor: (node) => byNode.get(node) ?? [],
    nominatedNodes: () => byNode.keys(),
    nodeOf: (uid) => nominated.find(({ pod }) => pod.metadata.uid === uid)?.node,
    size: nominated.length,
    version: 1,
  }
}

function readerOf(given: Given): ObjectReader {
  const lists: Readonly<Record<string, readonly KubeObject[]>> = {
    namespaces: given.namespaces ?? [],
    services: given.services ?? [],
    'poddisruptionbudgets.policy': given.pdbs ?? [],
    persistentvolumes: given.pvs ?? [],
    persistentvolumeclaims: given.pvcs ?? [],
    'storageclasses.storage.k8s.io': given.storageClasses ?? [],
    'csinodes.storage.k8s.io': given.csiNodes ?? [],
  }
  return {
    get: (resource, key) => lists[resource]?.find((object) => keyOf(object) === key) as never,
    list: (resource, namespace) =>
      (lists[resource] ?? []).filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      ) as never,
  }
}
