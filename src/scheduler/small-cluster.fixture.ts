import { keyOf } from '../api/object-key.ts'
import type { KubeObject, StringMap } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod, PodSpec } from '../api/objects/pod.ts'
import { createRandom } from '../base/random.ts'
import { SchedulerCache } from './cache/scheduler-cache.ts'
import type { CycleInput, CycleResult, Explanation, ObjectReader, Profile, Scheduling } from './contract/contract.ts'
import { createScheduling } from './cycle.ts'
import { createDefaultProfile } from './plugins/default-plugins.ts'
import { PodNominator } from './queue/nominator.ts'

// For tests: small clusters in compact notation.

export interface NodeWords {
  readonly labels?: StringMap
  readonly allocatable?: StringMap
  readonly spec?: Node['spec']
  readonly status?: Node['status']
}

/** A node with 4 CPUs, 8 GiB and 10 pods whose hostname is its name. */
export function node(name: string, { labels, allocatable, spec, status }: NodeWords = {}): Node {
  return {
    metadata: { name, uid: name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: spec ?? {},
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable }, ...status },
  }
}

export interface PodWords extends Partial<Omit<PodSpec, 'containers'>> {
  readonly cpu?: string
  readonly memory?: string
  readonly requests?: StringMap
  readonly labels?: StringMap
  readonly namespace?: string
  readonly containers?: PodSpec['containers']
  readonly status?: Pod['status']
  readonly metadata?: Partial<Pod['metadata']>
}

/** A pod in the namespace `default` with the given requests only. */
export function pod(name: string, words: PodWords = {}): Pod {
  const { cpu, memory, requests, labels, namespace = 'default', containers, status, metadata, ...spec } = words
  const asked = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }), ...requests }
  return {
    metadata: { name, namespace, uid: `uid-${name}`, ...(labels === undefined ? {} : { labels }), ...metadata },
    spec: { containers: containers ?? [{ name: 'c', image: 'app', resources: { requests: asked } }], ...spec },
    status: status ?? {},
  }
}

export interface ClusterWords {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>
  readonly profile?: Profile
  readonly seed?: string
}

export interface SmallCluster {
  readonly cache: SchedulerCache
  readonly nominator: PodNominator
  readonly scheduling: Scheduling
  readonly plain: Scheduling
  readonly input: CycleInput
  schedule(pending: Pod): CycleResult
  explain(pending: Pod): Explanation
  /** The message of the pod when no node fits. */
  failure(pending: Pod): string
}

export function createSmallCluster(words: ClusterWords): SmallCluster {
  const cache = new SchedulerCache()
  const nominator = new PodNominator()
  for (const one of words.nodes) cache.addNode(one)
  for (const one of words.pods ?? []) cache.addPod(one)
  const options = { profile: words.profile ?? createDefaultProfile(), cache, nominator }
  const scheduling = createScheduling(options)
  const plain = createScheduling({ ...options, evaluator: 'plain' })
  const input = { objects: readerOf(words.objects ?? {}), random: createRandom(words.seed ?? 'small') }
  const schedule = (pending: Pod): CycleResult => scheduling.schedule(cache.parser.parse(pending), input)
  return {
    cache,
    nominator,
    scheduling,
    plain,
    input,
    schedule,
    explain: (pending) => scheduling.explain(cache.parser.parse(pending), input),
    failure(pending) {
      const result = schedule(pending)
      return result.kind === 'placed' ? `placed on ${result.node}` : result.message
    },
  }
}

export function readerOf(objects: Readonly<Record<string, readonly KubeObject[]>>): ObjectReader {
  const inNamespace = (namespace: string | undefined, { metadata }: KubeObject): boolean =>
    namespace === undefined || metadata.namespace === namespace
  return {
    get: (resource, key) => objects[resource]?.find((object) => keyOf(object) === key) as never,
    list: (resource, namespace) => (objects[resource] ?? []).filter((one) => inNamespace(namespace, one)) as never,
  }
}
