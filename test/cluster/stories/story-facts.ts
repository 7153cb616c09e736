import { findCondition, isNodeReady, isPodReady } from '../../../src/api/conditions.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../../src/api/objects/pod.ts'

export type Listing = (resource: string) => Promise<readonly KubeObject[]>

/** The resources that facts are about, in the order in which they can be deleted. */
export const storyResources = [
  'poddisruptionbudgets.policy',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'pods',
  'nodes',
] as const

/**
 * The facts that must be equal when both sides are idle. Names of pods and the nodes of pods are random, and so is which of two workloads gets the
 * last room; everything else is a fact.
 */
export async function factsOf(list: Listing): Promise<readonly string[]> {
  const nodes = (await list('nodes')) as readonly Node[]
  const silent = new Set(nodes.filter((node) => !isNodeReady(node)).map(({ metadata }) => metadata.name))
  // How many pods of a Deployment were on a silent node is random; they stay until it is back.
  const pods = ((await list('pods')) as readonly Pod[]).filter(
    ({ metadata, spec }) => metadata.deletionTimestamp === undefined || !silent.has(spec.nodeName ?? ''),
  )
  const pending = pods.filter(({ spec }) => (spec.nodeName ?? '') === '')
  const facts = [`pods: ${pods.length}, ${pending.length} pending`]
  for (const { metadata, spec, status } of nodes) {
    const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort()
    const ready = findCondition(status?.conditions, 'Ready')
    const cordoned = spec?.unschedulable === true ? ', cordoned' : ''
    facts.push(`node ${metadata.name}: Ready ${ready?.status} ${ready?.reason}${cordoned}, taints ${taints.join(' ')}`)
  }
  for (const resource of ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps']) {
    for (const object of await list(resource))
      facts.push(...workloadFacts(resource, object, pods, pending.length === 0))
  }
  for (const budget of (await list('poddisruptionbudgets.policy')) as readonly PodDisruptionBudget[]) {
    if (pending.length > 0) continue
    const { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods } = budget.status ?? {}
    const counts = [currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods].join('/')
    facts.push(`budget ${budget.metadata.name}: ${counts}`)
  }
  return facts.sort()
}

function workloadFacts(
  resource: string,
  { metadata, spec, status }: KubeObject & { readonly spec?: object; readonly status?: object },
  pods: readonly Pod[],
  isPlaced: boolean,
): readonly string[] {
  const own = pods.filter((pod) => pod.metadata.labels?.['app'] === metadata.name)
  const going = own.filter((pod) => pod.metadata.deletionTimestamp !== undefined).length
  const ready = own.filter(isPodReady).length
  const name = `${resource} ${metadata.name}`
  const wanted = (spec as { readonly replicas?: number } | undefined)?.replicas ?? '-'
  if (!isPlaced) return [`${name}: ${wanted} wanted`]
  const counts = status as Readonly<Record<string, number>> | undefined
  const shown = [
    'replicas',
    'readyReplicas',
    'updatedReplicas',
    'availableReplicas',
    'numberReady',
    'numberUnavailable',
  ]
  const told = shown.map((field) => counts?.[field] ?? 0).join('/')
  const isObserved = counts?.['observedGeneration'] === metadata.generation
  return [`${name}: ${wanted} wanted, ${own.length} pods, ${ready} ready, ${going} going, status ${told} ${isObserved}`]
}
