import { lookupTable } from '../../base/lookup-table.ts'
import { autoscalingTypes, autoscalingV2Types } from './autoscaling-types.ts'
import {
  authenticationTypes,
  authorizationTypes,
  discoveryTypes,
  eventsTypes,
  networkingTypes,
  nodeTypes,
  rbacTypes,
  storageTypes,
} from './cluster-types.ts'
import { coreTypes } from './core-types.ts'
import { deviceTypes } from './device-types.ts'
import { apiextensionsTypes } from './extension-types.ts'
import { metaTypes } from './meta-types.ts'
import { parseTypes } from './parse-types.ts'
import { podTypes } from './pod-types.ts'
import {
  admissionregistrationTypes,
  apiregistrationTypes,
  certificatesTypes,
  flowcontrolTypes,
} from './registration-types.ts'
import type { StructShape } from './shape.ts'
import { volumeTypes } from './volume-types.ts'
import { appsTypes, batchTypes, coordinationTypes, policyTypes, schedulingTypes } from './workload-types.ts'

/** The packages of the tables: the API group each stands for, and where OpenAPI puts its definitions. */
export const packages = lookupTable<{ readonly group: string; readonly openApi: string; readonly version?: string }>({
  meta: { group: 'meta.k8s.io', openApi: 'io.k8s.apimachinery.pkg.apis.meta.v1' },
  core: { group: '', openApi: 'io.k8s.api.core.v1' },
  apps: { group: 'apps', openApi: 'io.k8s.api.apps.v1' },
  batch: { group: 'batch', openApi: 'io.k8s.api.batch.v1' },
  policy: { group: 'policy', openApi: 'io.k8s.api.policy.v1' },
  scheduling: { group: 'scheduling.k8s.io', openApi: 'io.k8s.api.scheduling.v1' },
  coordination: { group: 'coordination.k8s.io', openApi: 'io.k8s.api.coordination.v1' },
  autoscaling: { group: 'autoscaling', openApi: 'io.k8s.api.autoscaling.v1' },
  autoscalingv2: { group: 'autoscaling', openApi: 'io.k8s.api.autoscaling.v2', version: 'v2' },
  admissionregistration: {
    group: 'admissionregistration.k8s.io',
    openApi: 'io.k8s.api.admissionregistration.v1',
  },
  apiregistration: {
    group: 'apiregistration.k8s.io',
    openApi: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  },
  certificates: { group: 'certificates.k8s.io', openApi: 'io.k8s.api.certificates.v1' },
  flowcontrol: { group: 'flowcontrol.apiserver.k8s.io', openApi: 'io.k8s.api.flowcontrol.v1' },
  storage: { group: 'storage.k8s.io', openApi: 'io.k8s.api.storage.v1' },
  events: { group: 'events.k8s.io', openApi: 'io.k8s.api.events.v1' },
  discovery: { group: 'discovery.k8s.io', openApi: 'io.k8s.api.discovery.v1' },
  networking: { group: 'networking.k8s.io', openApi: 'io.k8s.api.networking.v1' },
  node: { group: 'node.k8s.io', openApi: 'io.k8s.api.node.v1' },
  rbac: { group: 'rbac.authorization.k8s.io', openApi: 'io.k8s.api.rbac.v1' },
  resource: { group: 'resource.k8s.io', openApi: 'io.k8s.api.resource.v1' },
  authentication: { group: 'authentication.k8s.io', openApi: 'io.k8s.api.authentication.v1' },
  authorization: { group: 'authorization.k8s.io', openApi: 'io.k8s.api.authorization.v1' },
  apiextensions: {
    group: 'apiextensions.k8s.io',
    openApi: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  },
})

/** Every type of every built-in kind, by `package.Name`. */
export const types: ReadonlyMap<string, StructShape> = parseTypes({
  meta: [metaTypes],
  core: [coreTypes, podTypes, volumeTypes],
  apps: [appsTypes],
  batch: [batchTypes],
  policy: [policyTypes],
  scheduling: [schedulingTypes],
  coordination: [coordinationTypes],
  autoscaling: [autoscalingTypes],
  autoscalingv2: [autoscalingV2Types],
  admissionregistration: [admissionregistrationTypes],
  apiregistration: [apiregistrationTypes],
  certificates: [certificatesTypes],
  flowcontrol: [flowcontrolTypes],
  storage: [storageTypes],
  events: [eventsTypes],
  discovery: [discoveryTypes],
  networking: [networkingTypes],
  node: [nodeTypes],
  rbac: [rbacTypes],
  resource: [deviceTypes],
  authentication: [authenticationTypes],
  authorization: [authorizationTypes],
  apiextensions: [apiextensionsTypes],
})

const packageOfVersion = new Map(
  Object.entries(packages).map(([name, { group, version = 'v1' }]) => [`${group}/${version}`, name]),
)

/** The shape of a built-in kind. */
export function shapeOfKind(group: string, kind: string, version = 'v1'): StructShape | undefined {
  const name = packageOfVersion.get(`${group}/${version}`)
  return name === undefined ? undefined : types.get(`${name}.${kind}`)
}

/** `io.k8s.api.core.v1.Pod` for `core.Pod`. */
export function openApiName(shape: StructShape): string {
  const dot = shape.id.indexOf('.')
  return `${packages[shape.id.slice(0, dot)]?.openApi ?? 'io.k8s'}.${shape.name}`
}
