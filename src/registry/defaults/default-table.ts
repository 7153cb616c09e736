import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { extended } from '../../base/extended.ts'
import type { MutableFields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { imageTag } from './image-reference.ts'
import { podDefaults } from './pod-defaults.ts'
import { registrationDefaults } from './registration-defaults.ts'

/** Values for absent fields, or a function where one field depends on another. */
export type Defaults = Readonly<MutableFields> | ((given: MutableFields, release: KubernetesRelease) => MutableFields)

const rbacGroup = 'rbac.authorization.k8s.io'

/** A copy with these values for absent fields; the argument itself if none is absent. */
function fill(given: MutableFields, values: MutableFields): MutableFields {
  let out = given
  for (const name in values) {
    const value = values[name]
    if (given[name] !== undefined || value === undefined) continue
    if (out === given) out = extended(given, {})
    out[name] = value
  }
  return out
}

const map = (value: unknown): MutableFields => (value ?? {}) as MutableFields

function inner(given: MutableFields, field: string, change: (value: MutableFields) => MutableFields): MutableFields {
  const before = map(given[field])
  const after = change(before)
  return after === given[field] ? given : { ...given, [field]: after }
}

const pullPolicy = (image: unknown): 'Always' | 'IfNotPresent' =>
  imageTag(typeof image === 'string' ? image : '') === 'latest' ? 'Always' : 'IfNotPresent'

const container: Defaults = (given) =>
  fill(given, given['imagePullPolicy'] === undefined ? pulled[pullPolicy(given['image'])] : reported)

const reported = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' }
const pulled = {
  Always: { imagePullPolicy: 'Always', ...reported },
  IfNotPresent: { imagePullPolicy: 'IfNotPresent', ...reported },
}

function volume(given: MutableFields, release: KubernetesRelease): MutableFields {
  if (Object.keys(given).every((name) => name === 'name')) return { ...given, emptyDir: {} }
  if (given['image'] === undefined || !release.gates.has('ImageVolume')) return given
  return inner(given, 'image', (image) => fill(image, { pullPolicy: pullPolicy(image['reference']) }))
}

const rolling = { type: 'RollingUpdate' }

function deployment(given: MutableFields): MutableFields {
  return inner(given, 'spec', (spec) => {
    const filled = fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
    return inner(filled, 'strategy', (strategy) => {
      const typed = fill(strategy, rolling)
      if (typed['type'] !== 'RollingUpdate') return typed
      return inner(typed, 'rollingUpdate', (update) => fill(update, { maxUnavailable: '25%', maxSurge: '25%' }))
    })
  })
}

function daemonSet(given: MutableFields): MutableFields {
  return inner(given, 'spec', (spec) =>
    inner(fill(spec, { revisionHistoryLimit: 10 }), 'updateStrategy', (strategy) => {
      const typed = fill(strategy, rolling)
      if (typed['type'] !== 'RollingUpdate') return typed
      return inner(typed, 'rollingUpdate', (update) => fill(update, { maxUnavailable: 1, maxSurge: 0 }))
    }),
  )
}

function statefulSet(given: MutableFields, { gates }: KubernetesRelease): MutableFields {
  return inner(given, 'spec', (spec) => {
    const filled = fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' })
    const updated = inner(filled, 'updateStrategy', (strategy) => {
      const typed = strategy['type'] === undefined ? fill(strategy, { ...rolling, rollingUpdate: {} }) : strategy
      if (typed['type'] !== 'RollingUpdate' || typed['rollingUpdate'] === undefined) return typed
      const unavailable = gates.has('MaxUnavailableStatefulSet') ? { maxUnavailable: 1 } : {}
      return inner(typed, 'rollingUpdate', (update) => fill(update, { partition: 0, ...unavailable }))
    })
    return inner(updated, 'persistentVolumeClaimRetentionPolicy', (policy) =>
      fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    )
  })
}

const maxInt32 = 2 ** 31 - 1

function job(given: MutableFields): MutableFields {
  const spec = map(given['spec'])
  const labels = map(map(map(spec['template'])['metadata'])['labels'])
  const neither = spec['completions'] === undefined && spec['parallelism'] === undefined
  const filled = inner(given, 'spec', (before) =>
    fill(before, {
      ...(neither ? { completions: 1 } : {}),
      parallelism: 1,
      backoffLimit: before['backoffLimitPerIndex'] === undefined ? 6 : maxInt32,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: before['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    }),
  )
  return withLabelsOfTemplate(filled, labels)
}

function withLabelsOfTemplate(given: MutableFields, labels: MutableFields): MutableFields {
  const own = map(map(given['metadata'])['labels'])
  if (Object.keys(labels).length === 0 || Object.keys(own).length > 0) return given
  return inner(given, 'metadata', (metadata) => ({ ...metadata, labels }))
}

function replicationController(given: MutableFields): MutableFields {
  const spec = map(given['spec'])
  const labels = map(map(map(spec['template'])['metadata'])['labels'])
  const selector = Object.keys(labels).length > 0 ? { selector: labels } : {}
  return withLabelsOfTemplate(
    inner(given, 'spec', (before) => fill(before, { replicas: 1, ...selector })),
    labels,
  )
}

const externalTypes = ['NodePort', 'LoadBalancer']

function service(given: MutableFields): MutableFields {
  const complete = serviceSpec(given)
  if (map(complete['spec'])['type'] !== 'LoadBalancer') return complete
  const ingress = map(map(complete['status'])['loadBalancer'])['ingress']
  if (!Array.isArray(ingress) || ingress.every(({ ip = '', ipMode }) => ip === '' || ipMode !== undefined))
    return complete
  const modes = ingress.map((point: MutableFields) =>
    (point['ip'] ?? '') === '' ? point : fill(point, { ipMode: 'VIP' }),
  )
  return inner(complete, 'status', (status) => inner(status, 'loadBalancer', (one) => ({ ...one, ingress: modes })))
}

function serviceSpec(given: MutableFields): MutableFields {
  return inner(given, 'spec', (before) => {
    const spec: MutableFields = { ...fill(before, { sessionAffinity: 'None', type: 'ClusterIP' }) }
    const { type } = spec
    if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
    else if (spec['sessionAffinity'] === 'ClientIP') {
      const timeout = map(map(spec['sessionAffinityConfig'])['clientIP'])['timeoutSeconds']
      if (timeout === undefined) spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10_800 } }
    }
    const externalIps = (spec['externalIPs'] as readonly unknown[] | undefined)?.length ?? 0
    if (externalTypes.includes(String(type)) || (type === 'ClusterIP' && externalIps > 0)) {
      spec['externalTrafficPolicy'] ??= 'Cluster'
    }
    if (type !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster'
    if (type === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true
    return spec
  })
}

/**
 * Since v1.37 the two names of a pod's service account are equal by defaulting; before, by conversion (conversion.ts).
 */
const podSpec: Defaults = (given, release) => {
  const filled = fill(given, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  })
  if (!atLeast(release, '1.37')) return filled
  const account = filled['serviceAccountName'] || filled['serviceAccount']
  if (filled['serviceAccountName'] === account && filled['serviceAccount'] === account) return filled
  return { ...filled, serviceAccountName: account, serviceAccount: account }
}

/** The same for the addresses of a pod. */
const podStatus: Defaults = (given, release) => {
  if (!atLeast(release, '1.37')) return given
  const podIP = (given['podIP'] as string | undefined) ?? ''
  const podIPs = (given['podIPs'] as readonly { readonly ip?: string }[] | undefined) ?? []
  if (podIP !== '' && podIPs[0]?.ip !== podIP) return { ...given, podIPs: [{ ip: podIP }] }
  return podIP === '' && podIPs.length > 0 ? { ...given, podIP: podIPs[0]?.ip } : given
}

const servicePort: Defaults = (given) => {
  const target = given['targetPort']
  const fallback = target === undefined || target === 0 || target === '' ? { targetPort: given['port'] } : {}
  return { ...fill(given, { protocol: 'TCP' }), ...fallback }
}

function limitRangeItem(given: MutableFields): MutableFields {
  if (given['type'] !== 'Container') return given
  const limits = { ...map(given['max']), ...map(given['default']) }
  const requests = { ...map(given['min']), ...limits, ...map(given['defaultRequest']) }
  return {
    ...given,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  }
}

const namespace: Defaults = (given) => {
  const { name } = map(given['metadata'])
  if (typeof name !== 'string' || name === '') return given
  return inner(given, 'metadata', (metadata) => {
    const labels = map(metadata['labels'])
    if (labels['kubernetes.io/metadata.name'] === name) return metadata
    return { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } }
  })
}

const networkPolicy: Defaults = (given) =>
  inner(given, 'spec', (spec) => {
    const egress = (spec['egress'] as readonly unknown[] | undefined)?.length ?? 0
    return fill(spec, { policyTypes: egress > 0 ? ['Ingress', 'Egress'] : ['Ingress'] })
  })

const deviceRequest: Defaults = (given) => {
  const mode = given['allocationMode'] || 'ExactCount'
  const counted = mode === 'ExactCount' && (given['count'] ?? 0) === 0 ? { count: 1 } : {}
  return given['allocationMode'] === mode && counted.count === undefined
    ? given
    : { ...given, allocationMode: mode, ...counted }
}

const driverSpec: Defaults = (given, { gates }) =>
  fill(given, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
    ...(gates.has('VolumeLimitScaling') ? { preventPodSchedulingIfMissing: false } : {}),
  })

const subject: Defaults = (given) =>
  given['kind'] === 'User' || given['kind'] === 'Group' ? fill(given, { apiGroup: rbacGroup }) : given

// Files of these volumes are readable by everyone by default.
const fileMode = { defaultMode: 0o644 }

/** The disruption mode is a string up to v1.36, where another gate drops it, and a union afterwards. */
function podGroupSpec(given: MutableFields, release: KubernetesRelease): MutableFields {
  const isUnion = atLeast(release, '1.37')
  const asText = release.gates.has('WorkloadAwarePreemption') ? 'Pod' : undefined
  const preemptionPolicy = release.gates.has('PodGroupPreemptionPolicy') ? 'PreemptLowerPriority' : undefined
  return fill(given, { disruptionMode: isUnion ? { single: {} } : asText, preemptionPolicy })
}

/** The defaults of absent fields, by type (v1.34 to v1.37, pkg/apis/<group>/v1/defaults.go and zz_generated.defaults.go). */
export const defaultsByType = lookupTable<Defaults>({
  'core.Pod': podDefaults,
  'core.PodSpec': podSpec,
  'core.PodStatus': podStatus,
  'core.Container': container,
  'core.EphemeralContainer': container,
  'core.ContainerPort': { protocol: 'TCP' },
  'core.Probe': { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  'core.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'core.GRPCAction': (given) => (given['service'] === null ? { ...given, service: '' } : fill(given, { service: '' })),
  'core.ObjectFieldSelector': { apiVersion: 'v1' },
  'core.FileKeySelector': { optional: false },
  'core.Volume': volume,
  'core.HostPathVolumeSource': { type: '' },
  'core.SecretVolumeSource': fileMode,
  'core.ConfigMapVolumeSource': fileMode,
  'core.DownwardAPIVolumeSource': fileMode,
  'core.ProjectedVolumeSource': fileMode,
  'core.ServiceAccountTokenProjection': { expirationSeconds: 3600 },
  'core.ISCSIVolumeSource': { iscsiInterface: 'default' },
  'core.ISCSIPersistentVolumeSource': { iscsiInterface: 'default' },
  'core.RBDVolumeSource': { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  'core.RBDPersistentVolumeSource': { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  'core.AzureDiskVolumeSource': { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  'core.ScaleIOVolumeSource': { storageMode: 'ThinProvisioned', fsType: 'xfs' },
  'core.ScaleIOPersistentVolumeSource': { storageMode: 'ThinProvisioned', fsType: 'xfs' },
  'core.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'core.PersistentVolumeClaim': (given) => inner(given, 'status', (status) => fill(status, { phase: 'Pending' })),
  'core.PersistentVolume': (given) =>
    inner(
      inner(given, 'spec', (spec) => fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' })),
      'status',
      (status) => fill(status, { phase: 'Pending' }),
    ),
  'core.Secret': { type: 'Opaque' },
  'core.Service': service,
  'core.ServicePort': servicePort,
  'core.EndpointPort': { protocol: 'TCP' },
  'core.Namespace': namespace,
  'core.NamespaceStatus': { phase: 'Active' },
  'core.NodeStatus': (given) => fill(given, { allocatable: given['capacity'] }),
  'core.LimitRangeItem': limitRangeItem,
  'core.ReplicationController': replicationController,
  'apps.Deployment': deployment,
  'apps.DaemonSet': daemonSet,
  'apps.StatefulSet': statefulSet,
  'apps.ReplicaSet': (given) => inner(given, 'spec', (spec) => fill(spec, { replicas: 1 })),
  'batch.Job': job,
  'batch.CronJob': (given) =>
    inner(given, 'spec', (spec) =>
      fill(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      }),
    ),
  'batch.PodFailurePolicyOnPodConditionsPattern': (given) =>
    given['status'] === '' ? { ...given, status: 'True' } : fill(given, { status: 'True' }),
  'scheduling/v1alpha2.PodGroupSpec': podGroupSpec,
  'scheduling/v1alpha3.PodGroupSpec': podGroupSpec,
  'scheduling/v1beta1.PodGroupSpec': podGroupSpec,
  'scheduling/v1alpha3.CompositePodGroupSpec': podGroupSpec,
  'scheduling.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'storage.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  'storage.CSIDriverSpec': driverSpec,
  'networking.NetworkPolicy': networkPolicy,
  'networking.NetworkPolicyPort': { protocol: 'TCP' },
  'networking.IngressClassParametersReference': (given) =>
    given['scope'] === null ? { ...given, scope: 'Cluster' } : fill(given, { scope: 'Cluster' }),
  'discovery.EndpointPort': { name: '', protocol: 'TCP' },
  'resource.ExactDeviceRequest': deviceRequest,
  'resource.DeviceSubRequest': deviceRequest,
  'resource.DeviceToleration': (given) => (given['operator'] ? given : { ...given, operator: 'Equal' }),
  ...registrationDefaults,
  'rbac.Subject': subject,
  'rbac.RoleRef': (given) => (given['apiGroup'] === '' ? { ...given, apiGroup: rbacGroup } : given),
})
