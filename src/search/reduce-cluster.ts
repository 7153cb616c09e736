import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { CaseResult, CaseViolation } from './run-case.ts'

/** Runs steps on a cluster of these objects. Undefined: the objects are not a cluster. */
export type TryCluster = (
  objects: readonly KubeObject[],
  steps: readonly JsonObject[],
) => Promise<CaseResult | undefined>

export interface ReducedCluster {
  readonly objects: readonly KubeObject[]
  readonly result: CaseResult
  readonly tried: number
}

// The maximum number of tries. Each try loads a cluster, which takes longer than a case.
const mostTries = 80

/** Removes workloads and nodes that the violation does not require. The nodes of the steps stay. */
export async function reduceCluster(
  objects: readonly KubeObject[],
  steps: readonly JsonObject[],
  { violation, tryOn }: { readonly violation: CaseViolation; readonly tryOn: TryCluster },
): Promise<ReducedCluster | undefined> {
  const fixed = new Set(JSON.stringify(steps).match(/"[^"\\]+"/g) ?? [])
  const groups = [...removable(objects, fixed).values()]
  let kept = groups
  let best: ReducedCluster | undefined
  let tried = 0
  for (let chunk = Math.ceil(groups.length / 2); chunk >= 1 && tried < mostTries; chunk = Math.floor(chunk / 2)) {
    for (let at = 0; at < kept.length && tried < mostTries; ) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + chunk)]
      const left = without(objects, groups, rest)
      tried++
      const result = await tryOn(left, steps)
      if (result?.violation?.expectation === violation.expectation && result.violation.subject === violation.subject) {
        kept = rest
        best = { objects: left, result, tried }
      } else at += chunk
    }
  }
  return best && { ...best, tried }
}

function without(
  objects: readonly KubeObject[],
  groups: readonly ReadonlySet<KubeObject>[],
  kept: readonly ReadonlySet<KubeObject>[],
): readonly KubeObject[] {
  const gone = new Set(groups.filter((group) => !kept.includes(group)).flatMap((group) => [...group]))
  return objects.filter((object) => !gone.has(object))
}

/** A workload with all objects that belong to it, or a node with its Lease and the pods that depend only on it. */
function removable(objects: readonly KubeObject[], fixed: ReadonlySet<string>): ReadonlyMap<string, Set<KubeObject>> {
  const byUid = new Map(objects.map((object) => [object.metadata.uid ?? '', object]))
  const topOf = (object: KubeObject): KubeObject => {
    const owner = byUid.get(controllerOf(object)?.uid ?? ' ')
    return owner === undefined || owner.kind === 'Node' ? object : topOf(owner)
  }
  const groups = new Map<string, Set<KubeObject>>()
  const add = (key: string, object: KubeObject) => {
    const known = groups.get(key)
    if (known === undefined) groups.set(key, new Set([object]))
    else known.add(object)
  }
  for (const object of objects) {
    const { kind, metadata } = object
    if (kind === 'Node' && !fixed.has(JSON.stringify(metadata.name))) add(`node ${metadata.name}`, object)
    else if (kind === 'Lease' && !fixed.has(JSON.stringify(metadata.name))) add(`node ${metadata.name}`, object)
    else if (kind === 'PodDisruptionBudget') add(`budget ${metadata.namespace}/${metadata.name}`, object)
    else if (workloadKinds.has(kind ?? '')) add(`workload ${nameOf(topOf(object))}`, object)
  }
  // A pod must not remain without its node.
  for (const pod of objects) {
    const node = pod.kind === 'Pod' ? (pod as Pod).spec.nodeName : undefined
    if (node !== undefined && groups.has(`node ${node}`)) add(`node ${node}`, pod)
  }
  return groups
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`

const workloadKinds: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Pod',
  'ReplicationController',
])
