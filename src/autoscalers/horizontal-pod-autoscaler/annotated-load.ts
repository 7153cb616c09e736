import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { milliValueInt64, parseQuantity } from '../../api/quantity.ts'
import type { Load } from './load.ts'
import type { ScaleTarget } from './metrics-source.ts'

/** On a workload: the load that its ready pods share, for example `cpu=2,memory=1Gi`. */
export const loadAnnotation = 'berth.dev/load'

/** On a pod: the usage of the pod. KWOK reads the same annotations. */
const usageAnnotation = (resource: string) => `kwok.x-k8s.io/usage-${resource}`

const workloadResources: ReadonlyMap<string, string> = new Map([
  ['deployment', 'deployments.apps'],
  ['replicaset', 'replicasets.apps'],
  ['statefulset', 'statefulsets.apps'],
  ['replicationcontroller', 'replicationcontrollers'],
  ['daemonset', 'daemonsets.apps'],
  ['job', 'jobs.batch'],
])

interface ObjectLookup {
  get(resource: string, key: string): KubeObject | undefined
}

/** The loads that annotations of workloads currently define. */
export class AnnotatedLoads {
  private readonly objects: ObjectLookup

  constructor(objects: ObjectLookup) {
    this.objects = objects
  }

  /** Undefined without the annotation, or if it has no valid amount. */
  loadOf({ kind, namespace, name }: ScaleTarget): Load | undefined {
    const resource = workloadResources.get(kind.toLowerCase())
    const object = resource === undefined ? undefined : this.objects.get(resource, `${namespace}/${name}`)
    const text = object?.metadata.annotations?.[loadAnnotation]
    const usage = text === undefined ? undefined : amountsIn(text)
    if (usage === undefined || usage.size === 0) return undefined
    return { target: { kind, namespace, name }, isShared: true, points: [{ atMs: 0, usage }] }
  }
}

/** The usage in the annotation of a pod, in thousandths. */
export function annotatedUsage({ metadata }: Pod, resource: string): bigint | undefined {
  const text = metadata.annotations?.[usageAnnotation(resource)]
  return text === undefined ? undefined : amountOf(text)
}

function amountsIn(text: string): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((each) => each.trim())
    const amount = amountOf(value)
    if (name !== '' && amount !== undefined) amounts.set(name, amount)
  }
  return amounts
}

function amountOf(text: string): bigint | undefined {
  const parsed = parseQuantity(text)
  return parsed.ok ? milliValueInt64(parsed.value) : undefined
}
