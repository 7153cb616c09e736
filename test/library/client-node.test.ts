// The cluster in virtual time, used with the classes of the real JavaScript client: in the process and over HTTPS.
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  ListWatch,
  makeInformer,
  PatchStrategy,
  type V1ConfigMap,
  type V1Pod,
  type Watch,
} from '@kubernetes/client-node'
import { afterEach, describe, expect, it } from 'vitest'
import { type Cluster, type ClusterError, createCluster, type ObjectClient } from '../../src/index.ts'

const open: Cluster[] = []
afterEach(async () => {
  for (const cluster of open.splice(0)) await cluster.close()
})

async function startCluster(): Promise<Cluster> {
  const cluster = await createCluster({ nodes: 2 })
  open.push(cluster)
  return cluster
}

const configMap = (name: string, data: { [key: string]: string } = {}): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
})

const pod = (name: string): V1Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
})

type Objects = Pick<ObjectClient, 'create' | 'read' | 'list' | 'patch' | 'replace' | 'delete'>

/** The results of a sequence of calls, without fields that differ between two clusters. */
async function story(client: Objects): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const note = async (call: Promise<unknown>) => {
    seen.push(
      await call.catch((error: Pick<ClusterError, 'code'> & { body?: unknown }) => {
        const body = typeof error.body === 'string' ? JSON.parse(error.body) : error.body
        return { code: error.code, reason: body?.reason, message: body?.message }
      }),
    )
  }
  const apply = PatchStrategy.ServerSideApply
  await note(client.create(configMap('a', { x: '1' })))
  await note(client.create(configMap('a')))
  await note(client.create(pod('p'), undefined, 'All'))
  await note(client.create(pod('p')))
  await note(client.read(pod('p') as V1Pod & { metadata: { name: string } }))
  await note(client.read({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'none' } }))
  await note(client.patch(configMap('a', { y: '2' })))
  await note(
    client.patch(
      { ...configMap('a'), data: { x: null } } as never,
      undefined,
      undefined,
      'me',
      undefined,
      PatchStrategy.MergePatch,
    ),
  )
  await note(client.patch(configMap('b', { z: '3' }), undefined, undefined, 'me', true, apply))
  await note(client.replace(configMap('b', { z: '4' })))
  await note(client.list('v1', 'ConfigMap', 'default'))
  await note(client.list('v1', 'Pod', undefined, undefined, undefined, undefined, undefined, 'app=p'))
  await note(client.list('apps/v1', 'Deployment', 'default'))
  await note(client.list('v1', 'Pod', 'default', undefined, undefined, undefined, 'metadata.name=p'))
  await note(client.delete(configMap('a')))
  await note(client.delete(pod('p'), undefined, undefined, 0))
  await note(client.delete(configMap('a')))
  return seen
}

