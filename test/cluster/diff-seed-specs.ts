import type { JsonObject } from '../../src/api/objects/meta.ts'

// Specs of pods and jobs with many fields, for the objects of diff-seeds.ts.

export const appArmor = 'container.apparmor.security.beta.kubernetes.io/'

const container: JsonObject = {
  name: 'c',
  image: 'nginx:1.27',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh'],
  args: ['-c', 'sleep 1'],
  workingDir: '/work',
  ports: [
    { name: 'http', containerPort: 80, protocol: 'TCP' },
    { containerPort: 53, protocol: 'UDP' },
  ],
  env: [
    { name: 'A', value: '1' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
    { name: 'D', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
    { name: 'E', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } },
  ],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }, { secretRef: { name: 's' } }],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
  volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
  livenessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, periodSeconds: 5, failureThreshold: 3 },
  readinessProbe: { tcpSocket: { port: 'http' }, initialDelaySeconds: 1 },
  startupProbe: { exec: { command: ['true'] } },
  lifecycle: { preStop: { exec: { command: ['true'] } } },
  terminationMessagePolicy: 'File',
  securityContext: { runAsUser: 1000, capabilities: { drop: ['ALL'] }, allowPrivilegeEscalation: false },
}

export const podSpec: JsonObject = {
  containers: [container],
  initContainers: [{ name: 'init', image: 'busybox', restartPolicy: 'Always' }],
  volumes: [
    { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'conf', configMap: { name: 'cm', items: [{ key: 'a', path: 'a' }], defaultMode: 420 } },
    { name: 'sec', secret: { secretName: 's' } },
    { name: 'claim', persistentVolumeClaim: { claimName: 'pvc' } },
    { name: 'proj', projected: { sources: [{ configMap: { name: 'cm' } }, { secret: { name: 's' } }] } },
    { name: 'host', hostPath: { path: '/var', type: 'Directory' } },
    { name: 'down', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  ],
  nodeSelector: { disk: 'ssd' },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' } },
      ],
    },
  },
  tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoExecute', tolerationSeconds: 30 }],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
      minDomains: 2,
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  dnsConfig: { nameservers: ['1.2.3.4'], searches: ['x.y'], options: [{ name: 'ndots', value: '2' }] },
  hostAliases: [{ ip: '1.2.3.4', hostnames: ['h'] }],
  securityContext: { fsGroup: 1, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  readinessGates: [{ conditionType: 'example.com/ready' }],
  priorityClassName: '',
  enableServiceLinks: true,
  shareProcessNamespace: false,
  hostname: 'h',
  subdomain: 'sub',
}

export const smallPodSpec: JsonObject = { containers: [{ name: 'c', image: 'nginx' }] }
export const template: JsonObject = { metadata: { labels: { app: 'web' } }, spec: smallPodSpec }
export const richTemplate: JsonObject = {
  metadata: { labels: { app: 'web' }, annotations: { note: 'x' } },
  spec: podSpec,
}
export const selector: JsonObject = { matchLabels: { app: 'web' } }
export const jobSpec: JsonObject = {
  parallelism: 2,
  completions: 3,
  backoffLimit: 4,
  completionMode: 'Indexed',
  activeDeadlineSeconds: 100,
  ttlSecondsAfterFinished: 5,
  suspend: false,
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
  template: { metadata: { labels: { app: 'web' } }, spec: { ...smallPodSpec, restartPolicy: 'Never' } },
}
