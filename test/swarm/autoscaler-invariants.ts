import { isNodeReady, isPodReady, isPodTerminal } from '../../src/api/conditions.ts'
import type { HorizontalPodAutoscaler } from '../../src/api/objects/autoscaling.ts'
import type { NodeClaim } from '../../src/api/objects/karpenter.ts'
import type { StringMap } from '../../src/api/objects/meta.ts'
import type { Node, Taint } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { DaemonSet, Deployment } from '../../src/api/objects/workloads.ts'
import { milliValue } from '../../src/api/quantity.ts'
import type { Store } from '../../src/store/contract.ts'
import { hold } from './broken-invariant.ts'
import type { SwarmStory } from './story.ts'
import { groupMax, groupTemplate } from './story-autoscaler.ts'
import { karpenterCpus } from './story-extras.ts'

const claims = 'nodeclaims.karpenter.sh'

/** The nodes that autoscalers have added. */
export function grownNodes(store: Store): readonly Node[] {
  return (store.list('nodes') as readonly Node[]).filter(({ metadata }) => metadata.labels?.['pool'] === 'grown')
}

/** At every time: a node group is not larger than its maximum. */
export function checkGroupSize(store: Store, { autoscaling }: SwarmStory): void {
  if (autoscaling?.['clusterAutoscaler'] === undefined) return
  const count = grownNodes(store).length
  hold('node groups', count <= groupMax, () => `the node group has ${count} nodes, at most ${groupMax} are allowed`)
}

/**
 * The taints of the healthy nodes of the group when it last had one. Cluster Autoscaler describes a new node like the
 * last healthy node that it saw, with its taints, also when that node is gone (1.36, MixedTemplateNodeInfoProvider: the
 * entries of its cache expire after ten years).
 */
export class GroupExample {
  private taints: readonly Taint[] = []

  take(store: Store): void {
    const healthy = grownNodes(store).filter(
      (node) =>
        isNodeReady(node) &&
        node.spec?.unschedulable !== true &&
        !(node.spec?.taints ?? []).some(({ key }) => key === 'ToBeDeletedByClusterAutoscaler'),
    )
    if (healthy.length > 0) this.taints = healthy.flatMap(({ spec }) => spec?.taints ?? [])
  }

  /** The expected taints of a new node, of those that stories set. */
  get ofStory(): readonly Taint[] {
    return this.taints.filter(({ key }) => key === 'swarm')
  }
}

/** The required results of autoscalers at the end of a story. */
export function checkAutoscalersAtRest(
  store: Store,
  story: SwarmStory,
  example: GroupExample,
  hasRoom: (node: Node, pods: readonly Pod[]) => boolean,
): void {
  if (story.autoscaling?.['clusterAutoscaler'] !== undefined) checkGroupAtRest(store, example, hasRoom)
  const isComplete =
    store.get('nodepools.karpenter.sh', 'grown') !== undefined &&
    store.get('kwoknodeclasses.karpenter.kwok.sh', 'default') !== undefined
  if (isComplete) checkKarpenterAtRest(store)
  checkHorizontal(store, story)
}

/** A pending pod without constraints would fit a new node of the group, and the group can grow. */
function checkGroupAtRest(
  store: Store,
  { ofStory: taints }: GroupExample,
  hasRoom: (node: Node, pods: readonly Pod[]) => boolean,
): void {
  if (grownNodes(store).length >= groupMax) return
  const daemons = daemonPodsOfGroup(store)
  for (const pod of pendingPods(store)) {
    const { spec } = pod
    const isPlain =
      spec.affinity === undefined && spec.topologySpreadConstraints === undefined && spec.resourceClaims === undefined
    const isAlone = !spec.containers.some(({ ports }) => ports !== undefined) && !('schedulingGroup' in spec)
    if (!isPlain || !isAlone) continue
    const template = groupTemplate as unknown as Node
    const node = { ...template, metadata: { name: 'new', labels: template.metadata.labels }, spec: { taints } } as Node
    hold(
      'scale-up',
      !hasRoom(node, [pod, ...daemons]),
      () => `${pod.metadata.name} is pending, and the node group can grow`,
    )
  }
}

/**
 * The pods of DaemonSets on a new node, as Cluster Autoscaler counts them: one of each DaemonSet that selects the node, also
 * if the node could not run it (1.36, GetDaemonSetPodsForNode).
 */
