import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { eventually } from '../real-parts.ts'
import { apply, type Manifest, manifestsOf, reachable } from './manifests.ts'
import type { Kubectl, Operator, OperatorPlace } from './operator.ts'

const source = { name: 'kueue', module: 'sigs.k8s.io/kueue', version: 'v0.19.2' }
const namespace = 'kueue-system'
const service = 'kueue-webhook-service'
const secret = ['get', 'secret/kueue-webhook-server-cert', '--namespace', namespace, '-o', 'json'] as const
const inWork = ['--namespace', 'queued'] as const

export const kueue: Operator = {
  ...source,
  program: './cmd/kueue',
  readsVersion: true,
  // Kueue reconciles a Job again before its cache has the Workload that it created, and retries. Its own suites log it on
  // kube-apiserver too.
  race: /Reconciler error: workloads\.kueue\.x-k8s\.io "job-\S+" already exists/,
  install: (place) => {
    const manifests = manifestsOf(source, 'config/default')
    apply(
      place,
      manifests.map((manifest) => reachable(manifest, service, place)),
    )
    const file = join(place.folder, 'config.json')
    writeFileSync(file, JSON.stringify(configurationOf(manifests, place)))
    return {
      // Its own API server listens on a port that cannot be chosen.
      args: [`--config=${file}`, '--zap-devel=false', '--zap-encoder=json', '--feature-gates=VisibilityOnDemand=false'],
      serviceAccount: `${namespace}/kueue-controller-manager`,
    }
  },
  mount: async (place) => {
    const read = () => JSON.parse(place.kubectl(secret)) as { readonly data?: Readonly<Record<string, string>> }
    const { data = {} } = await eventually('there is a certificate', read, (found) => found.data !== undefined, 120)
    for (const [name, value] of Object.entries(data))
      writeFileSync(join(certificatesIn(place), name), Buffer.from(value, 'base64'))
  },
  work: async (kubectl) => {
    kubectl(['create', 'namespace', 'queued'])
    for (const object of queues) kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(object))
    // The webhook converts between the two versions.
    kubectl(['get', 'clusterqueues.v1beta1.kueue.x-k8s.io', 'all', '-o', 'json'])
    kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(job('first')))
    await admitted(kubectl, 'first')
    kubectl(['create', ...inWork, '-f', '-'], JSON.stringify(job('second')))
    const reserved = () =>
      kubectl([
        'get',
        'workloads',
        ...inWork,
        '-o',
        'jsonpath={.items[*].status.conditions[?(@.type=="QuotaReserved")].status}',
      ])
    await eventually('the second job waits', reserved, (states) => states.split(' ').sort().join() === 'False,True', 90)
    kubectl(['delete', 'job/first', ...inWork])
    await admitted(kubectl, 'second')
    kubectl(['delete', 'job/second', ...inWork])
    kubectl(['delete', 'namespace', 'queued', '--timeout=90s'])
    kubectl(['delete', 'clusterqueue/all', 'resourceflavor/plain', '--timeout=60s'])
  },
}

const certificatesIn = ({ folder }: OperatorPlace) => join(folder, 'certificates')

/** The configuration in its manifests, on this machine. */
function configurationOf(manifests: readonly Manifest[], place: OperatorPlace): object {
  const found = manifests.find(({ kind }) => kind === 'ConfigMap')
  const { data = {} } = (found ?? {}) as { readonly data?: Readonly<Record<string, string>> }
  const own = load(data['controller_manager_config.yaml'] ?? '') as Readonly<Record<string, object>>
  const certDir = certificatesIn(place)
  mkdirSync(certDir, { recursive: true })
  const { ports } = place
  return {
    ...own,
    leaderElection: { ...own['leaderElection'], resourceNamespace: namespace },
    webhook: { host: '127.0.0.1', port: ports.webhook, certDir },
    metrics: { bindAddress: `127.0.0.1:${ports.metrics}` },
    health: { healthProbeBindAddress: `127.0.0.1:${ports.health}` },
  }
}

async function admitted(kubectl: Kubectl, name: string): Promise<void> {
  const placed = () =>
    kubectl(['get', 'pods', ...inWork, '-l', `job-name=${name}`, '-o', 'jsonpath={.items[*].spec.nodeName}'])
      .split(' ')
      .filter((node) => node !== '').length
  await eventually(`the pods of ${name} have a node`, placed, (count) => count === 2, 90)
}

const queues = [
  { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ResourceFlavor', metadata: { name: 'plain' } },
  {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name: 'all' },
    spec: {
      namespaceSelector: {},
      resourceGroups: [
        { coveredResources: ['cpu'], flavors: [{ name: 'plain', resources: [{ name: 'cpu', nominalQuota: '3' }] }] },
      ],
    },
  },
  {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'LocalQueue',
    metadata: { name: 'queue' },
    spec: { clusterQueue: 'all' },
  },
]

/** Two of these do not fit the quota at the same time. */
function job(name: string): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: { 'kueue.x-k8s.io/queue-name': 'queue' } },
    spec: {
      parallelism: 2,
      completions: 2,
      suspend: true,
      template: {
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '1' } } }],
        },
      },
    },
  }
}
