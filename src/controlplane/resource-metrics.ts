import { isPodTerminal } from '../api/conditions.ts'
import type { LabelMatcher } from '../api/label-matcher.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { NodeUsage } from '../api/node-usage.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import { failure, notFound } from '../api/status.ts'
import { formatTime } from '../api/time.ts'
import type { ForwardedAnswer, ForwardedRequest } from '../apiserver/aggregation/aggregator.ts'
import { type LoadModel, lastSample, resolutionMs } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import type { ScaleTarget } from '../autoscalers/horizontal-pod-autoscaler/metrics-source.ts'
import type { Registry } from '../registry/contract.ts'
import type { Store } from '../store/contract.ts'

const group = 'metrics.k8s.io'
const version = 'v1beta1'
const root = `/apis/${group}/${version}`

/** The Service in the APIService, as in a cluster with metrics-server. Requests to it are answered here. */
export const metricsService = 'kube-system/metrics-server'

export const apiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, labels: { 'k8s-app': 'metrics-server' } },
  spec: {
    group,
    version,
    service: { namespace: 'kube-system', name: 'metrics-server' },
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 100,
    versionPriority: 100,
  },
} as unknown as KubeObject

/** Registers the API, unless it is already registered. */
export function defineResourceMetrics(registry: Registry): void {
  const resource = 'apiservices.apiregistration.k8s.io'
  if (registry.store.get(resource, apiService.metadata.name) !== undefined) return
  const outcome = registry.call({ verb: 'create', resource, object: apiService })
  if (!outcome.ok) throw new Error(`cannot create ${apiService.metadata.name}: ${outcome.status.message}`)
}

/** Usage in thousandths of a unit. */
interface Usage {
  readonly cpu: bigint
  readonly memory: bigint
}

/**
 * Serves the API metrics.k8s.io from the load of hollow pods. A pod without a load has no metrics. The usage of a node
 * is the sum over its pods.
 */
export class ResourceMetrics {
  private readonly store: Store
  private readonly model: LoadModel
  private readonly wall: () => number
  private sampled: { readonly at: number; readonly usage: ReadonlyMap<string, NodeUsage> } | undefined

  constructor(store: Store, model: LoadModel, wall: () => number) {
    this.store = store
    this.model = model
    this.wall = wall
  }

  /** The nodes with at least one pod with a load, as of the last sample. */
  nodeUsage(): ReadonlyMap<string, NodeUsage> {
    const at = lastSample(this.wall())
    if (this.sampled?.at === at) return this.sampled.usage
    const usage = new Map(
      [...this.usedByNode()].map(([node, { cpu, memory }]) => [
        node,
        { cpuMilli: Number(cpu), memoryBytes: Number(memory / 1000n) },
      ]),
    )
    this.sampled = { at, usage }
    return usage
  }

  answer({ method, path }: Pick<ForwardedRequest, 'method' | 'path'>): ForwardedAnswer {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const parts = pathname.slice(root.length).split('/').filter(Boolean).map(decodeURIComponent)
    if (!pathname.startsWith(root)) return unknownPath
    if (method !== 'GET') return failed(failure('MethodNotAllowed', `${method} is not supported on ${pathname}`))
    if (parts.length === 0) return answerOf(200, resourceList)
    const selector = parseLabelSelector(searchParams.get('labelSelector') ?? '')
    if (!selector.ok) return failed(failure('BadRequest', selector.message))
    const [resource, name] = parts[0] === 'namespaces' ? [parts[2], parts[3]] : parts
    const namespace = parts[0] === 'namespaces' ? parts[1] : undefined
    if (resource === 'nodes' && namespace === undefined) return this.nodes(name, selector.value)
    if (resource === 'pods') return this.pods(namespace, name, selector.value)
    return unknownPath
  }

  private pods(namespace: string | undefined, name: string | undefined, selector: LabelMatcher): ForwardedAnswer {
    const items = this.measured()
      .filter(({ pod: { metadata } }) => namespace === undefined || metadata.namespace === namespace)
      .filter(({ pod: { metadata } }) => name === undefined || metadata.name === name)
      .filter(({ pod: { metadata } }) => selector.matches(metadata.labels ?? {}))
      .map((each) => this.podMetrics(each))
    if (name === undefined) return answerOf(200, listOf('PodMetricsList', items))
    const [found] = items
    return found === undefined
      ? failed(notFound(`podmetrics.${group}`, `${namespace}/${name}`))
      : answerOf(200, { ...found, ...kindOf('PodMetrics') })
  }

  private podMetrics({ pod, usage, container }: MeasuredPod): object {
    return {
      ...this.sampleOf(pod),
      containers: pod.spec.containers.map(({ name }) => ({
        name,
        usage: quantities(name === container ? usage : nothing),
      })),
    }
  }