function daemonPodsOfGroup(store: Store): readonly Pod[] {
  const { labels } = groupTemplate.metadata
  return (store.list('daemonsets.apps') as readonly DaemonSet[])
    .map(({ metadata, spec }) => ({ metadata, spec: spec?.template.spec }) as unknown as Pod)
    .filter(({ spec: { nodeSelector = {} } }) =>
      Object.entries(nodeSelector).every(([key, value]) => (labels as StringMap)[key] === value),
    )
}

/** The CPUs of the largest instance type. */
const largestCpus = 4

/** As Karpenter counts: every daemon pod runs on a new node, or no type is large enough. */
function hasRoomBesideDaemons(store: Store): boolean {
  const daemons = (store.list('daemonsets.apps') as readonly Deployment[]).flatMap(
    ({ spec }) => spec?.template.spec.containers ?? [],
  )
  const cpuMilli = daemons.reduce((sum, { resources }) => sum + milliValue(resources?.requests?.['cpu'] as string), 0)
  return cpuMilli <= 1000 * (largestCpus - 2) && daemons.every(({ resources }) => resources?.limits === undefined)
}

function checkKarpenterAtRest(store: Store): void {
  const nodes = grownNodes(store)
  // As upstream counts: the capacity of a claim (of kwok: its requests), of claims that are not being deleted.
  const cpuMilli = (store.list(claims) as readonly NodeClaim[])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .reduce((sum, { status }) => sum + milliValue((status?.capacity?.['cpu'] as string | undefined) ?? '0'), 0)
  const cpus = cpuMilli / 1000
  hold('Karpenter limits', cpus <= karpenterCpus, () => `the pool has ${cpus} CPUs, ${karpenterCpus} are allowed`)
  const ids = new Set(nodes.map(({ spec }) => spec?.providerID))
  for (const { metadata, status } of store.list(claims) as readonly NodeClaim[])
    hold('Karpenter claims', ids.delete(status?.providerID), () => `${metadata.name} has no node`)
  hold('Karpenter claims', ids.size === 0, () => `${[...ids].join()} has no NodeClaim`)
  if (cpus + largestCpus > karpenterCpus || !hasRoomBesideDaemons(store)) return
  const pod = pendingPods(store).find(({ metadata }) => metadata.labels?.['app'] === 'wave')
  hold('provisioning', pod === undefined, () => `${pod?.metadata.name} is pending, and the pool can grow`)
}

/** The replicas are within the limits, and the load per replica is near its target unless a limit prevents it. */
function checkHorizontal(store: Store, { load = [] }: SwarmStory): void {
  for (const { metadata, spec } of store.list(
    'horizontalpodautoscalers.autoscaling',
  ) as readonly HorizontalPodAutoscaler[]) {
    const { name } = metadata
    const target = store.get('deployments.apps', `default/${name}`) as Deployment | undefined
    const replicas = target?.spec?.replicas ?? 0
    if (replicas === 0) continue
    const [least, most] = [spec?.minReplicas ?? 1, spec?.maxReplicas ?? 1]
    hold(
      'horizontal autoscaling',
      replicas >= least && replicas <= most,
      () => `${name} has ${replicas} replicas, ${least} to ${most} are allowed`,
    )
    const pods = (store.list('pods') as readonly Pod[]).filter(({ metadata: { labels } }) => labels?.['app'] === name)
    if (pods.length !== replicas || !pods.every(isPodReady)) continue
    const request = milliValue(pods[0]?.spec.containers[0]?.resources?.requests?.['cpu'] as string)
    const metric = spec?.metrics?.[0] as { resource?: { target?: { averageUtilization?: number } } } | undefined
    const wanted = (request * (metric?.resource?.target?.averageUtilization ?? 100)) / 100
    const ratio = lastLoad(load[0]) / replicas / wanted
    const isNear = Math.abs(ratio - 1) <= 0.11 || Math.ceil(ratio * replicas) === replicas
    hold(
      'horizontal autoscaling',
      isNear || (ratio > 1 ? replicas === most : replicas === least),
      () => `${name} has ${replicas} replicas of ${least} to ${most}, and ${ratio.toFixed(2)} times its target`,
    )
  }
}

/** The usage at the end of the story, in thousandths of a CPU. */
function lastLoad(load: unknown): number {
  const { cpu, steps } = load as { cpu: string; steps: readonly { at: string; cpu: string }[] }
  const last = steps.toSorted((a, b) => Number.parseInt(a.at, 10) - Number.parseInt(b.at, 10)).at(-1)
  return milliValue(last?.cpu ?? cpu)
}

function pendingPods(store: Store): readonly Pod[] {
  return (store.list('pods') as readonly Pod[]).filter((pod) => (pod.spec.nodeName ?? '') === '' && !isPodTerminal(pod))
}
