import { isPodReady, isPodTerminal } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import type { KubeObject, OwnerReference, StringMap } from '../../api/objects/meta.ts'
import type { Pod, PodTemplateSpec } from '../../api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { newReplicaSet } from '../../controllers/deployment/new-replica-set.ts'

type ObjectsByKey = ReadonlyMap<string, KubeObject>

export interface DerivedReplicaSets {
  readonly derived: readonly ReplicaSet[]
  /** Set if every ReplicaSet that owns a pod is found or derived. */
  readonly isComplete: boolean
}

/**
 * The ReplicaSets that a dump lacks, derived from their Deployments and pods. Otherwise the Deployment controller would
 * create new ReplicaSets, with additional pods.
 */
export function derivedReplicaSets(
  deployments: ObjectsByKey,
  replicaSets: ObjectsByKey,
  pods: ObjectsByKey,
): DerivedReplicaSets {
  const byDeployment = new Map<Deployment, OrphanedPods[]>()
  let isComplete = true
  for (const orphaned of orphanedPods(replicaSets, pods)) {
    const deployment = deploymentOf(orphaned, deployments)
    if (deployment === undefined) isComplete = false
    else byDeployment.set(deployment, [...(byDeployment.get(deployment) ?? []), orphaned])
  }
  const derived = [...byDeployment].flatMap(([deployment, sets]) => {
    const [newest, ...old] = sets.sort((a, b) => (newestOf(a) < newestOf(b) ? 1 : -1))
    if (newest === undefined) return []
    const only = old.length === 0 ? deployment.spec?.replicas : undefined
    const current = derivedSet(deployment, newest, { revision: old.length + 1, replicas: only })
    return [current, ...old.map((set, at) => outdatedSet(deployment, set, old.length - at))]
  })
  return { derived, isComplete }
}

/** The pods of a ReplicaSet that is missing. */
interface OrphanedPods {
  readonly owner: OwnerReference
  readonly first: Pod
  readonly pods: Pod[]
}

function orphanedPods(replicaSets: ObjectsByKey, pods: ObjectsByKey): Iterable<OrphanedPods> {
  const found = new Map<string, OrphanedPods>()
  for (const pod of pods.values() as Iterable<Pod>) {
    const owner = controllerOf(pod)
    if (owner?.kind !== 'ReplicaSet' || !owner.apiVersion.startsWith('apps/')) continue
    const key = `${pod.metadata.namespace}/${owner.name}`
    if (replicaSets.has(key)) continue
    const orphaned = found.get(key)
    if (orphaned === undefined) found.set(key, { owner, first: pod, pods: [pod] })
    else orphaned.pods.push(pod)
  }
  return found.values()
}

const hashOf = ({ metadata }: Pod): string => metadata.labels?.[labels.podTemplateHash] ?? ''

/** The name of a ReplicaSet consists of the name of its Deployment and the hash of the template. */
function deploymentOf({ owner, first }: OrphanedPods, deployments: ObjectsByKey): Deployment | undefined {
  const suffix = `-${hashOf(first)}`
  if (suffix === '-' || !owner.name.endsWith(suffix)) return undefined
  const name = owner.name.slice(0, -suffix.length)
  const deployment = deployments.get(`${first.metadata.namespace}/${name}`) as Deployment | undefined
  return selects(deployment?.spec?.selector, first.metadata.labels) ? deployment : undefined
}

const newestOf = ({ pods }: OrphanedPods): string =>
  pods
    .map(({ metadata }) => metadata.creationTimestamp ?? '')
    .sort()
    .at(-1) ?? ''

function derivedSet(
  deployment: Deployment,
  { owner, first, pods }: OrphanedPods,
  {
    revision,
    replicas,
    template,
  }: {
    readonly revision: number
    /** Absent: the number of existing pods. */
    readonly replicas?: number | undefined
    /** Absent: the template of the Deployment. */
    readonly template?: PodTemplateSpec
  },
): ReplicaSet {
  const made = newReplicaSet(deployment, { newSet: undefined, old: [], all: [] })
  const withHash = (given?: StringMap) => ({ ...given, [labels.podTemplateHash]: hashOf(first) })
  const alive = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod))
  const ready = alive.filter(isPodReady).length
  const podTemplate = template ?? made.spec!.template!
  return {
    ...made,
    metadata: {
      ...made.metadata,
      name: owner.name,
      ...(owner.uid === undefined ? {} : { uid: owner.uid }),
      generation: 1,
      labels: withHash(made.metadata.labels),
      annotations: { ...made.metadata.annotations, [annotations.deploymentRevision]: String(revision) },
    },
    spec: {
      ...made.spec!,
      replicas: replicas ?? alive.length,
      selector: { ...made.spec!.selector, matchLabels: withHash(made.spec!.selector?.matchLabels) },
      template: {
        ...podTemplate,
        metadata: { ...podTemplate.metadata, labels: withHash(podTemplate.metadata?.labels) },
      },
    },
    status: {
      replicas: alive.length,
      fullyLabeledReplicas: alive.length,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: 1,
    },
  }
}

/** An outdated ReplicaSet during a rollout. Its template is known from its pods only. */
function outdatedSet(deployment: Deployment, set: OrphanedPods, revision: number): ReplicaSet {
  const { metadata, spec } = set.first
  const { nodeName: _, ...rest } = spec
  return derivedSet(deployment, set, {
    revision,
    template: { metadata: { labels: metadata.labels ?? {} }, spec: rest },
  })
}
