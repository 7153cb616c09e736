import { isNodeReady, isPodTerminal } from '../api/conditions.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { Store } from '../store/contract.ts'

/**
 * Nodes of one class, with the pods on them, are interchangeable: same labels except their names, same taints and
 * resources, and the same number of pods of the same workloads. The failure of one node of a class has the same
 * consequences as that of another. Values are names of classes.
 */
export function nodeClasses(store: Store): ReadonlyMap<string, string> {
  const nodes = store.list('nodes') as readonly Node[]
  const pods = new Map<string, string[]>()
  for (const pod of store.list('pods') as readonly Pod[]) {
    const { nodeName } = pod.spec
    if (nodeName === undefined || nodeName === '' || isPodTerminal(pod)) continue
    const known = pods.get(nodeName)
    if (known === undefined) pods.set(nodeName, [podKind(pod)])
    else known.push(podKind(pod))
  }
  const named = namedIn(store)
  const numbers = new Map<string, string>()
  const classes = new Map<string, string>()
  for (const node of nodes) {
    const { name } = node.metadata
    const signature = JSON.stringify([
      named.includes(JSON.stringify(name)) ? name : '',
      labelsOf(node),
      node.spec?.taints ?? [],
      node.spec?.unschedulable === true,
      node.status?.allocatable,
      isNodeReady(node),
      (pods.get(name) ?? []).sort(),
    ])
    let number = numbers.get(signature)
    if (number === undefined) {
      number = `n${numbers.size}`
      numbers.set(signature, number)
    }
    classes.set(name, number)
  }
  return classes
}

/** Pods of a ReplicaSet or DaemonSet are interchangeable; pods of a StatefulSet, with volumes or with claims have an identity. */
function podKind(pod: Pod): string {
  const owner = controllerOf(pod)
  const { metadata, spec, status } = pod
  const own = `${metadata.namespace}/${metadata.name}`
  if (owner === undefined || owner.kind === 'StatefulSet') return own
  const hasClaims = spec.resourceClaims !== undefined
  const hasVolumes = spec.volumes?.some((volume) => volume['persistentVolumeClaim'] !== undefined) === true
  if (hasClaims || hasVolumes) return own
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? ''
  return `${owner.uid} ${ready} ${metadata.deletionTimestamp === undefined ? '' : 'deleted'}`
}

function labelsOf({ metadata: { name, labels = {} } }: Node): readonly string[] {
  return Object.entries(labels)
    .filter(([, value]) => value !== name)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
}

/** The parts of objects that may name nodes. */
function namedIn(store: Store): string {
  const parts: unknown[] = []
  for (const pod of store.list('pods') as readonly Pod[]) {
    const { nodeSelector, affinity } = pod.spec
    if (nodeSelector !== undefined) parts.push(nodeSelector)
    if (affinity?.nodeAffinity !== undefined) parts.push(affinity.nodeAffinity)
  }
  const whole = ['persistentvolumes', 'resourceslices.resource.k8s.io']
  for (const resource of whole) {
    for (const object of store.list(resource) as readonly (KubeObject & { readonly spec?: unknown })[])
      parts.push(object.spec)
  }
  return JSON.stringify(parts)
}
