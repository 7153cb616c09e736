import { type AnyCondition, findCondition } from '../api/conditions.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { Cluster, PodFilter } from '../library/cluster.ts'
import type { ServedResource } from '../library/resource-name.ts'

/** The result of a check, with the message for a failed assertion. */
export interface CheckResult {
  readonly pass: boolean
  /** The reason why the check does not hold, or a statement that it holds. */
  readonly message: string
}

/** `deployment/web`, `node/node-1`: a resource and a name, as kubectl writes them. */
export type ObjectText = `${string}/${string}`

export interface EventFilter {
  readonly reason?: string
  /** The name of the involved object. */
  readonly about?: string
}

const passed = (message: string): CheckResult => ({ pass: true, message })
const failed = (message: string): CheckResult => ({ pass: false, message })

/** No pod is pending. */
export function checkNoPending(cluster: Cluster, filter: Omit<PodFilter, 'phase'> = {}): CheckResult {
  const pending = cluster.pods({ ...filter, phase: 'Pending' })
  if (pending.length === 0) return passed('no pod is pending')
  return failed(`${pending.length} pods are pending:\n${listed(pending.map(pendingText))}`)
}

/** The object is ready: a workload has all its replicas, a node or a pod is Ready, a job is complete. */
export function checkReady(cluster: Cluster, object: ObjectText, namespace?: string): CheckResult {
  const found = objectAt(cluster, object, namespace)
  if (found === undefined) return failed(`${object} does not exist`)
  const why = notReady(found)
  return why === undefined ? passed(`${object} is ready`) : failed(`${object} is not ready: ${why}`)
}

/** The object exists. */
export function checkObject(cluster: Cluster, object: ObjectText, namespace?: string): CheckResult {
  return objectAt(cluster, object, namespace) === undefined
    ? failed(`${object} does not exist`)
    : passed(`${object} exists`)
}

/** The object has a condition with this status. */
export function checkCondition(
  cluster: Cluster,
  object: ObjectText,
  type: string,
  status = 'True',
  namespace?: string,
): CheckResult {
  const found = objectAt(cluster, object, namespace)
  if (found === undefined) return failed(`${object} does not exist`)
  const conditions = (found as { readonly status?: { readonly conditions?: Conditions } }).status?.conditions
  const condition = findCondition(conditions, type)
  if (condition === undefined) return failed(`${object} has no condition ${type}`)
  if (condition.status === status) return passed(`${object} has ${type}=${status}`)
  const { reason = '', message = '' } = condition
  return failed(`${object} has ${type}=${condition.status} (${reason}: ${message}), expected ${status}`)
}

/** An event was recorded. */
export function checkEvent(cluster: Cluster, filter: EventFilter): CheckResult {
  const text = [filter.reason, filter.about].filter((part) => part !== undefined).join(' about ')
  if (cluster.events(filter).length > 0) return passed(`there is an event ${text}`)
  const others = cluster.events(filter.about === undefined ? {} : { about: filter.about })
  const known = [...new Set(others.map(({ reason }) => reason ?? ''))].sort()
  return failed(`there is no event ${text}; recorded reasons are ${known.join(', ') || 'none'}`)
}

/** No reconciler was rejected. */
export function checkNoFailures(cluster: Cluster): CheckResult {
  const { failures } = cluster
  if (failures.length === 0) return passed('no reconciler failed')
  return failed(
    `reconcilers failed ${failures.length} times:\n${listed(
      failures.map(({ controller, request, error }) => `${controller} ${request.name}: ${String(error)}`),
    )}`,
  )
}

interface Condition extends AnyCondition {
  readonly reason?: string
  readonly message?: string
}

type Conditions = readonly Condition[]

function objectAt(cluster: Cluster, text: string, namespace: string | undefined): KubeObject | undefined {
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1)
    throw new Error(`${JSON.stringify(text)} must be RESOURCE/NAME, for example deployment/web`)
  return cluster.get(text.slice(0, slash) as ServedResource, text.slice(slash + 1), namespace) as KubeObject | undefined
}

interface Replicated extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly completions?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly updatedReplicas?: number
    readonly numberReady?: number
    readonly desiredNumberScheduled?: number
    readonly conditions?: Conditions
  }
}

/** The reason why the object is not ready; undefined if it is ready. */
function notReady(object: KubeObject): string | undefined {
  const { spec, status, metadata } = object as Replicated
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'ReplicationController': {
      if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
        return 'its controller has not seen the last change'
      const wanted = spec?.replicas ?? 1
      const updated = status?.updatedReplicas ?? wanted
      if (updated < wanted) return `${updated} of ${wanted} replicas are updated`
      const ready = status?.readyReplicas ?? 0
      return ready >= wanted ? undefined : `${ready} of ${wanted} replicas are ready`
    }
    case 'DaemonSet': {
      const { numberReady: ready = 0, desiredNumberScheduled: wanted } = status ?? {}
      if (wanted === undefined) return 'its controller has not seen it'
      return ready >= wanted ? undefined : `${ready} of ${wanted} pods are ready`
    }
    case 'Job':
      return conditionProblem(status?.conditions, 'Complete')
    default:
      return conditionProblem(status?.conditions, 'Ready')
  }
}

function conditionProblem(conditions: Conditions | undefined, type: string): string | undefined {
  const condition = findCondition(conditions, type)
  if (condition === undefined) return `it has no condition ${type}`
  return condition.status === 'True' ? undefined : `${type}=${condition.status} ${condition.message ?? ''}`.trim()
}

function pendingText({ metadata, status }: Pod): string {
  const why = findCondition(status?.conditions, 'PodScheduled')
  return `${metadata.namespace}/${metadata.name}: ${why?.status === 'False' ? (why.message ?? '') : 'scheduled, not started'}`
}

const mostLines = 10

function listed(lines: readonly string[]): string {
  const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more`] : []
  return [...lines.slice(0, mostLines), ...more].map((line) => `  ${line}`).join('\n')
}
