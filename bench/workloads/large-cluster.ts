import type { KubeObject } from '../../src/api/objects/meta.ts'

/**
 * Objects of a cluster that has been running for a while, as an API server returns them: with all defaults, in Go's field
 * order, and with statuses that no controller needs to change.
 */
export const takenAtMs = Date.UTC(2026, 0, 1)

const zones = ['zone-a', 'zone-b', 'zone-c']
const podsPerWorkload = 40
const created = '2025-12-01T00:00:00Z'
const heartbeat = '2025-12-31T23:59:55Z'

const pad = (number: number, width = 4) => String(number).padStart(width, '0')
const uid = (kind: number, number: number) => `${kind}0000000-0000-4000-8000-${pad(number, 12)}`
const nodeName = (number: number) => `node-${pad(number)}`

export function* clusterObjects(nodes: number, pods: number): Generator<KubeObject> {
  for (let n = 0; n < nodes; n++) yield node(n)
  for (let n = 0; n < nodes; n++) yield lease(n)
  const workloads = Math.ceil(pods / podsPerWorkload)
  for (let w = 0; w < workloads; w++) {
    const replicas = Math.min(podsPerWorkload, pods - w * podsPerWorkload)
    yield deployment(w, replicas)
    yield replicaSet(w, replicas)
    if (w % 10 === 0) yield budget(w, replicas)
  }
  for (let p = 0; p < pods; p++) yield pod(p, nodes)
}

function node(n: number): KubeObject {
  const times = { lastHeartbeatTime: heartbeat, lastTransitionTime: created }
  const size = { cpu: '16', 'ephemeral-storage': '200Gi', memory: '64Gi', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName(n),
      uid: uid(1, n),
      resourceVersion: String(1000 + n),
      creationTimestamp: created,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': nodeName(n),
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/region': 'r1',
        'topology.kubernetes.io/zone': zones[n % zones.length],
      },
    },
    spec: { podCIDR: `10.${n >> 8}.${n & 255}.0/24`, podCIDRs: [`10.${n >> 8}.${n & 255}.0/24`] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [
        { type: 'MemoryPressure', status: 'False', ...times, reason: 'KubeletHasSufficientMemory' },
        { type: 'DiskPressure', status: 'False', ...times, reason: 'KubeletHasNoDiskPressure' },
        { type: 'PIDPressure', status: 'False', ...times, reason: 'KubeletHasSufficientPID' },
        { type: 'Ready', status: 'True', ...times, reason: 'KubeletReady' },
      ],
      addresses: [{ type: 'InternalIP', address: `172.16.${n >> 8}.${n & 255}` }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: '',
        osImage: '',
        containerRuntimeVersion: '',
        kubeletVersion: 'v1.36.4',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  } as unknown as KubeObject
}

function lease(n: number): KubeObject {
  const renewTime = `2025-12-31T23:59:5${n % 10}.${pad(n % 1000, 3)}000Z`
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: nodeName(n), namespace: 'kube-node-lease', uid: uid(2, n), resourceVersion: String(10_000 + n) },
    spec: { holderIdentity: nodeName(n), leaseDurationSeconds: 40, renewTime },
  } as unknown as KubeObject
}

const appName = (w: number) => `app-${pad(w)}`
const setName = (w: number) => `${appName(w)}-6f7d8c9b5d`
const namespaceOf = (w: number) => `team-${w % 50}`

