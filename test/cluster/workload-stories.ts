/** Operations of a user on workloads, as kubectl commands, and the output that is compared at the end. */
export interface WorkloadStory {
  readonly name: string
  readonly steps: readonly WorkloadStep[]
  /** Kinds whose status and conditions are compared, as kubectl names them. */
  readonly look: readonly string[]
}

export type WorkloadStep =
  | { readonly apply: object | readonly object[] }
  | { readonly kubectl: string }
  /** Waits until this field of an object has this value. */
  | { readonly until: string; readonly path: string; readonly reads: RegExp }

const until = (what: string, path: string, reads: RegExp): WorkloadStep => ({ until: what, path, reads })
const kubectl = (line: string): WorkloadStep => ({ kubectl: line })
const apply = (...objects: readonly object[]): WorkloadStep => ({ apply: objects })

interface Pods {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: object
}

const template = (app: string, { annotations = {}, spec = {} }: Pods = {}) => ({
  metadata: { labels: { app }, annotations },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image: 'one' }], ...spec },
})

const workload = (kind: string, name: string, spec: object, pods?: Pods) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec, template: template(name, pods) },
})

const job = (name: string, spec: object, pods: Pods = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { ...spec, template: template(name, { ...pods, spec: { restartPolicy: 'Never', ...pods.spec } }) },
})

const fails = { annotations: { 'berth.dev/exit-code': '3', 'berth.dev/run-for': '1s' } }
const lasts = { annotations: { 'berth.dev/run-for': '1h' } }
const ready = (kind: string, count: number) => until(kind, '{.status.readyReplicas}', new RegExp(`^${count}$`))
const jobIs = (name: string, type: string) =>
  until(`job/${name}`, '{.status.conditions[*].type}', new RegExp(`\\b${type}$`))

const budgets = {
  least: { minAvailable: 2 },
  percent: { minAvailable: '50%' },
  most: { maxUnavailable: 1 },
  share: { maxUnavailable: '40%' },
  nopods: { minAvailable: 1, selector: { matchLabels: { app: 'none' } } },
}

