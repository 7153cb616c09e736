// The examples of docs/reference/library.md. A test runs each of them.

export interface LibraryExample {
  readonly title: string
  readonly code: string
}

export const libraryExamples: readonly LibraryExample[] = [
  {
    title: 'A cluster inside a test',
    code: `
import assert from 'node:assert/strict'
import { createCluster } from 'kubeberth'

const cluster = await createCluster({ nodes: 3 })
await cluster.apply(\`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 6
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }
\`)
assert.equal(cluster.pods({ phase: 'Running' }).length, 6)
await cluster.fail('zone-a')
const elsewhere = () => cluster.pods({ phase: 'Running' }).filter(({ spec }) => spec.nodeName !== 'node-1')
await cluster.advanceUntil(() => elsewhere().length === 6, { within: '10m' })
`,
  },
  {
    title: 'Scheduler configuration and an autoscaler',
    code: `
import assert from 'node:assert/strict'
import { createCluster } from 'kubeberth'

const schedulerConfig = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  profiles: [{ schedulerName: 'default-scheduler', plugins: { score: { disabled: [{ name: 'ImageLocality' }] } } }],
}
const template = { status: { capacity: { cpu: '4', memory: '16Gi', pods: '110' } } }
const autoscaling = { clusterAutoscaler: { nodeGroups: [{ name: 'pool', min: 0, max: 5, template }] } }
const cluster = await createCluster({ nodes: 1, nodeShape: 'cpu=2,memory=8Gi', schedulerConfig, autoscaling })
await cluster.apply(\`
apiVersion: v1
kind: Pod
metadata: { name: large }
spec: { containers: [{ name: c, image: i, resources: { requests: { cpu: 3 } } }] }
\`)
await cluster.advanceUntil(() => cluster.get('pods', 'large').status.phase === 'Running', { within: '10m' })
assert.equal(cluster.nodes().length, 2)
`,
  },
  {
    title: 'A watch',
    code: `
import assert from 'node:assert/strict'
import { createCluster } from 'kubeberth'

const cluster = await createCluster({ nodes: 1 })
const watch = cluster.watch('nodes') // the existing objects first, as ADDED
const first = await watch.next()
await cluster.cordon('node-1')
const second = await watch.next() // waits for a change: run such a loop beside the code that changes the cluster
await watch.return()
assert.deepEqual([first.value.type, second.value.type], ['ADDED', 'MODIFIED'])
assert.equal(second.value.object.spec.unschedulable, true)
`,
  },
  {
    title: 'Two answers from one state',
    code: `
import assert from 'node:assert/strict'
import { createCluster } from 'kubeberth'

const cluster = await createCluster({ from: 'docs/how-to/cluster.json' })
const [drained, failed] = [await cluster.fork(), await cluster.fork()]
const [node] = cluster.nodes()
const { blocked } = await drained.drain(node.metadata.name, { within: '30m' })
await failed.fail(node.metadata.name)
await failed.advance('30m')
assert.ok(Array.isArray(blocked))
assert.equal(cluster.now + 1_800_000, failed.now)
`,
  },
  {
    title: 'Your reconciler',
    code: `
import assert from 'node:assert/strict'
import { createCluster, defineReconciler } from 'kubeberth'

const labeler = defineReconciler({
  name: 'labeler',
  for: 'nodes',
  async reconcile({ name }, { client, now }) {
    const labels = { 'example.com/seen': String(now()) }
    await client.patch({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } })
    return { requeueAfter: '1h' }
  },
})
const cluster = await createCluster({ nodes: 1, controllers: [labeler] })
await cluster.advance('10h')
const [node] = cluster.nodes()
assert.equal(node.metadata.labels['example.com/seen'], String(cluster.now))
`,
  },
  {
    title: 'Your controller',
    code: `
import assert from 'node:assert/strict'
import { createCluster, defineController } from 'kubeberth'

// Uncordons a node after an hour.
const uncordoner = defineController({
  name: 'uncordoner',
  watches: ['nodes'],
  start() {
    const since = new Map() // the state of one cluster or fork
    let id = 0
    return ({ changes, now }) => {
      for (const { key, after } of changes) {
        if (after?.spec.unschedulable !== true) since.delete(key)
        else if (!since.has(key)) since.set(key, now)
      }
      const due = [...since].filter(([, cordonedAt]) => now >= cordonedAt + 3_600_000).map(([name]) => name)
      const patch = { kind: 'merge', patch: { spec: { unschedulable: null } } }
      const actions = due.map((name) => ({ kind: 'call', id: ++id, call: { verb: 'patch', resource: 'nodes', name, patch } }))
      for (const name of due) since.delete(name)
      const next = Math.min(...since.values()) + 3_600_000
      return Number.isFinite(next) ? { actions, wakeAt: next } : { actions }
    }
  },
})
const cluster = await createCluster({ nodes: 1, controllers: [uncordoner] })
await cluster.cordon('node-1')
await cluster.advance('59m')
assert.equal(cluster.get('nodes', 'node-1').spec.unschedulable, true)
await cluster.advance('1m')
assert.equal(cluster.get('nodes', 'node-1').spec.unschedulable, undefined)
`,
  },
  {
    title: 'Your scheduler plugin',
    code: `
import assert from 'node:assert/strict'
import { createCluster, definePlugin, ok, unresolvable } from 'kubeberth'

const onlySecond = definePlugin({
  name: 'OnlySecond',
  filter: (_pod, { node }) => (node.metadata.name === 'node-2' ? ok : unresolvable('node(s) were not the second')),
})
const cluster = await createCluster({ plugins: [onlySecond] })
await cluster.apply('{ apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { containers: [{ name: c, image: i }] } }')
assert.equal(cluster.get('pods', 'p').spec.nodeName, 'node-2')
`,
  },
  {
    title: 'The JavaScript client and its informers',
    code: `
import assert from 'node:assert/strict'
import { CoreV1Api } from '@kubernetes/client-node'
import { createCluster } from 'kubeberth'

const cluster = await createCluster()
const core = cluster.makeApiClient(CoreV1Api)
const seen = []
const informer = cluster.makeInformer('/api/v1/namespaces/default/configmaps', () => core.listNamespacedConfigMap({ namespace: 'default' }))
informer.on('add', ({ metadata }) => seen.push(metadata.name))
await informer.start()
await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'settings' } } })
assert.deepEqual(seen, ['settings'])
`,
  },
  {
    title: 'Serve it',
    code: `
import assert from 'node:assert/strict'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { createCluster } from 'kubeberth'

const cluster = await createCluster({ nodes: 2 })
const { kubeconfig } = await cluster.serve({ speed: 60 }) // a minute passes in each second
const config = new KubeConfig()
config.loadFromString(kubeconfig)
const { items } = await config.makeApiClient(CoreV1Api).listNode()
assert.equal(items.length, 2)
await cluster.close()
`,
  },
  {
    title: 'Assertions',
    code: `
import { createCluster } from 'kubeberth'
import { assertNoPending, assertReady } from 'kubeberth/matchers'

const cluster = await createCluster()
assertNoPending(cluster)
assertReady(cluster, 'node/node-1')
`,
  },
]