  private nodes(name: string | undefined, selector: LabelMatcher): ForwardedAnswer {
    const used = this.usedByNode()
    const items = (this.store.list('nodes') as readonly Node[])
      .filter(({ metadata }) => name === undefined || metadata.name === name)
      .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
      .map((node) => ({ ...this.sampleOf(node), usage: quantities(used.get(node.metadata.name) ?? nothing) }))
    if (name === undefined) return answerOf(200, listOf('NodeMetricsList', items))
    const [found] = items
    return found === undefined
      ? failed(notFound(`nodemetrics.${group}`, name))
      : answerOf(200, { ...found, ...kindOf('NodeMetrics') })
  }

  private usedByNode(): ReadonlyMap<string, Usage> {
    const used = new Map<string, Usage>()
    for (const { pod, usage } of this.measured()) {
      const node = pod.spec.nodeName ?? ''
      const before = used.get(node) ?? nothing
      used.set(node, { cpu: before.cpu + usage.cpu, memory: before.memory + usage.memory })
    }
    return used
  }

  private sampleOf({ metadata: { name, namespace, labels } }: KubeObject) {
    const wall = this.wall()
    const place = namespace === undefined ? {} : { namespace }
    return {
      metadata: { name, ...place, creationTimestamp: formatTime(wall), ...(labels === undefined ? {} : { labels }) },
      timestamp: formatTime(lastSample(wall)),
      window: `${resolutionMs / 1000}s`,
    }
  }

  /** The pods with a load that have run long enough for a sample. */
  private measured(): readonly MeasuredPod[] {
    const wall = this.wall()
    const byWorkload = new Map<string, WorkloadPods>()
    // Many pods share a controller, so the workload of each controller is looked up once.
    const byController = new Map<string, WorkloadPods>()
    for (const pod of this.store.list('pods') as readonly Pod[]) {
      if (isPodTerminal(pod)) continue
      const controller = controllerOf(pod)?.uid ?? ''
      let workload = controller === '' ? undefined : byController.get(controller)
      if (workload === undefined) {
        const target = this.workloadOf(pod)
        const key = `${target.kind}/${target.namespace}/${target.name}`
        workload = byWorkload.get(key) ?? { target, pods: [] }
        byWorkload.set(key, workload)
        byController.set(controller, workload)
      }
      workload.pods.push(pod)
    }
    return [...byWorkload.values()].flatMap(({ target, pods }) => {
      if (!this.model.hasLoadOf(target)) return []
      const observed = { target, pods, wall }
      return pods.flatMap((pod) => {
        const cpu = this.model.usageOf('cpu', pod, observed)
        const memory = this.model.usageOf('memory', pod, observed)
        if (cpu === undefined && memory === undefined) return []
        const container = this.model.containerOf(pod, observed)
        return { pod, container, usage: { cpu: cpu ?? 0n, memory: memory ?? 0n } }
      })
    })
  }

  /**
   * The workload that users scale: the Deployment of a ReplicaSet, otherwise the controller of the pod, otherwise the
   * pod.
   */
  private workloadOf(pod: Pod): ScaleTarget {
    const namespace = pod.metadata.namespace ?? ''
    const owner = controllerOf(pod)
    if (owner === undefined) return { kind: 'Pod', namespace, name: pod.metadata.name }
    const set =
      owner.kind === 'ReplicaSet' ? this.store.get('replicasets.apps', `${namespace}/${owner.name}`) : undefined
    const above = set === undefined ? undefined : controllerOf(set)
    const { kind, name } = above ?? owner
    return { kind, namespace, name }
  }
}

interface WorkloadPods {
  readonly target: ScaleTarget
  readonly pods: Pod[]
}

interface MeasuredPod {
  readonly pod: Pod
  readonly container: string | undefined
  readonly usage: Usage
}

const nothing: Usage = { cpu: 0n, memory: 0n }

/** Formats usage in the units of metrics-server. */
const quantities = ({ cpu, memory }: Usage) => ({
  cpu: cpu === 0n ? '0' : `${cpu * 1_000_000n}n`,
  memory: memory === 0n ? '0' : `${(memory + 1_023_999n) / 1_024_000n}Ki`,
})

const kindOf = (kind: string) => ({ kind, apiVersion: `${group}/${version}` })

const listOf = (kind: string, items: readonly object[]) => ({ ...kindOf(kind), metadata: {}, items })

const resourceOf = (name: string, namespaced: boolean, kind: string) => ({
  name,
  singularName: '',
  namespaced,
  kind,
  verbs: ['get', 'list'],
})

const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/${version}`,
  resources: [resourceOf('nodes', false, 'NodeMetrics'), resourceOf('pods', true, 'PodMetrics')],
}

function answerOf(code: number, body: object): ForwardedAnswer {
  const headers = { 'content-type': 'application/json' }
  return { kind: 'full', code, headers, body: Buffer.from(JSON.stringify(body)) }
}

const failed = ({ status }: ReturnType<typeof failure>): ForwardedAnswer => answerOf(status.code ?? 500, status)

const unknownPath = failed(failure('NotFound', 'the server could not find the requested resource'))
