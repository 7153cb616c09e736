import type { JsonObject } from '../../src/api/objects/meta.ts'
import { appArmor, jobSpec, podSpec, richTemplate, selector, smallPodSpec, template } from './diff-seed-specs.ts'

/** One object with many fields that both servers have: requests are derived from it. */
export interface Seed {
  readonly resource: string
  readonly object: JsonObject
  /** The status that the object is given after it was created. */
  readonly status?: JsonObject
  /** The base of the statuses that are sent, besides random ones. */
  readonly statuses?: readonly JsonObject[]
  /** The real server deletes objects of the kind that refer to nothing. */
  readonly isFleeting?: true
}

const meta = (name: string, more: JsonObject = {}): JsonObject => ({ name, labels: { app: 'web' }, ...more })

const seed = (resource: string, apiVersion: string, kind: string, metadata: JsonObject, rest: JsonObject): Seed => ({
  resource,
  object: { apiVersion, kind, metadata, ...rest },
})

const storage = 'storage.k8s.io/v1'
const net = 'networking.k8s.io/v1'
const rbac = 'rbac.authorization.k8s.io/v1'

export const seeds: readonly Seed[] = [
  seed('pods', 'v1', 'Pod', meta('rich', { annotations: { a: 'b' } }), { spec: podSpec }),
  seed('pods', 'v1', 'Pod', meta('small'), { spec: smallPodSpec }),
  seed('pods', 'v1', 'Pod', meta('armoured', { annotations: { [`${appArmor}c`]: 'runtime/default' } }), {
    spec: { ...smallPodSpec, securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  }),
  seed('pods', 'v1', 'Pod', meta('bound'), { spec: { ...smallPodSpec, nodeName: 'n1', restartPolicy: 'Never' } }),
  seed('nodes', 'v1', 'Node', meta('n1'), {
    spec: {
      podCIDR: '10.1.0.0/24',
      podCIDRs: ['10.1.0.0/24'],
      providerID: 'x://1',
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      unschedulable: true,
    },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '2' },
      allocatable: { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '2' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.4' },
        { type: 'Hostname', address: 'n1' },
      ],
      nodeInfo: { kubeletVersion: 'v1.36.4', osImage: 'Debian', kernelVersion: '6', containerRuntimeVersion: 'c://2' },
      images: [{ names: ['a:1'], sizeBytes: 5 }],
    },
  }),
  seed('namespaces', 'v1', 'Namespace', meta('other'), { spec: { finalizers: ['kubernetes'] } }),
  seed('configmaps', 'v1', 'ConfigMap', meta('cm'), { data: { a: '1', b: '2' }, binaryData: { c: 'aGVsbG8=' } }),
  seed('configmaps', 'v1', 'ConfigMap', meta('frozen'), { data: { a: '1' }, immutable: true }),
  seed('secrets', 'v1', 'Secret', meta('s'), { data: { k: 'aGVsbG8=' }, type: 'Opaque' }),
  seed('secrets', 'v1', 'Secret', meta('tls'), {
    data: { 'tls.crt': 'aGVsbG8=', 'tls.key': 'aGVsbG8=' },
    type: 'kubernetes.io/tls',
    immutable: true,
  }),
  seed('secrets', 'v1', 'Secret', meta('basic'), {
    stringData: { username: 'u', password: 'p' },
    type: 'kubernetes.io/basic-auth',
  }),
  seed('serviceaccounts', 'v1', 'ServiceAccount', meta('robot'), {
    secrets: [{ name: 's' }],
    imagePullSecrets: [{ name: 's' }],
    automountServiceAccountToken: false,
  }),
  seed('services', 'v1', 'Service', meta('svc'), {
    spec: {
      selector: { app: 'web' },
      type: 'NodePort',
      ports: [
        { name: 'http', port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP', appProtocol: 'http' },
        { name: 'dns', port: 53, targetPort: 'dns', nodePort: 30053, protocol: 'UDP' },
      ],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 100 } },
      clusterIP: '10.0.0.77',
      externalIPs: ['1.2.3.4'],
      internalTrafficPolicy: 'Cluster',
      externalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    },
  }),
  seed('services', 'v1', 'Service', meta('headless'), {
    spec: { clusterIP: 'None', selector: { app: 'web' }, publishNotReadyAddresses: true },
  }),
  seed('services', 'v1', 'Service', meta('external'), { spec: { type: 'ExternalName', externalName: 'example.com' } }),
  seed('services', 'v1', 'Service', meta('balanced'), {
    spec: {
      type: 'LoadBalancer',
      clusterIP: '10.0.0.78',
      ports: [{ port: 443, nodePort: 30443 }],
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30444,
      loadBalancerClass: 'example.com/lb',
      allocateLoadBalancerNodePorts: true,
    },
  }),
  seed('endpoints', 'v1', 'Endpoints', meta('svc'), {
    subsets: [
      {
        addresses: [{ ip: '10.2.0.1', hostname: 'a', nodeName: 'n1', targetRef: { kind: 'Pod', name: 'small' } }],
        notReadyAddresses: [{ ip: '10.2.0.2' }],
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
      },
    ],
  }),
  seed('limitranges', 'v1', 'LimitRange', meta('limits'), {
    spec: {
      limits: [
        {
          type: 'Container',
          max: { cpu: '100', memory: '100Gi' },
          min: { cpu: '1m' },
          default: { memory: '1Gi' },
          defaultRequest: { memory: '512Mi' },
          maxLimitRequestRatio: { cpu: '1000' },
        },
        { type: 'PersistentVolumeClaim', max: { storage: '100Gi' }, min: { storage: '1' } },
      ],
    },
  }),
  seed('resourcequotas', 'v1', 'ResourceQuota', meta('quota'), {
    spec: { hard: { pods: '1000', 'requests.cpu': '1000', 'count/configmaps': '1000' } },
  }),
  seed('resourcequotas', 'v1', 'ResourceQuota', meta('scoped'), {
    spec: {
      hard: { pods: '1000', 'limits.memory': '1000Gi' },
      scopes: ['NotTerminating'],
      scopeSelector: {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      },
    },
  }),
  seed('podtemplates', 'v1', 'PodTemplate', meta('pt'), { template: richTemplate }),
  seed('replicationcontrollers', 'v1', 'ReplicationController', meta('rc'), {
    spec: { replicas: 2, minReadySeconds: 1, selector: { app: 'web' }, template },
  }),
  seed(
    'events',
    'v1',
    'Event',
    { name: 'ev' },
    {
      involvedObject: { kind: 'Pod', name: 'small', namespace: 'diff', apiVersion: 'v1' },
      reason: 'Started',
      message: 'hello',
      type: 'Normal',
      source: { component: 'test', host: 'n1' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 2,
    },
  ),
  seed(
    'events.events.k8s.io',
    'events.k8s.io/v1',
    'Event',
    { name: 'ev2' },
    {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'Binding',
      reason: 'Started',
      note: 'hello',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'small', namespace: 'diff' },
      series: { count: 3, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    },
  ),
  seed('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', meta('pvc'), {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
      selector,
      dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
    },
  }),
  seed('persistentvolumes', 'v1', 'PersistentVolume', meta('pv'), {
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'fast',
      mountOptions: ['ro'],
      csi: { driver: 'csi.example.com', volumeHandle: 'v', fsType: 'ext4', volumeAttributes: { a: 'b' } },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'diff', name: 'pvc' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
      },
    },
  }),
  seed('persistentvolumes', 'v1', 'PersistentVolume', meta('pv-nfs'), {
    spec: { capacity: { storage: '10Gi' }, accessModes: ['ReadWriteMany'], nfs: { server: 'x', path: '/y' } },
  }),
  seed('deployments.apps', 'apps/v1', 'Deployment', meta('dep'), {
    spec: {
      replicas: 3,
      selector,
      template: richTemplate,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      minReadySeconds: 1,
      revisionHistoryLimit: 5,
      progressDeadlineSeconds: 60,
    },
  }),
  seed('replicasets.apps', 'apps/v1', 'ReplicaSet', meta('rs'), { spec: { replicas: 2, selector, template } }),
  seed('daemonsets.apps', 'apps/v1', 'DaemonSet', meta('ds'), {
    spec: { selector, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } },
  }),
  seed('statefulsets.apps', 'apps/v1', 'StatefulSet', meta('sts'), {
    spec: {
      replicas: 2,
      selector,
      template,
      serviceName: 'svc',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      ordinals: { start: 1 },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  seed('controllerrevisions.apps', 'apps/v1', 'ControllerRevision', meta('cr'), { revision: 1, data: { a: 1 } }),
  seed('jobs.batch', 'batch/v1', 'Job', meta('job'), { spec: jobSpec }),
  seed('cronjobs.batch', 'batch/v1', 'CronJob', meta('cj'), {
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Europe/Berlin',
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 10,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      suspend: false,
      jobTemplate: { metadata: { labels: { app: 'web' } }, spec: jobSpec },
    },
  }),
  seed('poddisruptionbudgets.policy', 'policy/v1', 'PodDisruptionBudget', meta('pdb'), {
    spec: { minAvailable: 1, selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  }),
  seed('priorityclasses.scheduling.k8s.io', 'scheduling.k8s.io/v1', 'PriorityClass', meta('high'), {
    value: 1000,
    description: 'x',
    preemptionPolicy: 'Never',
  }),
  seed('leases.coordination.k8s.io', 'coordination.k8s.io/v1', 'Lease', meta('lease'), {
    spec: {
      holderIdentity: 'h',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
    },
  }),
  seed('csidrivers.storage.k8s.io', storage, 'CSIDriver', meta('csi.example.com'), {
    spec: {
      attachRequired: true,
      podInfoOnMount: true,
      volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      fsGroupPolicy: 'File',
      tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }],
      storageCapacity: true,
    },
  }),
  seed('csinodes.storage.k8s.io', storage, 'CSINode', meta('n1'), {
    spec: { drivers: [{ name: 'csi.example.com', nodeID: 'x', topologyKeys: ['zone'], allocatable: { count: 5 } }] },
  }),
  seed('csistoragecapacities.storage.k8s.io', storage, 'CSIStorageCapacity', meta('cap'), {
    storageClassName: 'fast',
    nodeTopology: selector,
    capacity: '10Gi',
    maximumVolumeSize: '5Gi',
  }),
  seed('storageclasses.storage.k8s.io', storage, 'StorageClass', meta('fast'), {
    provisioner: 'csi.example.com',
    parameters: { a: 'b' },
    reclaimPolicy: 'Delete',
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
    mountOptions: ['ro'],
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
  }),
  seed('volumeattachments.storage.k8s.io', storage, 'VolumeAttachment', meta('va'), {
    spec: { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv' } },
  }),
  seed('volumeattributesclasses.storage.k8s.io', storage, 'VolumeAttributesClass', meta('vac'), {
    driverName: 'csi.example.com',
    parameters: { a: 'b' },
  }),
  seed('endpointslices.discovery.k8s.io', 'discovery.k8s.io/v1', 'EndpointSlice', meta('slice'), {
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.2.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: 'a',
        nodeName: 'n1',
        zone: 'z',
        targetRef: { kind: 'Pod', name: 'small' },
        hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n1' }] },
        deprecatedTopology: { a: 'b' },
      },
    ],
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  }),
  seed('ingresses.networking.k8s.io', net, 'Ingress', meta('ing'), {
    spec: {
      ingressClassName: 'nginx',
      defaultBackend: { service: { name: 'svc', port: { number: 80 } } },
      tls: [{ hosts: ['a.example.com'], secretName: 'tls' }],
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'svc', port: { name: 'http' } } } },
              {
                path: '/x',
                pathType: 'Exact',
                backend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } },
              },
            ],
          },
        },
        { host: '*.example.com' },
      ],
    },
  }),
  seed('ingressclasses.networking.k8s.io', net, 'IngressClass', meta('nginx'), {
    spec: {
      controller: 'example.com/ingress',
      parameters: { apiGroup: 'example.com', kind: 'Params', name: 'p', scope: 'Namespace', namespace: 'diff' },
    },
  }),
  seed('networkpolicies.networking.k8s.io', net, 'NetworkPolicy', meta('np'), {
    spec: {
      podSelector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
            { namespaceSelector: selector, podSelector: selector },
          ],
          ports: [
            { protocol: 'TCP', port: 80, endPort: 90 },
            { protocol: 'UDP', port: 'dns' },
          ],
        },
      ],
      egress: [{ to: [{ podSelector: {} }], ports: [{ port: 53 }] }],
    },
  }),
  {
    ...seed(
      'ipaddresses.networking.k8s.io',
      net,
      'IPAddress',
      { name: '192.168.1.5' },
      {
        spec: { parentRef: { group: '', resource: 'services', namespace: 'diff', name: 'svc' } },
      },
    ),
    isFleeting: true,
  },
  seed('servicecidrs.networking.k8s.io', net, 'ServiceCIDR', meta('extra'), { spec: { cidrs: ['10.0.0.0/24'] } }),
  seed('runtimeclasses.node.k8s.io', 'node.k8s.io/v1', 'RuntimeClass', meta('kata'), {
    handler: 'kata',
    overhead: { podFixed: { cpu: '10m' } },
    scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
  }),
  seed('roles.rbac.authorization.k8s.io', rbac, 'Role', meta('r'), {
    rules: [{ apiGroups: ['', 'apps'], resources: ['pods', 'pods/log'], verbs: ['get', '*'], resourceNames: ['x'] }],
  }),
  seed('clusterroles.rbac.authorization.k8s.io', rbac, 'ClusterRole', meta('cr'), {
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
    ],
  }),
  seed('clusterroles.rbac.authorization.k8s.io', rbac, 'ClusterRole', meta('agg'), {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'rbac.example.com/x': 'true' } }] },
  }),
  seed('rolebindings.rbac.authorization.k8s.io', rbac, 'RoleBinding', meta('rb'), {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'ServiceAccount', name: 'robot', namespace: 'diff' },
      { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' },
    ],
  }),
  seed('clusterrolebindings.rbac.authorization.k8s.io', rbac, 'ClusterRoleBinding', meta('crb'), {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cr' },
    subjects: [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
  }),
]
