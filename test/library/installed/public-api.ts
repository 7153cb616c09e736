// Compiled by tsc with the declarations of the packed package, without skipLibCheck: code that must and must not type-check.
import {
  type Cluster,
  ClusterError,
  type ClusterOptions,
  createCluster,
  defineController,
  definePlugin,
  defineReconciler,
  ok,
  type V1Deployment,
  type V1NetworkPolicy,
} from 'kubeberth'
import { assertNoPending, assertReady, clusterMatchers } from 'kubeberth/matchers'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const equal = <T extends true>(value?: T): T | undefined => value

export async function clusters(): Promise<void> {
  const cluster: Cluster = await createCluster({ from: 'dump.json', nodes: 3, kubernetesVersion: '1.36', seed: 7 })
  const options: ClusterOptions = { from: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }] }
  await createCluster(options)
  // @ts-expect-error: unknown option
  await createCluster({ nodez: 3 })
  // @ts-expect-error: not a number
  await createCluster({ nodes: '3' })
  // @ts-expect-error: unknown pack
  await createCluster({ pack: 'slow' })
  // @ts-expect-error: 1.40 would be 1.4
  await createCluster({ kubernetesVersion: 1.36 })
  // @ts-expect-error: unknown member of a shape
  await createCluster({ nodeShape: { cpus: 4 } })
  // @ts-expect-error: not a plugin
  await createCluster({ plugins: [3] })
  const fork: Cluster = await cluster.fork()
  const tookMs: number = await fork.advanceUntil((each) => each.pods().length === 0, { within: '10m' })
  // @ts-expect-error: no limit
  await fork.advanceUntil(() => true)
  await fork.advance(tookMs)
  await fork.fail('zone-a', 'node-1')
  // @ts-expect-error: unknown option
  await fork.drain('node-3', { timeout: '1h' })
  // @ts-expect-error: unknown option
  await fork.serve({ speeed: 60 })
  const { open, blocked } = await fork.drain('node-3', { within: '1h', force: true })
  equal<Equal<typeof open, readonly string[]>>(true)
  blocked.map(({ pod, why }) => `${pod} ${why}`)
}

export function objects(cluster: Cluster): void {
  // Every served kind, by plural and by full name.
  const deployment = cluster.get('deployments', 'web')
  const same: typeof deployment = cluster.get('deployments.apps', 'web')
  const asClient: V1Deployment | undefined = same
  asClient?.spec.template.spec?.containers.map(({ livenessProbe }) => livenessProbe?.httpGet?.port)
  for (const policy of cluster.list('networkpolicies')) {
    const typed: V1NetworkPolicy = policy
    typed.spec.policyTypes?.includes('Ingress')
  }
  cluster.list('horizontalpodautoscalers.autoscaling')[0]?.spec.maxReplicas.toFixed()
  cluster.list('widgets.example.com')[0]?.metadata.name.trim()
  // @ts-expect-error: not a resource
  cluster.list('nodez')
  // @ts-expect-error: not a resource
  cluster.get('deployment', 'web')
  // @ts-expect-error: not a phase
  cluster.pods({ phase: 'running' })
  // @ts-expect-error: not a field
  cluster.get('pods', 'a')?.spec.container
  // @ts-expect-error: objects of a cluster are not changed in place
  cluster.nodes()[0].spec = {}
  // @ts-expect-error: a name is missing
  cluster.delete('pods')
}

export async function changes(cluster: Cluster): Promise<void> {
  for await (const { type, object } of cluster.watch('pods', { labelSelector: 'app=web' })) {
    equal<Equal<typeof type, 'ADDED' | 'MODIFIED' | 'DELETED'>>(true)
    object.spec.nodeName?.trim()
  }
  const error = new ClusterError({ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code: 404 })
  error.code.toFixed()
}

export const plugin = definePlugin({ name: 'Any', filter: () => ok })
export const controller = defineController({ name: 'any', watches: ['pods'], start: () => () => ({}) })
export const reconciler = defineReconciler({
  name: 'any',
  for: 'widgets.example.com',
  owns: ['configmaps'],
  watches: { secrets: ({ metadata, data }) => (data === undefined ? [] : [{ name: metadata.name }]) },
  reconcile: async ({ name }, { client, sleep, now }) => {
    const { items } = await client.list('v1', 'Pod', name)
    await sleep('10s')
    return items.length > now() ? { requeueAfter: '1h' } : undefined
  },
})
// @ts-expect-error: not an extension point
export const misspelled = definePlugin({ name: 'Any', filtr: () => ok })
// @ts-expect-error: reconcile is missing
export const incomplete = defineReconciler({ name: 'any', for: 'pods' })

export function matchers(cluster: Cluster): void {
  assertNoPending(cluster, { namespace: 'default' })
  assertReady(cluster, 'deployment/web')
  // @ts-expect-error: not RESOURCE/NAME
  assertReady(cluster, 'web')
  // @ts-expect-error: an unknown matcher
  clusterMatchers.toBeHappy
}