function podSpec(w: number, placed: { readonly nodeName?: string } = {}) {
  return {
    containers: [
      {
        name: 'main',
        image: `registry.example/${appName(w)}:v1`,
        ports: [{ containerPort: 8080, protocol: 'TCP' }],
        resources: { limits: { memory: '512Mi' }, requests: { cpu: '250m', memory: '512Mi' } },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    ...placed,
    securityContext: {},
    schedulerName: 'default-scheduler',
  }
}

function replicated(kind: string, name: string, w: number, replicas: number, more: object): KubeObject {
  const labels = { app: appName(w), ...(kind === 'ReplicaSet' ? { 'pod-template-hash': '6f7d8c9b5d' } : {}) }
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name,
      namespace: namespaceOf(w),
      uid: uid(kind === 'Deployment' ? 3 : 4, w),
      resourceVersion: String(20_000 + w),
      generation: 1,
      creationTimestamp: created,
      labels,
      annotations: { 'deployment.kubernetes.io/revision': '1' },
      ...more,
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(w) },
      ...(kind === 'Deployment'
        ? {
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
            revisionHistoryLimit: 10,
            progressDeadlineSeconds: 600,
          }
        : {}),
    },
    status: {
      ...(kind === 'Deployment' ? { observedGeneration: 1 } : {}),
      replicas,
      ...(kind === 'Deployment' ? { updatedReplicas: replicas } : { fullyLabeledReplicas: replicas }),
      readyReplicas: replicas,
      availableReplicas: replicas,
      terminatingReplicas: 0,
      ...(kind === 'ReplicaSet' ? { observedGeneration: 1 } : {}),
      ...(kind === 'Deployment'
        ? {
            conditions: [
              {
                type: 'Available',
                status: 'True',
                lastUpdateTime: created,
                lastTransitionTime: created,
                reason: 'MinimumReplicasAvailable',
                message: 'Deployment has minimum availability.',
              },
              {
                type: 'Progressing',
                status: 'True',
                lastUpdateTime: created,
                lastTransitionTime: created,
                reason: 'NewReplicaSetAvailable',
                message: `ReplicaSet "${setName(w)}" has successfully progressed.`,
              },
            ],
          }
        : {}),
    },
  } as unknown as KubeObject
}

function deployment(w: number, replicas: number): KubeObject {
  return replicated('Deployment', appName(w), w, replicas, {})
}

function replicaSet(w: number, replicas: number): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: appName(w), uid: uid(3, w) }
  return replicated('ReplicaSet', setName(w), w, replicas, {
    annotations: {
      'deployment.kubernetes.io/desired-replicas': String(replicas),
      'deployment.kubernetes.io/max-replicas': String(replicas + Math.ceil(replicas / 4)),
      'deployment.kubernetes.io/revision': '1',
    },
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  })
}

function budget(w: number, replicas: number): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: appName(w),
      namespace: namespaceOf(w),
      uid: uid(5, w),
      resourceVersion: String(30_000 + w),
      generation: 1,
    },
    spec: { maxUnavailable: 5, selector: { matchLabels: { app: appName(w) } } },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 5,
      currentHealthy: replicas,
      desiredHealthy: replicas - 5,
      expectedPods: replicas,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          observedGeneration: 1,
          lastTransitionTime: created,
          reason: 'SufficientPods',
          message: '',
        },
      ],
    },
  } as unknown as KubeObject
}

function pod(p: number, nodes: number): KubeObject {
  const w = Math.floor(p / podsPerWorkload)
  // Consecutive pods of a workload are spread over nodes and zones.
  const n = (p * 7 + w) % nodes
  const times = { lastProbeTime: null, lastTransitionTime: created }
  const ip = `10.${n >> 8}.${n & 255}.${2 + (Math.floor(p / nodes) % 250)}`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${setName(w)}-${pad(p, 6)}`,
      generateName: `${setName(w)}-`,
      namespace: namespaceOf(w),
      uid: uid(6, p),
      resourceVersion: String(100_000 + p),
      creationTimestamp: created,
      labels: { app: appName(w), 'pod-template-hash': '6f7d8c9b5d' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: setName(w),
          uid: uid(4, w),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...podSpec(w, { nodeName: nodeName(n) }),
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          ...times,
        }),
      ),
      hostIP: `172.16.${n >> 8}.${n & 255}`,
      podIP: ip,
      podIPs: [{ ip }],
      startTime: created,
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: created } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: `registry.example/${appName(w)}:v1`,
          imageID: '',
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  } as unknown as KubeObject
}
