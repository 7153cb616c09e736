import type { Cidr } from '../api/cidr.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Registry } from '../registry/contract.ts'
import { configuredRanges, serviceCidrs } from '../registry/kinds/services/address-ranges.ts'
import { requestHeaderData } from './aggregation/front-proxy.ts'
import { defaultFlows } from './default-flows.ts'
import { defaultRoles } from './default-roles.ts'
import { localApiServices } from './local-api-services.ts'
import { kubernetesService, serviceCidrOf, settleServiceRanges } from './service-ranges.ts'

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
const priorityClasses = [
  [
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  ['system-node-critical', 2000001000, 'Used for system critical pods that must not be moved from their current node.'],
] as const

export interface BootstrapOptions {
  readonly rbac: boolean
  /** Whether clients can connect to the server and read its flow schemas and APIServices. A forecast has no clients. */
  readonly isServed?: boolean
  /** The time at which a server starts. Absent: objects that only servers have are not created. */
  readonly servesFrom?: number
  /** Authorities of client certificates, in PEM. Other components use them to verify their clients. */
  readonly clientCa?: string
  /** The authority of the certificate with which this server forwards requests to other servers. */
  readonly proxyCa?: string
  /** --service-cluster-ip-range. Absent: the range in the store, or upstream's default. */
  readonly serviceRanges?: readonly Cidr[]
}

/** kube-controller-manager cleans up legacy tokens that are unused since this date (legacytokentracking). */
const tokenTracking = (now: number): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: new Date(now).toISOString().slice(0, 10) },
  }) as KubeObject

/** kube-scheduler and kube-controller-manager read the trusted authorities from it (clusterauthenticationtrust). */
const clusterAuthentication = (clientCa: string, proxyCa: string | undefined): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: { 'client-ca-file': clientCa, ...(proxyCa === undefined ? {} : requestHeaderData(proxyCa)) },
  }) as KubeObject

/**
 * The address at which clients in the cluster reach the API server: Endpoints and a slice of the service `kubernetes`.
 */
export function publishEndpoints(registry: Registry, ip: string, port: number): void {
  const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' }
  const ports = [{ name: 'https', port, protocol: 'TCP' }]
  const metadata = { name: 'kubernetes', namespace: 'default' }
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels },
    subsets: [{ addresses: [{ ip }], ports }],
  }
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: ip.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports,
  }
  const write = (resource: string, object: object) => {
    const target = { resource, namespace: 'default', fieldManager: 'kube-apiserver' }
    const isNew = registry.store.get(resource, 'default/kubernetes') === undefined
    if (isNew) registry.call({ verb: 'create', ...target, object: object as KubeObject })
    else registry.call({ verb: 'update', ...target, name: 'kubernetes', object: object as KubeObject })
  }
  write('endpoints', endpoints)
  write('endpointslices.discovery.k8s.io', slice)
}

/** The objects that kube-apiserver creates on its first start. Existing ones are not changed. */
function bootstrapObjects(
  options: BootstrapOptions,
  release: KubernetesRelease,
  ranges: readonly Cidr[],
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
  if (options.servesFrom !== undefined) {
    objects.push({ resource: 'configmaps', object: tokenTracking(options.servesFrom) })
    objects.push({ resource: serviceCidrs, object: serviceCidrOf(ranges) })
  }
  objects.push({ resource: 'services', object: kubernetesService(ranges) })
  if (options.clientCa !== undefined) {
    objects.push({ resource: 'configmaps', object: clusterAuthentication(options.clientCa, options.proxyCa) })
  }
  if (options.rbac) objects.push(...defaultRoles(release))
  return objects
}

export function bootstrap(registry: Registry, options: BootstrapOptions): void {
  const served = options.isServed === true ? [...defaultFlows(), ...localApiServices(registry.kinds)] : []
  const ranges = configuredRanges(registry.store, options.serviceRanges)
  for (const { resource, object } of [...bootstrapObjects(options, registry.release, ranges), ...served]) {
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
  if (options.servesFrom !== undefined) settleServiceRanges(registry, ranges, options.servesFrom)
}
