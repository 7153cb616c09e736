import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Pod,
  Watch,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'

/** The Kubernetes client for JavaScript, unmodified. */
describe('@kubernetes/client-node with the API server of berth', () => {
  let api: ApiProcess
  let config: KubeConfig
  let core: CoreV1Api
  beforeAll(async () => {
    api = await startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    config = new KubeConfig()
    config.loadFromString(api.kubeconfig)
    core = config.makeApiClient(CoreV1Api)
  })
  afterAll(() => api.close())

  const pod = (name: string): V1Pod => ({
    metadata: { name, labels: { app: 'foreign' } },
    spec: { containers: [{ name: 'c', image: 'nginx' }] },
  })
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((next) => setTimeout(next, 10))
  }

  it('creates, reads, lists by selector, replaces and deletes', async () => {
    await core.createNamespacedPod({ namespace: 'default', body: pod('one') })
    const read = await core.readNamespacedPod({ namespace: 'default', name: 'one' })
    expect(read.status?.phase).toBe('Pending')
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const listed = await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=foreign' })
    expect(listed.items.map(({ metadata }) => metadata?.name)).toEqual(['one'])
    await core.replaceNamespacedPod({
      namespace: 'default',
      name: 'one',
      body: { ...read, metadata: { ...read.metadata, labels: { app: 'other' } } },
    })
    await core.deleteNamespacedPod({ namespace: 'default', name: 'one' })
    await expect(core.readNamespacedPod({ namespace: 'default', name: 'one' })).rejects.toBeInstanceOf(ApiException)
  })

  it('patches in three ways, and scales', async () => {
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'cm' }, data: { a: '1' } } })
    const options = (strategy: string) => setHeaderOptions('Content-Type', strategy)
    await core.patchNamespacedConfigMap(
      { namespace: 'default', name: 'cm', body: { data: { b: '2' } } },
      options(PatchStrategy.MergePatch),
    )
    await core.patchNamespacedConfigMap(
      { namespace: 'default', name: 'cm', body: [{ op: 'add', path: '/data/c', value: '3' }] },
      options(PatchStrategy.JsonPatch),
    )
    const patched = await core.patchNamespacedConfigMap(
      { namespace: 'default', name: 'cm', body: { data: { a: null } } },
      options(PatchStrategy.StrategicMergePatch),
    )
    expect(patched.data).toEqual({ b: '2', c: '3' })
    const apps = config.makeApiClient(AppsV1Api)
    const labels = { app: 'd' }
    await apps.createNamespacedDeployment({
      namespace: 'default',
      body: {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    })
    const scale = await apps.readNamespacedDeploymentScale({ namespace: 'default', name: 'd' })
    expect(scale.spec?.replicas).toBe(1)
    await apps.replaceNamespacedDeploymentScale({
      namespace: 'default',
      name: 'd',
      body: { ...scale, spec: { replicas: 4 } },
    })
    expect((await apps.readNamespacedDeployment({ namespace: 'default', name: 'd' })).spec?.replicas).toBe(4)
  })

  it('watches with @kubernetes/client-node', async () => {
    const seen: string[] = []
    const watch = new Watch(config)
    const controller = await watch.watch(
      '/api/v1/namespaces/default/pods',
      {},
      (type, object: V1Pod) => seen.push(`${type} ${object.metadata?.name}`),
      () => {},
    )
    await core.createNamespacedPod({ namespace: 'default', body: pod('watched') })
    await until(() => seen.length > 0)
    await core.deleteNamespacedPod({ namespace: 'default', name: 'watched' })
    await until(() => seen.some((line) => line.startsWith('DELETED')))
    expect(seen[0]).toBe('ADDED watched')
    controller.abort()
  })

  it('keeps an informer up to date', async () => {
    await core.createNamespacedPod({ namespace: 'default', body: pod('before') })
    const informer = makeInformer(config, '/api/v1/namespaces/default/pods', () =>
      core.listNamespacedPod({ namespace: 'default' }),
    )
    const seen: string[] = []
    informer.on('add', (object) => void seen.push(`add ${object.metadata?.name}`))
    informer.on('delete', (object) => void seen.push(`delete ${object.metadata?.name}`))
    await informer.start()
    await core.createNamespacedPod({ namespace: 'default', body: pod('after') })
    await until(() => seen.includes('add after'))
    await core.deleteNamespacedPod({ namespace: 'default', name: 'before' })
    await until(() => seen.includes('delete before'))
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['after'])
    await informer.stop()
  })
})
