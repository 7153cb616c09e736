import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolume } from '../../api/objects/storage.ts'
import { claimNameOf } from '../../api/pod-claims.ts'
import { configMapNamesOf, secretNamesOf, volumeClaimNamesOf } from '../../api/pod-references.ts'
import { annotations } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store, StoreChange } from '../../store/contract.ts'

/** Whether an object of a resource belongs to a node: directly, or through a pod on the node that uses the object. */
export type NodeRelations = (node: string, resource: string, namespace: string, name: string) => boolean

type Relation = (pods: readonly Pod[], node: string, namespace: string, name: string, store: Store) => boolean

/**
 * The graph of the Node authorizer (v1.36, plugin/pkg/auth/authorizer/node). It indexes only the pods of each node,
 * from the first question on, and reads everything else from the objects when needed.
 */
export function createNodeRelations(store: Store): NodeRelations {
  let podsOn: ((node: string) => readonly Pod[]) | undefined
  return (node, resource, namespace, name) => {
    podsOn ??= indexPods(store)
    return relations[resource]?.(podsOn(node), node, namespace, name, store) ?? false
  }
}

function indexPods(store: Store): (node: string) => readonly Pod[] {
  const keys = new Map<string, Set<string>>()
  const note = (key: string, before: string, after: string) => {
    if (before === after) return
    if (before !== '') keys.get(before)?.delete(key)
    if (after === '') return
    const known = keys.get(after)
    if (known === undefined) keys.set(after, new Set([key]))
    else known.add(key)
  }
  const watcher = (changes: readonly StoreChange[]) => {
    for (const { resource, key, before, after } of changes) {
      if (resource === 'pods') note(key, nodeOf(before), nodeOf(after))
    }
  }
  store.watch(watcher, store.durableRevision)
  for (const pod of store.list('pods')) note(`${pod.metadata.namespace}/${pod.metadata.name}`, '', nodeOf(pod))
  // The index may have writes that the disk refused and that the store therefore does not have.
  return (node) =>
    [...(keys.get(node) ?? [])].flatMap((key) => {
      const pod = store.get('pods', key)
      return nodeOf(pod) === node ? [pod as Pod] : []
    })
}

const nodeOf = (pod: KubeObject | undefined): string => (pod as Pod | undefined)?.spec.nodeName ?? ''

/** A node can create mirror pods, so these must not give it access to other objects. */
const grants = ({ metadata }: Pod): boolean => metadata.annotations?.[annotations.mirrorPod] === undefined

const byPod =
  (refers: (pod: Pod, name: string) => boolean): Relation =>
  (pods, _node, namespace, name) =>
    pods.some((pod) => pod.metadata.namespace === namespace && grants(pod) && refers(pod, name))

const usesClaim = byPod((pod, name) => volumeClaimNamesOf(pod).includes(name))
const usesSecret = byPod((pod, name) => secretNamesOf(pod).has(name))

const usesVolume = (volume: PersistentVolume | undefined, ...rest: [readonly Pod[], string, Store]): boolean => {
  const claim = volume?.spec.claimRef
  if (claim === undefined) return false
  const [pods, node, store] = rest
  return usesClaim(pods, node, claim.namespace ?? '', claim.name ?? '', store)
}

const relations = lookupTable<Relation>({
  pods: (pods, _node, namespace, name) =>
    pods.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  configmaps: byPod((pod, name) => configMapNamesOf(pod).has(name)),
  secrets: (pods, node, namespace, name, store) =>
    usesSecret(pods, node, namespace, name, store) ||
    (store.list('persistentvolumes') as readonly PersistentVolume[]).some(
      (volume) => mentionsSecret(volume, namespace, name) && usesVolume(volume, pods, node, store),
    ),
  serviceaccounts: byPod(({ spec }, name) => spec.serviceAccountName === name),
  persistentvolumeclaims: usesClaim,
  persistentvolumes: (pods, node, _namespace, name, store) =>
    usesVolume(store.get('persistentvolumes', name) as PersistentVolume | undefined, pods, node, store),
  'resourceclaims.resource.k8s.io': byPod((pod, name) => usesResourceClaim(pod, name)),
  'volumeattachments.storage.k8s.io': (_pods, node, _namespace, name, store) => {
    const attachment = store.get('volumeattachments.storage.k8s.io', name)
    return (attachment as { readonly spec?: { readonly nodeName?: string } } | undefined)?.spec?.nodeName === node
  },
  'resourceslices.resource.k8s.io': (_pods, node, _namespace, name, store) =>
    (store.get('resourceslices.resource.k8s.io', name) as ResourceSlice | undefined)?.spec.nodeName === node,
})

function usesResourceClaim(pod: Pod, name: string): boolean {
  const named = (pod.spec.resourceClaims ?? []).some((claim) => {
    const found = claimNameOf(pod, claim)
    return found.kind === 'named' && found.name === name
  })
  return named || pod.status?.extendedResourceClaimStatus?.resourceClaimName === name
}

interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

/**
 * The secret is in the namespace of the claim unless the volume names one; `cinder` and `storageos` always name one.
 */
const withSecretRef = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'] as const
const withFullSecretRef = ['cinder', 'storageos'] as const

/** Secrets of a volume that a kubelet needs (pkg/api/v1/persistentvolume, VisitPVSecretNames). */
function mentionsSecret({ spec }: PersistentVolume, namespace: string, name: string): boolean {
  const source = spec as unknown as Readonly<Record<string, { readonly secretRef?: SecretReference } | undefined>>
  const home = spec.claimRef?.namespace ?? ''
  const isIt = (secret: SecretReference | undefined, fallback: string) =>
    secret?.name === name && (secret.namespace || fallback) === namespace
  const azure = source['azureFile'] as { secretName?: string; secretNamespace?: string } | undefined
  if (azure !== undefined) {
    return azure.secretName === name && (azure.secretNamespace || home) === namespace
  }
  const csi = source['csi'] as Readonly<Record<string, SecretReference | undefined>> | undefined
  return (
    withSecretRef.some((field) => isIt(source[field]?.secretRef, home)) ||
    withFullSecretRef.some((field) => isIt(source[field]?.secretRef, '')) ||
    ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'].some((field) => isIt(csi?.[field], ''))
  )
}
