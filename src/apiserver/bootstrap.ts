import type { KubeObject } from '../api/objects/meta.ts'
import type { Registry } from '../registry/contract.ts'
import type { PolicyRule } from './rbac.ts'

const read = ['get', 'list', 'watch']
const write = ['create', 'delete', 'deletecollection', 'patch', 'update']
const all = ['*']

const rule = (apiGroups: readonly string[], resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups,
  resources,
  verbs,
})

/** What a user of a namespace works with, by group (plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
const namespacedResources: readonly (readonly [string, readonly string[]])[] = [
  [
    '',
    [
      'configmaps',
      'endpoints',
      'events',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'pods/status',
      'pods/log',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'replicationcontrollers/status',
      'serviceaccounts',
      'services',
      'services/status',
    ],
  ],
  [
    'apps',
    [
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
      'statefulsets',
      'statefulsets/scale',
      'statefulsets/status',
    ],
  ],
  ['batch', ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status']],
  ['policy', ['poddisruptionbudgets', 'poddisruptionbudgets/status']],
  ['networking.k8s.io', ['ingresses', 'ingresses/status', 'networkpolicies']],
  ['discovery.k8s.io', ['endpointslices']],
]

const viewRules: readonly PolicyRule[] = [
  ...namespacedResources.map(([group, resources]) => rule([group], resources, read)),
  rule(
    [''],
    ['bindings', 'limitranges', 'namespaces', 'namespaces/status', 'resourcequotas', 'resourcequotas/status'],
    read,
  ),
]
const editRules: readonly PolicyRule[] = [
  ...viewRules,
  ...namespacedResources.map(([group, resources]) =>
    rule(
      [group],
      resources.filter((name) => !name.endsWith('/status') && !name.endsWith('/log')),
      write,
    ),
  ),
  rule([''], ['secrets'], [...read, ...write]),
  rule([''], ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'], [...read, ...write]),
  rule([''], ['pods/eviction'], ['create']),
  rule(['coordination.k8s.io'], ['leases'], [...read, ...write]),
]
const adminRules: readonly PolicyRule[] = [
  ...editRules,
  rule(['rbac.authorization.k8s.io'], ['rolebindings', 'roles'], [...read, ...write]),
  rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
]

const discoveryPaths = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
]
const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/']

/** The default cluster roles that users know by name. */
const clusterRoles: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [rule(all, all, all), { nonResourceURLs: all, verbs: all }],
  admin: adminRules,
  edit: editRules,
  view: viewRules,
  'system:discovery': [{ nonResourceURLs: discoveryPaths, verbs: ['get'] }],
  'system:public-info-viewer': [{ nonResourceURLs: publicPaths, verbs: ['get'] }],
  'system:monitoring': [
    {
      nonResourceURLs: [...publicPaths, '/metrics', '/metrics/*', '/livez/*', '/readyz/*', '/healthz/*'],
      verbs: ['get'],
    },
  ],
  'system:basic-user': [
    rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
  ],
  'system:kube-scheduler': [
    rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update']),
    rule(['coordination.k8s.io'], ['leases'], ['create', 'get', 'list', 'update', 'watch']),
    rule([''], ['nodes', 'namespaces', 'persistentvolumes', 'replicationcontrollers', 'services'], read),
    rule([''], ['pods'], ['delete', ...read]),
    rule([''], ['bindings', 'pods/binding'], ['create']),
    rule([''], ['pods/status'], ['patch', 'update']),
    rule([''], ['persistentvolumeclaims'], [...read, 'patch', 'update']),
    rule(['apps'], ['replicasets', 'statefulsets'], read),
    rule(['policy'], ['poddisruptionbudgets'], read),
    rule(
      ['storage.k8s.io'],
      ['csinodes', 'csidrivers', 'csistoragecapacities', 'storageclasses', 'volumeattachments'],
      read,
    ),
  ],
}

const clusterRoleBindings: readonly (readonly [name: string, role: string, groups: readonly string[]])[] = [
  ['cluster-admin', 'cluster-admin', ['system:masters']],
  ['system:discovery', 'system:discovery', ['system:authenticated']],
  ['system:basic-user', 'system:basic-user', ['system:authenticated']],
  ['system:public-info-viewer', 'system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']],
  ['system:monitoring', 'system:monitoring', ['system:monitoring']],
]

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

/** What kube-apiserver makes on its first start. Whatever exists already is left as it is. */
export function bootstrapObjects(options: {
  readonly rbac: boolean
}): readonly { readonly resource: string; readonly object: KubeObject }[] {
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
  if (!options.rbac) return objects
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const metadata = (name: string) => ({
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  })
  for (const [name, rules] of Object.entries(clusterRoles)) {
    objects.push({
      resource: 'clusterroles.rbac.authorization.k8s.io',
      object: { apiVersion, kind: 'ClusterRole', metadata: metadata(name), rules } as KubeObject,
    })
  }
  for (const [name, role, groups] of clusterRoleBindings) {
    const object = {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata(name),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: groups.map((group) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group })),
    } as KubeObject
    objects.push({ resource: 'clusterrolebindings.rbac.authorization.k8s.io', object })
  }
  return objects
}

export function bootstrap(registry: Registry, options: { readonly rbac: boolean }): void {
  for (const { resource, object } of bootstrapObjects(options)) {
    const { name, namespace } = object.metadata
    const key = namespace === undefined ? name : `${namespace}/${name}`
    if (registry.store.get(resource, key) !== undefined) continue
    const outcome = registry.call({
      verb: 'create',
      resource,
      object,
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (!outcome.ok)
      throw new Error(`cannot create ${resource} ${JSON.stringify(object.metadata.name)}: ${outcome.status.message}`)
  }
}