/** Plain data: no classes, no undefined members, no fields that differ between two clusters. Dates stay Dates. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return `date ${value.toISOString()}`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, member]) =>
          member !== undefined &&
          !['managedFields', 'resourceVersion', 'uid', 'podIP', 'podIPs', 'containerID'].includes(name),
      )
      .map(([name, member]) => [name, plain(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
}

describe('cluster.client', () => {
  it('answers as KubernetesObjectApi of the JavaScript client does', async () => {
    const own = await startCluster()
    const theirs = await startCluster()
    const expected = await story(theirs.makeApiClient(KubernetesObjectApi))
    const seen = await story(own.client)
    expect(seen).toHaveLength(expected.length)
    for (const [at, answer] of expected.entries())
      expect({ at, ...(plain(seen[at]) as object) }).toEqual({ at, ...(plain(answer) as object) })
  })

  it('accepts and returns Dates', async () => {
    const cluster = await startCluster()
    await cluster.client.create(pod('p'))
    const created = await cluster.client.read(pod('p') as V1Pod & { metadata: { name: string } })
    expect(created.metadata?.creationTimestamp).toEqual(new Date('2026-01-01T00:00:00Z'))
    expect((await cluster.client.replace(created)).metadata?.name).toBe('p')
    expect(cluster.get('pods', 'p')?.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z')
  })

  it('has the type of the objects API', async () => {
    const cluster = await startCluster()
    const use = (api: Pick<KubernetesObjectApi, 'create' | 'read' | 'list' | 'patch' | 'replace' | 'delete'>) =>
      api.list<V1Pod>('v1', 'Pod')
    expect((await use(cluster.client)).items).toEqual([])
  })
})

describe('cluster.makeApiClient', () => {
  it('runs the generated APIs in the process', async () => {
    const cluster = await startCluster()
    const core = cluster.makeApiClient(CoreV1Api)
    await core.createNamespacedPod({ namespace: 'default', body: pod('p') })
    const { items } = await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=p' })
    expect(items.map(({ metadata, status }) => [metadata?.name, status?.phase])).toEqual([['p', 'Running']])
    const apps = cluster.makeApiClient(AppsV1Api)
    await expect(apps.readNamespacedDeployment({ name: 'web', namespace: 'default' })).rejects.toMatchObject({
      code: 404,
    })
    const custom = cluster.makeApiClient(CustomObjectsApi)
    await expect(
      custom.listClusterCustomObject({ group: 'example.com', version: 'v1', plural: 'widgets' }),
    ).rejects.toMatchObject({ code: 404 })
  })
})

describe('informers in virtual time', () => {
  const path = '/api/v1/namespaces/default/configmaps'

  async function changes(
    start: (cluster: Cluster, note: (line: string) => void) => Promise<unknown>,
  ): Promise<readonly string[]> {
    const cluster = await startCluster()
    const seen: string[] = []
    await cluster.client.create(configMap('a'))
    await start(cluster, (line) => seen.push(line))
    await cluster.settle()
    await cluster.client.create(configMap('b'))
    await cluster.client.patch(configMap('a', { x: '1' }))
    await cluster.client.delete(configMap('b'))
    return seen
  }

  const expected = ['add a', 'add b', 'update a', 'delete b']

  it('informers call back before the change returns', async () => {
    const seen = await changes(async (cluster, note) => {
      const informer = cluster.makeInformer<V1ConfigMap>(path, () => cluster.client.list('v1', 'ConfigMap', 'default'))
      for (const verb of ['add', 'update', 'delete'] as const)
        informer.on(verb, (object) => note(`${verb} ${object.metadata?.name}`))
      await informer.start()
    })
    expect(seen).toEqual(expected)
  })

  it("informers run the client's own ListWatch", async () => {
    const seen = await changes(async (cluster, note) => {
      const list = () => cluster.client.list<V1ConfigMap>('v1', 'ConfigMap', 'default')
      const informer = new ListWatch<V1ConfigMap>(path, cluster.watcher as Watch, list, false)
      for (const verb of ['add', 'update', 'delete'] as const)
        informer.on(verb, (object) => note(`${verb} ${object.metadata?.name}`))
      await informer.start()
    })
    expect(seen).toEqual(expected)
  })

  it('informers in virtual time may write from a callback', async () => {
    const cluster = await startCluster()
    const informer = cluster.makeInformer<V1ConfigMap>(path, () => cluster.client.list('v1', 'ConfigMap', 'default'))
    informer.on('add', async ({ metadata }) => {
      const name = metadata?.name ?? ''
      if (name.length < 5) await cluster.client.create(configMap(`${name}x`))
    })
    await informer.start()
    await cluster.client.create(configMap('x'))
    expect(cluster.list('configmaps', 'default').map(({ metadata }) => metadata.name)).toEqual([
      'x',
      'xx',
      'xxx',
      'xxxx',
      'xxxxx',
    ])
    await informer.stop()
  })
})

describe('cluster.serve', () => {
  async function connect(cluster: Cluster, speed = 0): Promise<KubeConfig> {
    const { kubeconfig, url } = await cluster.serve({ speed })
    expect(url).toMatch(/^https:/)
    const config = new KubeConfig()
    config.loadFromString(kubeconfig)
    return config
  }

  it('cluster.serve is accepted by the JavaScript client, and answers a write after its consequences', async () => {
    const cluster = await startCluster()
    const core = (await connect(cluster)).makeApiClient(CoreV1Api)
    await core.createNamespacedPod({ namespace: 'default', body: pod('p') })
    expect(cluster.get('pods', 'p')?.status?.phase).toBe('Running')
    expect((await core.readNamespacedPod({ name: 'p', namespace: 'default' })).status?.phase).toBe('Running')
    const { now } = cluster
    await cluster.advance('5m')
    expect(cluster.now).toBe(now + 300_000)
  })

  it('rejects a client without its certificate', async () => {
    const cluster = await startCluster()
    const { kubeconfig } = await cluster.serve()
    const config = new KubeConfig()
    const { clusters, contexts } = JSON.parse(kubeconfig)
    config.loadFromString(
      JSON.stringify({ ...JSON.parse(kubeconfig), clusters, contexts, users: [{ name: 'berth', user: {} }] }),
    )
    await expect(config.makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({ code: 401 })
  })

  it('informers receive changes over HTTPS', async () => {
    const cluster = await startCluster()
    const config = await connect(cluster)
    const core = config.makeApiClient(CoreV1Api)
    const informer = makeInformer<V1ConfigMap>(config, '/api/v1/namespaces/default/configmaps', () =>
      core.listNamespacedConfigMap({ namespace: 'default' }),
    )
    const added = new Promise<KubernetesObject>((resolve) => informer.on('add', resolve))
    await informer.start()
    await cluster.apply(configMap('a') as never)
    expect((await added).metadata?.name).toBe('a')
    await informer.stop()
  })

  it('a served cluster with a speed advances its time', async () => {
    const cluster = await startCluster()
    const { now } = cluster
    const { close } = await cluster.serve({ speed: 600 })
    await expect.poll(() => cluster.now - now, { timeout: 10_000 }).toBeGreaterThan(30_000)
    await close()
    const stopped = cluster.now
    await cluster.settle()
    expect(cluster.now).toBe(stopped)
  })
})
