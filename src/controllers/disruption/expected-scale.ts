import type { GetCall } from '../../api/call.ts'
import { objectKey } from '../../api/object-key.ts'
import type { CustomResourceDefinition } from '../../api/objects/cluster.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { View } from '../../runtime/view.ts'

/** The scale of a pod's controller, as far as it is known from the view. */
export type ControllerScale =
  | { readonly kind: 'known'; readonly uid: string; readonly replicas: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'impossible'; readonly message: string }
  /** The controller itself must be read; `path` leads to the number in it. */
  | { readonly kind: 'ask'; readonly call: GetCall; readonly path: readonly string[] }

const withScale = {
  ReplicationController: { groups: [''], resource: 'replicationcontrollers' },
  StatefulSet: { groups: ['apps'], resource: 'statefulsets.apps' },
} as const

/** Kinds that own pods and do not have a scale (v1.36, api/discovery). */
const withoutScale = lookupTable<string>({
  'apps/DaemonSet': 'daemonsets.apps',
  'batch/Job': 'jobs.batch',
  'batch/CronJob': 'cronjobs.batch',
  '/Node': 'nodes',
  '/Pod': 'pods',
})

/** For a pod of a Deployment's ReplicaSet, the scale of the Deployment (v1.36, disruption finders). */
export function scaleOf(reference: OwnerReference, namespace: string, view: View): ControllerScale {
  const group = groupOf(reference.apiVersion)
  if (reference.kind === 'ReplicaSet' && (group === 'apps' || group === 'extensions')) {
    return scaleOfReplicaSet(reference, namespace, view)
  }
  if (Object.hasOwn(withScale, reference.kind)) {
    const { groups, resource } = withScale[reference.kind as keyof typeof withScale]
    if ((groups as readonly string[]).includes(group)) {
      const owner = view.get(resource, objectKey(namespace, reference.name))
      if (owner?.metadata.uid !== reference.uid) return { kind: 'gone' }
      return { kind: 'known', uid: reference.uid, replicas: owner.spec?.replicas ?? 1 }
    }
  }
  const builtIn = withoutScale[`${group}/${reference.kind}`]
  if (builtIn !== undefined) return unscalable(builtIn)
  return scaleOfCustom(reference, group, namespace, view)
}

function scaleOfReplicaSet(reference: OwnerReference, namespace: string, view: View): ControllerScale {
  const replicaSet = view.get('replicasets.apps', objectKey(namespace, reference.name))
  if (replicaSet === undefined || replicaSet.metadata.uid !== reference.uid) return { kind: 'gone' }
  const owner = controllerOf(replicaSet)
  if (owner?.kind !== 'Deployment') {
    return { kind: 'known', uid: reference.uid, replicas: replicaSet.spec?.replicas ?? 1 }
  }
  const deployment = view.get('deployments.apps', objectKey(namespace, owner.name))
  // Without its Deployment, the scale subresource of the ReplicaSet is used.
  if (deployment === undefined || deployment.metadata.uid !== owner.uid) {
    return { kind: 'known', uid: reference.uid, replicas: replicaSet.spec?.replicas ?? 1 }
  }
  return { kind: 'known', uid: owner.uid, replicas: deployment.spec?.replicas ?? 1 }
}

function scaleOfCustom(reference: OwnerReference, group: string, namespace: string, view: View): ControllerScale {
  const version = reference.apiVersion.slice(reference.apiVersion.indexOf('/') + 1)
  const found = view
    .list('customresourcedefinitions.apiextensions.k8s.io')
    .map(readDefinition)
    .find((definition) => definition?.group === group && definition.kind === reference.kind)
  if (found === undefined) {
    return {
      kind: 'impossible',
      message: `no matches for kind "${reference.kind}" in version "${reference.apiVersion}"`,
    }
  }
  const resource = `${found.plural}.${group}`
  const path = found.replicasPaths.get(version)
  if (path === undefined) return unscalable(resource)
  return {
    kind: 'ask',
    call: { verb: 'get', resource, ...(found.namespaced ? { namespace } : {}), name: reference.name },
    path,
  }
}

function unscalable(resource: string): ControllerScale {
  return { kind: 'impossible', message: `${resource} does not implement the scale subresource` }
}

interface ScaleDefinition {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** By version: the path of the wanted number in the scale subresource. */
  readonly replicasPaths: ReadonlyMap<string, readonly string[]>
}

function readDefinition({ spec }: CustomResourceDefinition): ScaleDefinition | undefined {
  const { group, scope, names, versions } = spec as {
    readonly group?: string
    readonly scope?: string
    readonly names?: { readonly kind?: string; readonly plural?: string }
    readonly versions?: readonly {
      readonly name?: string
      readonly subresources?: { readonly scale?: { readonly specReplicasPath?: string } }
    }[]
  }
  if (group === undefined || names?.kind === undefined || names.plural === undefined) return undefined
  const replicasPaths = new Map<string, readonly string[]>()
  for (const { name, subresources } of versions ?? []) {
    const path = subresources?.scale?.specReplicasPath
    if (name !== undefined && path !== undefined)
      replicasPaths.set(
        name,
        path.split('.').filter((part) => part !== ''),
      )
  }
  return { group, kind: names.kind, plural: names.plural, namespaced: scope !== 'Cluster', replicasPaths }
}

/** The number at a path in a custom object; a missing one counts as 0, as in the scale subresource. */
export function replicasAt(object: unknown, path: readonly string[]): number {
  let value = object
  for (const part of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part]
  return typeof value === 'number' ? value : 0
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}
