import { describe, expect, it } from 'vitest'
import { container, deployment, HostileCluster, template } from './hostile-cluster.ts'

// BERTH_HOSTILE=1 runs the sizes that take a minute.
const scale = process.env['BERTH_HOSTILE'] === undefined ? 1 : 5
const maxInt32 = 2 ** 31 - 1
const longName = 'n'.repeat(63)
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const named = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'default', ...more } })
const job = (name: string, spec: object) => ({
  ...named(name),
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } }, ...spec },
})
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  ...named(name, metadata),
  spec: { containers: [container], ...spec },
})
const cron = (schedule: string, more: object = {}) => ({
  ...named('cron'),
  spec: { schedule, jobTemplate: { spec: job('', {}).spec }, ...more },
})
const owner = (name: string, uid: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
})
const labelsOf = (count: number) => Object.fromEntries(many(count, (i) => [`label-${i}`, 'x']))
const selector = (app: string) => ({ matchLabels: { app } })
const huge = { resources: { requests: { cpu: '100000' } } }

type Hostility = (cluster: HostileCluster) => void

/** Unusual objects that a user may create. */
const hostilities: Readonly<Record<string, Hostility>> = {
  'a pod with 10,000 labels': (c) => c.create('pods', pod('labels', {}, { labels: labelsOf(10_000) })),
  'a Deployment whose pods have 3,000 labels, all selected': (c) => {
    const labels = labelsOf(3_000)
    c.create('deployments.apps', {
      ...named('wide'),
      spec: { replicas: 10, selector: { matchLabels: labels }, template: template(labels) },
    })
  },
  'two ReplicaSets with one selector': (c) => {
    for (const name of ['one', 'two']) {
      const spec = { replicas: 5, selector: selector('shared'), template: template({ app: 'shared' }) }
      c.create('replicasets.apps', { ...named(name), spec })
    }
  },
  'many Deployments with one selector': (c) => {
    for (let i = 0; i < 20 * scale; i++) {
      const spec = { replicas: 1, selector: selector('shared'), template: template({ app: 'shared' }) }
      c.create('deployments.apps', { ...named(`twin-${i}`), spec })
    }
  },
  'a ConfigMap with 10,000 finalizers, deleted': (c) => {
    c.create('configmaps', named('finalizers', { finalizers: many(10_000, (i) => `example.com/f${i}`) }))
    c.call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'finalizers' })
  },
  'a pod with a finalizer that is never removed, deleted, owned by a ReplicaSet': (c) => {
    const spec = {
      replicas: 5,
      selector: selector('stuck'),
      template: {
        ...template({ app: 'stuck' }),
        metadata: { labels: { app: 'stuck' }, finalizers: ['example.com/x'] },
      },
    }
    c.create('replicasets.apps', { ...named('stuck'), spec })
    c.pass(10)
    c.call({ verb: 'delete', resource: 'replicasets.apps', namespace: 'default', name: 'stuck' })
  },
  'ConfigMaps that own each other in a ring, one deleted in the foreground': (c) => {
    const made = many(100 * scale, (i) => c.must('configmaps', named(`ring-${i}`)))
    made.forEach((one, i) => {
      const next = made[(i + 1) % made.length]
      const ownerReferences = [owner(next?.metadata.name ?? '', next?.metadata.uid ?? '', { blockOwnerDeletion: true })]
      const patch = { kind: 'merge', patch: { metadata: { ownerReferences } } } as never
      c.call({ verb: 'patch', resource: 'configmaps', namespace: 'default', name: one.metadata.name, patch })
    })
    const options = { propagationPolicy: 'Foreground' } as const
    c.call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'ring-0', options })
  },
  'a ConfigMap that owns itself, deleted in the foreground': (c) => {
    const self = c.must('configmaps', named('self'))
    const ownerReferences = [owner('self', self.metadata.uid ?? '', { blockOwnerDeletion: true })]
    const patch = { kind: 'merge', patch: { metadata: { ownerReferences } } } as never
    c.call({ verb: 'patch', resource: 'configmaps', namespace: 'default', name: 'self', patch })
    const options = { propagationPolicy: 'Foreground' } as const
    c.call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'self', options })
  },
  'many ConfigMaps with 501 absent owners each': (c) => {
    for (let i = 0; i < 5 * scale; i++) {
      const ownerReferences = many(501, (j) => owner(`ghost-${i}-${j}`, `u-${i}-${j}`))
      c.create('configmaps', named(`hydra-${i}`, { ownerReferences }))
    }
  },
  // Without a quota it creates pods until memory is exhausted, as upstream does until etcd is full.
  'a Job with absurd parallelism and completions, that a quota refuses': (c) => {
    c.create('resourcequotas', { ...named('quota'), spec: { hard: { 'count/pods': '50' } } })
    c.pass(1)
    const template = { spec: { restartPolicy: 'Never', containers: [{ ...container, ...huge }] } }
    c.create('jobs.batch', job('absurd', { parallelism: maxInt32, completions: maxInt32, template }))
  },
  'an indexed Job with 100,000 completions and no parallelism': (c) =>
    c.create('jobs.batch', job('indexed', { parallelism: 0, completions: 100_000, completionMode: 'Indexed' })),
  'a Job whose pods fail for ever': (c) => {
    const failing = { restartPolicy: 'Never', containers: [container] }
    const annotations = { 'berth.dev/fail': 'true' }
    const spec = { backoffLimit: maxInt32, template: { metadata: { annotations }, spec: failing } }
    c.create('jobs.batch', { ...named('failing'), spec })
  },
  'a Job with a TTL of the largest number, and one of 0': (c) => {
    c.create('jobs.batch', job('ttl-max', { ttlSecondsAfterFinished: maxInt32 }))
    c.create('jobs.batch', job('ttl-0', { ttlSecondsAfterFinished: 0 }))
    for (const name of ['ttl-max', 'ttl-0'])
      c.writeStatus('jobs.batch', name, {
        conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '9999-01-01T00:00:00Z' }],
      })
  },
  'a Job with an activeDeadlineSeconds of the largest number': (c) =>
    c.create('jobs.batch', job('deadline', { activeDeadlineSeconds: Number.MAX_SAFE_INTEGER })),
  'a Deployment with a revisionHistoryLimit of the largest number, and one of 0': (c) => {
    c.create('deployments.apps', deployment('history', 1, { revisionHistoryLimit: maxInt32 }))
    c.create('deployments.apps', deployment('forgetful', 1, { revisionHistoryLimit: 0 }))
  },
  'a Deployment with odd numbers in its annotations': (c) =>
    many(4, (i) => {
      const revision = ['-1', '99999999999999999999999', 'NaN', String(Number.MAX_SAFE_INTEGER)][i] ?? ''
      const annotations = {
        'deployment.kubernetes.io/revision': revision,
        'deployment.kubernetes.io/desired-replicas': revision,
        'deployment.kubernetes.io/max-replicas': revision,
      }
      const made = deployment(`annotated-${i}`, 2)
      c.create('deployments.apps', { ...made, metadata: { ...made.metadata, annotations } })
    }),
  'a paused Deployment with a progressDeadlineSeconds of the largest number': (c) => {
    c.create('deployments.apps', deployment('late', 1, { progressDeadlineSeconds: maxInt32 }))
    c.create('deployments.apps', deployment('paused', 1, { paused: true }))
  },
  'a Deployment with many replicas and no room': (c) =>
    c.create('deployments.apps', {
      ...named('crowd'),
      spec: {
        replicas: 200 * scale,
        selector: selector('crowd'),
        template: template({ app: 'crowd' }, { containers: [{ ...container, ...huge }] }),
      },
    }),
  '200 PodDisruptionBudgets over the same pods': (c) => {
    for (let i = 0; i < 200; i++)
      c.create('poddisruptionbudgets.policy', { ...named(`pdb-${i}`), spec: { minAvailable: 1, selector: {} } })
  },
  'a PodDisruptionBudget with 10,000 disrupted pods in its status': (c) => {
    c.create('poddisruptionbudgets.policy', { ...named('pdb'), spec: { minAvailable: 1, selector: {} } })
    const disruptedPods = Object.fromEntries(many(10_000, (i) => [`pod-${i}`, '9999-01-01T00:00:00Z']))
    c.writeStatus('poddisruptionbudgets.policy', 'pdb', { disruptedPods })
  },
  'a CronJob that never fires': (c) => c.create('cronjobs.batch', cron('0 0 31 2 *')),
  'a CronJob that never fires in a time zone': (c) =>
    c.create('cronjobs.batch', cron('0 0 31 2 *', { timeZone: 'America/New_York' })),
  'a CronJob that was last started in the year 1': (c) => {
    c.create('cronjobs.batch', cron('* * * * *', { suspend: false }))
    c.writeStatus('cronjobs.batch', 'cron', { lastScheduleTime: '0001-01-01T00:00:00Z' })
  },
  'a CronJob that was last started at the end of a rare and dense span': (c) => {
    c.create('cronjobs.batch', cron('* * * 1 *', { timeZone: 'America/New_York' }))
    c.writeStatus('cronjobs.batch', 'cron', { lastScheduleTime: '2019-02-01T04:58:30Z' })
  },
  'a CronJob that was last started in the future': (c) => {
    c.create('cronjobs.batch', cron('* * * * *'))
    c.writeStatus('cronjobs.batch', 'cron', { lastScheduleTime: '9999-12-31T23:59:59Z' })
  },
  'a CronJob with a startingDeadlineSeconds of the largest number': (c) =>
    c.create('cronjobs.batch', cron('*/30 * * * *', { startingDeadlineSeconds: Number.MAX_SAFE_INTEGER })),
  'a StatefulSet with a huge first ordinal': (c) => {
    const spec = {
      replicas: 3,
      ordinals: { start: maxInt32 - 1 },
      selector: selector('set'),
      serviceName: 's',
      template: template({ app: 'set' }),
    }
    c.create('statefulsets.apps', { ...named('set'), spec })
  },
  'a StatefulSet whose partition is larger than it': (c) => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: maxInt32 } }
    const spec = {
      replicas: 3,
      updateStrategy,
      selector: selector('set'),
      serviceName: 's',
      template: template({ app: 'set' }),
    }
    c.create('statefulsets.apps', { ...named('set'), spec })
  },
  'a parallel StatefulSet with many replicas and no room': (c) => {
    const spec = {
      replicas: 200 * scale,
      podManagementPolicy: 'Parallel',
      selector: selector('set'),
      serviceName: 's',
      template: template({ app: 'set' }, { containers: [{ ...container, ...huge }] }),
    }
    c.create('statefulsets.apps', { ...named('set'), spec })
  },
  'names of maximal length': (c) => {
    c.create('deployments.apps', { ...deployment('x', 2), metadata: { name: 'd'.repeat(253), namespace: 'default' } })
    const spec = { replicas: 2, selector: selector('set'), serviceName: 's', template: template({ app: 'set' }) }
    c.create('statefulsets.apps', { ...named(longName), spec })
    c.create('jobs.batch', { ...job('x', {}), metadata: { name: longName, namespace: 'default' } })
    c.create('daemonsets.apps', {
      metadata: { name: 'd'.repeat(253), namespace: 'default' },
      spec: { selector: selector('daemon'), template: template({ app: 'daemon' }) },
    })
    c.create('cronjobs.batch', { ...cron('* * * * *'), metadata: { name: 'c'.repeat(52), namespace: 'default' } })
  },
  '20 pods with 5,000 tolerations each, on a node with 1,000 taints': (c) => {
    const taints = many(1_000, (i) => ({ key: `taint-${i}`, effect: 'NoExecute' }))
    const patch = { kind: 'merge', patch: { spec: { taints } } } as never
    c.call({ verb: 'patch', resource: 'nodes', name: 'node-1', patch })
    const tolerations = many(5_000, (i) => ({
      key: `taint-${i}`,
      operator: 'Exists',
      tolerationSeconds: maxInt32 + i,
    }))
    for (let i = 0; i < 20; i++) c.create('pods', pod(`tolerant-${i}`, { tolerations }))
  },
  'tolerationSeconds that are negative, huge and zero': (c) => {
    const taints = [{ key: 'k', effect: 'NoExecute' }]
    c.call({
      verb: 'patch',
      resource: 'nodes',
      name: 'node-1',
      patch: { kind: 'merge', patch: { spec: { taints } } } as never,
    })
    for (const [i, tolerationSeconds] of [-(2 ** 53), -1, 0, 2 ** 53].entries()) {
      const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }]
      c.create('pods', pod(`patient-${i}`, { nodeName: 'node-1', tolerations }))
    }
  },
  'a pod with 2,000 topology spread constraints': (c) => {
    const topologySpreadConstraints = many(2_000, (i) => ({
      maxSkew: 1,
      topologyKey: `key-${i}`,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: {},
    }))
    c.create('pods', pod('spread', { topologySpreadConstraints }))
  },
  'a pod with 2,000 affinity terms that match nothing': (c) => {
    const term = (i: number) => ({
      topologyKey: 'kubernetes.io/hostname',
      labelSelector: { matchLabels: { a: `${i}` } },
    })
    const requiredDuringSchedulingIgnoredDuringExecution = many(2_000, term)
    c.create('pods', pod('affine', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } }))
    c.create(
      'pods',
      pod('averse', { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } }),
    )
  },
  'a pod with 5,000 scheduling gates': (c) =>
    c.create('pods', pod('gated', { schedulingGates: many(5_000, (i) => ({ name: `example.com/g${i}` })) })),
  'a node status with 5,000 conditions, flapping': (c) => {
    const conditions = many(5_000, (i) => ({ type: `Condition${i}`, status: 'True' }))
    c.writeStatus('nodes', 'node-2', { conditions })
  },
  'statuses that contradict what is': (c) => {
    c.writeStatus('deployments.apps', 'canary', {
      replicas: -5,
      observedGeneration: Number.MAX_SAFE_INTEGER,
      collisionCount: maxInt32,
    })
    for (const one of c.list('replicasets.apps'))
      c.writeStatus('replicasets.apps', one.metadata.name, {
        replicas: maxInt32,
        readyReplicas: maxInt32,
        observedGeneration: 99,
      })
    for (const one of c.list('pods'))
      c.writeStatus('pods', one.metadata.name, {
        phase: 'Failed',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '9999-01-01T00:00:00Z' }],
      })
  },
  'a ResourceQuota with 5,000 names, and many quotas': (c) => {
    c.create('resourcequotas', {
      ...named('wide'),
      spec: { hard: Object.fromEntries(many(5_000, (i) => [`count/thing${i}.example.com`, '1'])) },
    })
    for (let i = 0; i < 20 * scale; i++)
      c.create('resourcequotas', { ...named(`q-${i}`), spec: { hard: { pods: '1000' } } })
  },
  'a DaemonSet whose pods always fail': (c) => {
    const annotations = { 'berth.dev/fail': 'true' }
    const spec = {
      selector: selector('daemon'),
      template: { metadata: { labels: { app: 'daemon' }, annotations }, spec: { containers: [container] } },
    }
    c.create('daemonsets.apps', { ...named('daemon'), spec })
    c.pass(10)
    for (const one of c.list('pods'))
      if (one.metadata.name.startsWith('daemon')) c.writeStatus('pods', one.metadata.name, { phase: 'Failed' })
  },
  'a Deployment that a quota refuses': (c) => {
    c.create('resourcequotas', { ...named('tight'), spec: { hard: { 'count/pods': '8' } } })
    c.create('deployments.apps', deployment('refused', 100))
  },
  'claims that nothing can satisfy': (c) => {
    for (let i = 0; i < 5 * scale; i++) {
      const spec = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: `none-${i}`,
        resources: { requests: { storage: '8E' } },
      }
      c.create('persistentvolumeclaims', { ...named(`claim-${i}`), spec })
      c.create(
        'pods',
        pod(`claimant-${i}`, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: `claim-${i}` } }] }),
      )
    }
  },
  'a namespace that cannot end': (c) => {
    c.create('namespaces', { metadata: { name: 'stuck' } })
    c.create('configmaps', { metadata: { name: 'held', namespace: 'stuck', finalizers: ['example.com/x'] } })
    c.call({ verb: 'delete', resource: 'namespaces', name: 'stuck' })
  },
}

// An idle cluster takes 36 steps in half an hour, a CronJob that runs every minute 3,000. Upstream checks a namespace that cannot
// end every 8 seconds and at unbound claims every 15, with a call for each kind and each claim.
const maxSteps = 4_000
const maxCalls = 15_000 * scale

describe('an hour with', () => {
  it.each(Object.entries(hostilities))(
    '%s does not keep the controllers busy, and does not disturb other objects',
    { timeout: 120_000 },
    (name, act) => {
      const cluster = new HostileCluster()
      act(cluster)
      for (const work of [cluster.pass(1800), cluster.pass(1800)]) {
        expect(work.steps, work.busiest).toBeLessThan(maxSteps)
        expect(work.calls, work.busiest).toBeLessThan(maxCalls)
      }
      expect(cluster.canary(4)).toBe(name.includes('quota refuses') ? 2 : 4)
    },
  )
})
