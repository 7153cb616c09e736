import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import { callAction, createActionIds } from '../runtime/actions.ts'
import type { Cluster } from './cluster.ts'
import { defineController, defineReconciler } from './controller-definition.ts'
import { createCluster } from './create-cluster.ts'
import { customKind } from './manifests.fixture.ts'
import type { ClientObject } from './object-client.ts'

const definition = customKind('Greeting', 'greetings')
const greeting = (name: string) =>
  `{ apiVersion: example.com/v1, kind: Greeting, metadata: { name: ${name} }, spec: { text: hi } }`

interface Greeting extends ClientObject {
  spec: { text: string }
  status?: { greeted?: number }
}

interface ConfigMap extends ClientObject {
  data: { [key: string]: string }
}

/** Writes a ConfigMap for each Greeting, and counts in its status once an hour. */
const greeter = (log: string[] = []) =>
  defineReconciler({
    name: 'greeter',
    for: 'greetings.example.com',
    owns: ['configmaps'],
    async reconcile({ name, namespace = '' }, { client, now, sleep }) {
      const header = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { name, namespace } }
      const found = await client.read<Greeting>(header).catch(() => undefined)
      log.push(`${new Date(now()).toISOString()} ${name} ${found === undefined ? 'gone' : 'there'}`)
      if (found === undefined) return undefined
      const owner = { apiVersion: 'example.com/v1', kind: 'Greeting', name, uid: found.metadata?.uid, controller: true }
      const map = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, ownerReferences: [owner] },
        data: { text: found.spec.text },
      }
      await client.create<ConfigMap>(map).catch((error: { code: number }) => {
        if (error.code !== 409) throw error
      })
      if (found.status?.greeted !== undefined && now() - found.status.greeted < 3_600_000) return { requeueAfter: '1h' }
      await sleep('10s')
      await client.patchStatus<Greeting>({ ...header, status: { greeted: now() } } as Greeting)
      return { requeueAfter: '1h' }
    },
  })

async function greeted(log?: string[]): Promise<Cluster> {
  const cluster = await createCluster({ nodes: 1, controllers: [greeter(log)], heartbeats: 'computed' })
  await cluster.apply(definition)
  await cluster.apply(greeting('a'))
  return cluster
}

describe('a reconciler in virtual time', () => {
  it('a reconciler has ended or sleeps when a change returns', async () => {
    const cluster = await greeted()
    expect(cluster.get('configmaps', 'a')).toMatchObject({ data: { text: 'hi' } })
    expect(cluster.get('greetings.example.com', 'a')).not.toHaveProperty('status')
    await cluster.advance('10s')
    expect(cluster.get('greetings.example.com', 'a')).toMatchObject({ status: { greeted: cluster.now } })
  })

  it('a reconciler in virtual time is called for owned objects, after the requested time, and for deleted objects', async () => {
    const log: string[] = []
    const cluster = await greeted(log)
    await cluster.advance('1m')
    await cluster.delete('configmaps', 'a')
    expect(cluster.get('configmaps', 'a')).toBeDefined()
    const before = log.length
    await cluster.advance('10h')
    expect(log.length - before).toBeGreaterThanOrEqual(9)
    expect(log.length - before).toBeLessThanOrEqual(22)
    await cluster.delete('greetings.example.com', 'a')
    expect(log.at(-1)).toMatch(/ a gone$/)
    expect(cluster.list('configmaps', 'default')).toHaveLength(0)
  })

  it('a reconciler has the same history in every run', async () => {
    const run = async () => {
      const log: string[] = []
      const cluster = await greeted(log)
      for (const name of ['b', 'c', 'd']) await cluster.apply(greeting(name))
      await cluster.advance('30h')
      return [log, cluster.objects().map(({ metadata }) => [metadata.uid, metadata.resourceVersion])]
    }
    expect(await run()).toEqual(await run())
  })

  it('retries a rejection with exponential backoff, and reports it', async () => {
    const attempts: number[] = []
    const failing = defineReconciler({
      name: 'failing',
      for: 'nodes',
      async reconcile(_, { now }) {
        attempts.push(now())
        throw new Error('not today')
      },
    })
    const cluster = await createCluster({ nodes: 1, controllers: [failing], heartbeats: 'computed' })
    await cluster.advance('1m')
    const gaps = attempts.slice(-4).map((at, index, all) => (index === 0 ? 0 : at - (all[index - 1] ?? 0)))
    expect(gaps[2]).toBe((gaps[1] ?? 0) * 2)
    expect(gaps[3]).toBe((gaps[2] ?? 0) * 2)
    expect(cluster.failures.at(-1)).toMatchObject({ controller: 'failing', request: { name: 'node-1' } })
  })

  it('a reconciler may wait in real time for something outside of the cluster', async () => {
    const done: string[] = []
    const slow = defineReconciler({
      name: 'slow',
      for: 'nodes',
      async reconcile({ name }) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        done.push(name)
        return undefined
      },
    })
    await createCluster({ nodes: 2, controllers: [slow] })
    expect(new Set(done)).toEqual(new Set(['node-1', 'node-2']))
  })

  it('continues in a fork', async () => {
    const log: string[] = []
    const cluster = await greeted(log)
    await cluster.advance('1m')
    const fork = await cluster.fork()
    const before = log.length
    await fork.apply(greeting('b'))
    await fork.advance('1m')
    expect(fork.get('configmaps', 'b')).toBeDefined()
    expect(cluster.get('greetings.example.com', 'b')).toBeUndefined()
    expect(log.slice(before).some((line) => line.endsWith('b there'))).toBe(true)
  })
})