export const stories: readonly WorkloadStory[] = [
  {
    // One pod at a time, so that the steps do not depend on who is faster; and fewer of them than are combined into one event.
    name: 'a Deployment is updated and taken back',
    look: ['deployments', 'replicasets'],
    steps: [
      apply(
        workload('Deployment', 'web', { replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      ),
      kubectl('rollout status deploy/web --timeout=60s'),
      kubectl('set image deploy/web c=two'),
      kubectl('rollout status deploy/web --timeout=60s'),
      kubectl('rollout undo deploy/web'),
      kubectl('rollout status deploy/web --timeout=60s'),
    ],
  },
  {
    name: 'a Deployment is paused, resumed and scaled',
    look: ['deployments', 'replicasets'],
    steps: [
      apply(workload('Deployment', 'web', { replicas: 1 })),
      kubectl('rollout status deploy/web --timeout=60s'),
      kubectl('rollout pause deploy/web'),
      kubectl('set image deploy/web c=two'),
      until('deploy/web', '{.status.conditions[?(@.type=="Progressing")].reason}', /DeploymentPaused/),
      kubectl('scale deploy/web --replicas=2'),
      ready('deploy/web', 2),
      kubectl('scale deploy/web --replicas=1'),
      ready('deploy/web', 1),
      kubectl('rollout resume deploy/web'),
      kubectl('rollout status deploy/web --timeout=60s'),
    ],
  },
  {
    name: 'a Deployment that recreates',
    look: ['deployments', 'replicasets'],
    steps: [
      apply(workload('Deployment', 'web', { replicas: 2, strategy: { type: 'Recreate' } })),
      kubectl('rollout status deploy/web --timeout=60s'),
      kubectl('set image deploy/web c=two'),
      kubectl('rollout status deploy/web --timeout=60s'),
    ],
  },
  {
    name: 'a Deployment that does not get on',
    look: ['deployments', 'replicasets'],
    steps: [
      apply(
        workload(
          'Deployment',
          'web',
          { replicas: 2, progressDeadlineSeconds: 4 },
          {
            annotations: { 'berth.dev/image-pull-failure': 'true' },
          },
        ),
      ),
      until('deploy/web', '{.status.conditions[?(@.type=="Progressing")].reason}', /ProgressDeadlineExceeded/),
    ],
  },
  {
    name: 'a Deployment that a quota holds up',
    look: ['deployments', 'replicasets'],
    steps: [
      apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '1' } } }),
      until('quota/q', '{.status.hard.pods}', /1/),
      apply(workload('Deployment', 'web', { replicas: 2 })),
      until('deploy/web', '{.status.conditions[?(@.type=="ReplicaFailure")].status}', /True/),
      ready('deploy/web', 1),
    ],
  },
  {
    name: 'a StatefulSet in order, with a partition',
    look: ['statefulsets'],
    steps: [
      apply(workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db' })),
      kubectl('rollout status sts/db --timeout=60s'),
      kubectl(`patch sts db -p {"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}`),
      kubectl('set image sts/db c=two'),
      until('sts/db', '{.status.updatedReplicas}/{.status.readyReplicas}', /^1\/3$/),
      kubectl(`patch sts db -p {"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}`),
      kubectl('rollout status sts/db --timeout=60s'),
      kubectl('scale sts/db --replicas=1'),
      until('sts/db', '{.status.replicas}', /^1$/),
    ],
  },
  {
    name: 'a StatefulSet all at once',
    look: ['statefulsets'],
    steps: [
      apply(workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db', podManagementPolicy: 'Parallel' })),
      ready('sts/db', 3),
      kubectl('delete pod db-1'),
      ready('sts/db', 3),
    ],
  },
  {
    name: 'a StatefulSet that counts from five and waits for its update',
    look: ['statefulsets', 'pods'],
    steps: [
      apply(
        workload('StatefulSet', 'db', {
          ...{ replicas: 2, serviceName: 'db', ordinals: { start: 5 }, minReadySeconds: 1 },
          updateStrategy: { type: 'OnDelete' },
        }),
      ),
      until('sts/db', '{.status.availableReplicas}', /^2$/),
      kubectl('set image sts/db c=two'),
      until('sts/db', '{.status.observedGeneration}', /^2$/),
      kubectl('delete pod db-6'),
      until('sts/db', '{.status.updatedReplicas}/{.status.availableReplicas}', /^1\/2$/),
    ],
  },
  {
    name: 'a Deployment keeps one old revision, and loses a pod to another label',
    look: ['deployments', 'replicasets'],
    steps: [
      apply(workload('Deployment', 'web', { replicas: 1, revisionHistoryLimit: 1, minReadySeconds: 1 })),
      ...['two', 'three'].flatMap((image) => [
        kubectl('rollout status deploy/web --timeout=60s'),
        kubectl(`set image deploy/web c=${image}`),
      ]),
      kubectl('rollout status deploy/web --timeout=60s'),
      kubectl('label pod -l app=web app=lost --overwrite'),
      until('deploy/web', '{.status.availableReplicas}', /^1$/),
    ],
  },
  {
    name: 'a DaemonSet everywhere, updated with a surge',
    look: ['daemonsets'],
    steps: [
      apply(workload('DaemonSet', 'agent', { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })),
      until('ds/agent', '{.status.numberReady}', /^3$/),
      kubectl('set image ds/agent c=two'),
      kubectl('rollout status ds/agent --timeout=60s'),
    ],
  },
  {
    name: 'a DaemonSet on some nodes, updated',
    look: ['daemonsets'],
    steps: [
      apply(workload('DaemonSet', 'agent', {}, { spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } } })),
      until('ds/agent', '{.status.numberReady}', /^1$/),
      kubectl('set image ds/agent c=two'),
      kubectl('rollout status ds/agent --timeout=60s'),
    ],
  },
  {
    name: 'Jobs that complete',
    look: ['jobs'],
    steps: [
      apply(
        job('plain', {}),
        job('many', { completions: 3, parallelism: 2 }),
        job('indexed', { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
        job('later', { suspend: true }),
        job('enough', {
          ...{ completions: 3, parallelism: 1, completionMode: 'Indexed' },
          successPolicy: { rules: [{ succeededCount: 1 }] },
        }),
      ),
      jobIs('plain', 'Complete'),
      jobIs('many', 'Complete'),
      jobIs('indexed', 'Complete'),
      jobIs('enough', 'Complete'),
      until('job/later', '{.status.conditions[*].type}', /Suspended/),
      kubectl(`patch job later -p {"spec":{"suspend":false}}`),
      jobIs('later', 'Complete'),
    ],
  },
  {
    name: 'Jobs that fail',
    look: ['jobs'],
    steps: [
      apply(
        job('never', { backoffLimit: 0 }, fails),
        job('late', { activeDeadlineSeconds: 2 }, lasts),
        job(
          'policy',
          {
            podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] },
          },
          fails,
        ),
        job('indexes', { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 }, fails),
        job(
          'most',
          {
            ...{ completions: 3, parallelism: 1, completionMode: 'Indexed' },
            ...{ backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
          },
          fails,
        ),
      ),
      ...['never', 'late', 'policy', 'indexes', 'most'].map((name) => jobIs(name, 'Failed')),
    ],
  },
  {
    name: 'Jobs that retry without success',
    look: ['jobs'],
    steps: [
      apply(
        job('twice', { backoffLimit: 1 }, fails),
        job(
          'restarts',
          { backoffLimit: 1 },
          { annotations: { 'berth.dev/crash-after': '1s' }, spec: { restartPolicy: 'OnFailure' } },
        ),
      ),
      ...['twice', 'restarts'].map((name) => jobIs(name, 'Failed')),
    ],
  },
  {
    name: 'a Job that is forgotten when it is done',
    look: ['jobs', 'pods'],
    steps: [
      apply(job('brief', { ttlSecondsAfterFinished: 1 })),
      kubectl('wait --for=delete job/brief --timeout=60s'),
      kubectl('wait --for=delete pod -l app=brief --timeout=60s'),
    ],
  },
  {
    name: 'a Job is suspended in the middle',
    look: ['jobs'],
    steps: [
      apply(job('long', { parallelism: 2, completions: 2 }, lasts)),
      until('job/long', '{.status.ready}', /^2$/),
      kubectl(`patch job long -p {"spec":{"suspend":true}}`),
      until('job/long', '{.status.active}/{.status.terminating}', /^0?\/0?$/),
    ],
  },
  {
    name: 'budgets in numbers and in percent',
    look: ['poddisruptionbudgets'],
    steps: [
      // Each has separate pods: of several for one pod, upstream names any in its warning.
      apply(...Object.keys(budgets).map((name) => workload('Deployment', name, { replicas: 3 }))),
      ...Object.keys(budgets).map((name) => ready(`deploy/${name}`, 3)),
      apply(
        ...Object.entries(budgets).map(([name, spec]) => ({
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name },
          spec: { selector: { matchLabels: { app: name } }, ...spec },
        })),
      ),
      ...['least', 'percent', 'most', 'share'].map((name) => until(`pdb/${name}`, '{.status.currentHealthy}', /^3$/)),
    ],
  },
  {
    name: 'owners are deleted in three ways',
    look: ['deployments', 'replicasets', 'pods'],
    steps: [
      apply(...['bg', 'fg', 'orphans'].map((name) => workload('Deployment', name, { replicas: 1 }))),
      ...['bg', 'fg', 'orphans'].map((name) => ready(`deploy/${name}`, 1)),
      kubectl('delete deploy bg --cascade=background'),
      kubectl('delete deploy fg --cascade=foreground'),
      kubectl('delete deploy orphans --cascade=orphan'),
      kubectl('wait --for=delete pod -l app=bg --timeout=60s'),
    ],
  },
  {
    name: 'a CronJob in its minute',
    look: ['cronjobs', 'jobs'],
    steps: [
      apply({
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'tick' },
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Forbid',
          jobTemplate: { spec: job('tick', {}).spec },
        },
      }),
      until('cj/tick', '{.status.lastSuccessfulTime}', /Z$/),
      kubectl(`patch cj tick -p {"spec":{"suspend":true}}`),
    ],
  },
]
