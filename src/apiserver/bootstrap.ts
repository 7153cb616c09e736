import type { KubeObject } from '../api/objects/meta.ts'
import type { Registry } from '../registry/contract.ts'
import { defaultRoles } from './default-roles.ts'

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
const priorityClasses = [
  [
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  ['system-node-critical', 2000001000, 'Used for system critical pods that must not be moved from their current node.'],
] as const

/** The API server as a service of its own cluster, at the first address of the default service range. */
const kubernetesService: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    sessionAffinity: 'None',
  },
} as KubeObject

export interface BootstrapOptions {
  readonly rbac: boolean
  /** The time, for a server that tracks the use of legacy service account tokens. */
  readonly tracksTokensSince?: number
}

/** kube-controller-manager cleans up legacy tokens that are unused since this date (legacytokentracking). */
const tokenTracking = (now: number): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: new Date(now).toISOString().slice(0, 10) },
  }) as KubeObject

/** What kube-apiserver makes on its first start. Whatever exists already is left as it is. */
export function bootstrapObjects(
  options: BootstrapOptions,
): readonly { readonly resource: string; readonly object: KubeObject }[] {
  const objects: { resource: string; object: KubeObject }[] = []
  for (const name of namespaces) {
    objects.push({ resource: 'namespaces', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } })
  }
  for (const [name, value, description] of priorityClasses) {
    const object = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    } as KubeObject
    objects.push({ resource: 'priorityclasses.scheduling.k8s.io', object })
  }
  objects.push({ resource: 'services', object: kubernetesService })
  if (options.tracksTokensSince !== undefined) {
    objects.push({ resource: 'configmaps', object: tokenTracking(options.tracksTokensSince) })
  }
  if (options.rbac) objects.push(...defaultRoles())
  return objects
}

export function bootstrap(registry: Registry, options: BootstrapOptions): void {
  for (const { resource, object } of bootstrapObjects(options)) {
    const { name, namespace } = object.metadata
    const key = namespace === undefined ? name : `${namespace}/${name}`
    if (registry.store.get(resource, key) !== undefined) continue
    const outcome = registry.call({
      verb: 'create',
      resource,
      object,
      fieldManager: 'kube-apiserver',
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (!outcome.ok)
      throw new Error(`cannot create ${resource} ${JSON.stringify(object.metadata.name)}: ${outcome.status.message}`)
  }
}