describe('defineController', () => {
  it('watches a resource by its plural', async () => {
    const names: string[] = []
    const controller = defineController({
      name: 'mine',
      watches: ['deployments'],
      start:
        () =>
        ({ changes }) => {
          for (const { resource, key } of changes) names.push(`${resource} ${key}`)
          return {}
        },
    })
    const cluster = await createCluster({ nodes: 0, controllers: [controller] })
    await cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    } as KubeObject)
    expect(names[0]).toBe('deployments.apps default/web')
  })

  it('runs a controller with the contract of the built-in ones, with its own state in a fork', async () => {
    const labeller = defineController({
      name: 'labeller',
      watches: ['pods'],
      start: () => {
        const ids = createActionIds()
        let seen = 0
        return ({ changes }) => ({
          actions: changes.flatMap(({ before, after }) => {
            if (before !== undefined || after === undefined) return []
            const { name, namespace = 'default' } = (after as Pod).metadata
            const patch = { metadata: { labels: { number: String(++seen) } } }
            return [
              callAction(ids, { verb: 'patch', resource: 'pods', namespace, name, patch: { kind: 'merge', patch } }),
            ]
          }),
        })
      },
    })
    const cluster = await createCluster({ controllers: [labeller] })
    const pod = (name: string) =>
      `{ apiVersion: v1, kind: Pod, metadata: { name: ${name} }, spec: { containers: [{ name: c, image: i }] } }`
    await cluster.apply(pod('a'))
    await cluster.apply(pod('b'))
    expect(cluster.pods().map(({ metadata }) => metadata.labels?.['number'])).toEqual(['1', '2'])
    const fork = await cluster.fork()
    await fork.apply(pod('c'))
    expect(fork.get('pods', 'c')?.metadata.labels?.['number']).toBe('3')
  })
})

describe('watch', () => {
  it('iterates over existing objects without a change, and rejects what the API rejects', async () => {
    const cluster = await createCluster({ nodes: 2 })
    const names: string[] = []
    for await (const { object } of cluster.watch('nodes')) {
      names.push(object.metadata.name)
      if (names.length === 2) break
    }
    expect(names).toEqual(['node-1', 'node-2'])
    await expect(cluster.watch('nodes', { resourceVersion: 'x' }).next()).rejects.toThrow(
      'resourceVersion: Invalid value',
    )
  })

  it('iterates over existing objects and changes, from a task and from a test', async () => {
    const cluster = await createCluster({ nodes: 1 })
    await cluster.apply('{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }')
    const watch = cluster.watch('configmaps', { namespace: 'default' })
    const next = async () => {
      const { value } = await watch.next()
      return `${value.type} ${value.object.metadata.name}`
    }
    await cluster.settle()
    expect(await next()).toBe('ADDED a')
    const waiting = next()
    await cluster.apply('{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { x: z } }')
    expect(await waiting).toBe('MODIFIED a')
    await cluster.delete('configmaps', 'a')
    expect(await next()).toBe('DELETED a')
    await watch.return()
    expect(await watch.next()).toEqual({ done: true, value: undefined })
  })
})

describe('mistakes in a reconciler', () => {
  const countingNodes = (reconcile: Parameters<typeof defineReconciler>[0]['reconcile']) =>
    createCluster({ nodes: 1, controllers: [defineReconciler({ name: 'mine', for: 'nodes', reconcile })] })

  it('reports a reconciler that reacts to its own writes', async () => {
    let count = 0
    const endless = countingNodes(async ({ name }, { client }) => {
      count++
      const annotations = { count: String(count) }
      await client.patch({ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } })
      return undefined
    })
    await expect(endless).rejects.toThrow(
      'reconciler mine of node-1 ran 5000 times at one instant; it reacts to its own writes',
    )
  })

  it('an unknown member of a result is a failure', async () => {
    const { failures } = await countingNodes(async () => ({ requeue: true }) as object)
    expect(String(failures[0]?.error)).toContain('unknown option "requeue"; did you mean "requeueAfter"?')
  })

  const reconcile = (): Promise<undefined> => Promise.resolve(undefined)
  it.each([
    ['a name', { for: 'pods', reconcile }, 'defineReconciler: name: undefined must be a text'],
    ['a resource', { name: 'a', reconcile }, 'reconciler a: for: undefined must be a text'],
    ['a function', { name: 'a', for: 'pods' }, 'reconciler a: reconcile: undefined must be a function'],
    ['a known member', { name: 'a', reconcil: 1 }, 'unknown option "reconcil"; did you mean "reconcile"?'],
    ['a worker', { name: 'a', for: 'pods', reconcile, workers: 0 }, 'workers: 0 must be an integer'],
  ])('a definition needs %s', (_, definition, message) => {
    expect(() => defineReconciler(definition as never)).toThrow(message)
  })

  it('reconciles more objects at one instant than the limit of rounds', async () => {
    let count = 0
    const counting = defineReconciler({
      name: 'counting',
      for: 'configmaps',
      reconcile: async () => {
        count++
        return undefined
      },
    })
    const cluster = await createCluster({ nodes: 0, controllers: [counting] })
    const names = Array.from({ length: 20_500 }, (_, index) => `c${index}`)
    await cluster.apply(names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })))
    expect(count).toBe(names.length)
  })
})
