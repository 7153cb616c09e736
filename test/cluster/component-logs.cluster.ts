import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loggedParts, logIn, type Place, startParts, startTwoPlaces, type TwoPlaces } from './logged-places.ts'
import { clusterRelease, eventually, missing, stop } from './real-parts.ts'

const reason = missing()

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } },
  status: {
    capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
  },
}
const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'pause' }], terminationGracePeriodSeconds: 0 },
}
const meta = (name: string) => ({ name, namespace: 'work' })
const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'work' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web'),
    spec: { replicas: 3, selector: { matchLabels: { app: 'a' } }, template },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('once'),
    spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta('web'),
    spec: { selector: { app: 'a' }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('db'),
    spec: {
      replicas: 2,
      serviceName: 'db',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'b' } },
      template: { ...template, metadata: { labels: { app: 'b' } } },
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: meta('agent'),
    spec: {
      selector: { matchLabels: { app: 'c' } },
      template: { ...template, metadata: { labels: { app: 'c' } } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: meta('old'),
    spec: {
      replicas: 1,
      selector: { app: 'd' },
      template: { ...template, metadata: { labels: { app: 'd' } } },
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: meta('nightly'),
    spec: {
      schedule: '0 3 * * *',
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: meta('web'),
    spec: {
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: meta('counts'),
    spec: { hard: { pods: '50', 'count/deployments.apps': '5' } },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('data'),
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'none',
      resources: { requests: { storage: '1Gi' } },
    },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('web'),
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
  },
]

/** The life of these objects, from creation to deletion. */
async function work({ kubeconfig }: Place): Promise<void> {
  const kubectl = (args: readonly string[], input = '') =>
    execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8', input, stdio: 'pipe' })
  kubectl(['create', '-f', '-'], JSON.stringify(node))
  kubectl(['replace', '--subresource', 'status', '-f', '-'], JSON.stringify(node))
  for (const object of objects) kubectl(['create', '-f', '-'], JSON.stringify(object))
  const placed = async () => kubectl(['get', 'pods', '-n', 'work', '-o', 'jsonpath={.items[*].spec.nodeName}'])
  await eventually('eight pods have a node', placed, (text) => text.trim().split(' ').length === 8, 180)
  kubectl(['scale', 'deployment/web', '-n', 'work', '--replicas=1'])
  const count = async () => kubectl(['get', 'pods', '-n', 'work', '-l', 'app=a', '-o', 'name']).split('\n').length - 1
  await eventually('one pod is left', count, (pods) => pods <= 1, 180)
  kubectl(['delete', 'namespace', 'work', '--wait=false'])
  const left = async () => kubectl(['get', 'namespace', 'work', '--ignore-not-found', '-o', 'name'])
  await eventually('the namespace is deleted', left, (text) => text === '', 180)
}

/**
 * Races of the controllers with their own writes, which they try again. They are seen on both servers, but not in every
 * run.
 */
const races =
  /is not as new as written version|Error syncing PodDisruptionBudget, requeuing.*the object has been modified/

/** Errors of a log without times, identities, ports and counts. */
function errorsOf(place: Place, part: string): readonly string[] {
  const lines = logIn(place, part).split('\n')
  const shown = lines
    .filter((line) => /^[EF]\d{4} /.test(line) && !races.test(line))
    .map((line) =>
      line
        .replace(/^[EF]\S+ \S+\s+\d+ /, '')
        .replace(/:\d+\] /, '] ')
        .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
        .replace(/-[a-z0-9]{8,10}-[a-z0-9]{5}\b|-[a-z0-9]{5}\b(?=")/g, '-NAME')
        .replace(/\d+(\.\d+)?(ms|s|µs)\b/g, 'TIME')
        .replace(/(version: )\d+|resourceVersion=\d+|"\d+"/g, '$1N'),
    )
  return [...new Set(shown)].sort()
}

describe.skipIf(reason !== undefined)(
  `kube-controller-manager and kube-scheduler v${clusterRelease.version} on berth apiserver${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let places: TwoPlaces
    beforeAll(async () => {
      places = await startTwoPlaces()
    }, 240_000)
    afterAll(() => places?.close())

    it('the components log no error on berth that they do not log on kube-apiserver', {
      timeout: 600_000,
    }, async () => {
      const { real, ours } = places
      for (const place of [real, ours]) {
        const started = await startParts(place)
        await work(place).finally(() => Promise.all(started.map(stop)))
      }
      for (const part of loggedParts) {
        const known = errorsOf(real, part)
        const more = errorsOf(ours, part).filter((line) => !known.includes(line))
        expect(more, part).toEqual([])
      }
    })
  },
)
