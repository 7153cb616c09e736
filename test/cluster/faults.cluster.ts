import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { bindingsOf, type Connection, connect, inParallel, pod } from './connection.ts'
import { type Fate, startFaultProxy } from './fault-proxy.ts'
import {
  buildParts,
  eventually,
  logged,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from './real-parts.ts'

const reason = missing()
const fine: Fate = { kind: 'pass' }

describe.skipIf(reason !== undefined)(
  `berth with a faulty connection to kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ audit: true })
      hands = await connect(cluster)
      await hands.createNodes(0, 20)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })

    // A retried test finds the cluster as the first try did, and creates no objects of the same names.
    let attempt = 0
    beforeEach(async () => {
      attempt++
      await hands.clear()
    })

    const start = async (kind: string, args: readonly string[]) => {
      const name = `${kind}${attempt}`
      const way = await startFaultProxy(cluster, name)
      const berth = startBerth(cluster, name, ['--leader-elect=false', ...args], { kubeconfig: way.kubeconfig })
      onTestFinished(async () => {
        await stop(berth)
        await way.close()
      })
      await eventually(
        'it is in sync',
        () => logged(cluster, name),
        (text) => text.includes('caches synced'),
      )
      return { way, name }
    }
    const podName = (app: string, i: number) => `${app}${attempt}-${i}`
    const createPods = (app: string, count: number, spec: Partial<Pod['spec']> = {}) =>
      inParallel(count, (i) => hands.create('pods', pod(podName(app, i), { app }, spec)))
    const expectBoundOnce = (app: string, count: number) => {
      const bound = bindingsOf(cluster, `${app}${attempt}-`)
      expect([bound.length, new Set(bound).size]).toEqual([count, count])
    }

    it('lists in pages of 500, or as a stream if etcd supports it', async () => {
      const count = 1100
      await createPods('many', count, { nodeName: 'n0' })
      const { way } = await start('pages', ['--controllers', 'taint-eviction'])
      const asked = way.seen
        .filter(({ request }) => request.method === 'GET' && request.path.startsWith('/api/v1/pods?'))
        .map(({ request }) => ({ ...request, query: new URLSearchParams(request.path.split('?')[1]) }))
      expect(asked[0]).toMatchObject({ isWatch: true })
      expect(asked[0]?.query.get('sendInitialEvents')).toBe('true')
      const pages = asked.filter(({ isWatch }) => !isWatch).map(({ query }) => query)
      if (pages.length > 0) {
        expect(pages.map((query) => query.get('limit'))).toEqual(['500', '500', '500'])
        expect(pages.map((query) => query.has('continue'))).toEqual([false, true, true])
      }
    })

    it('sees all changes after the watch was cut and etcd compacted', async () => {
      const { way, name } = await start('expiry', ['--controllers', 'scheduler'])
      const on = (name: string, cpu: string): Partial<Pod['spec']> => ({
        nodeSelector: { 'kubernetes.io/hostname': name },
        containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu } } }],
      })
      await createPods('before', 10, on('n19', '1500m'))
      await hands.allBound('app=before', 10)
      way.cutWatches()
      // The changes that a watch can miss: new pods, deleted pods, a new node, a deleted node.
      await createPods('meanwhile', 30)
      for (let i = 0; i < 10; i++)
        await hands.client.call({ verb: 'delete', resource: 'pods', namespace: 'default', name: podName('before', i) })
      const [fresh, gone] = [20 + attempt, `n${attempt}`]
      await hands.createNodes(fresh, fresh + 1)
      await hands.client.call({ verb: 'delete', resource: 'nodes', name: gone })
      await cluster.compactEtcd()
      // The watch cache of the API server is lost with it.
      await cluster.restartApiServer()
      way.restore()
      await hands.allBound('app=meanwhile', 30)
      expect(logged(cluster, name)).toContain('the watched version has expired; listing again')
      // The scheduler knows the released resources of the deleted pods, and the new node.
      await hands.create('pods', pod(podName('room', 0), { app: 'room' }, on('n19', '15')))
      await hands.create('pods', pod(podName('room', 1), { app: 'room' }, on(`n${fresh}`, '15')))
      await hands.allBound('app=room', 2)
      // The scheduler knows the deletions, too.
      await createPods('after', 30)
      const after = await hands.allBound('app=after', 30)
      expect(after.filter(({ spec }) => spec.nodeName === gone)).toEqual([])
      expectBoundOnce('meanwhile', 30)
    })

    it('binds every pod once and overcommits no node while a slow server loses answers', async () => {
      const { way } = await start('slow', ['--controllers', 'scheduler', '--max-in-flight', '32'])
      const random = createRandom('slow').stream('fates')
      way.decide(({ method, isWatch }) => {
        if (isWatch) return { kind: 'trickle', ms: 5 }
        const draw = random.int(10)
        if (draw < 2) return { kind: 'delay', ms: 300 }
        if (draw < 4) return { kind: 'trickle', ms: 20 }
        if (method !== 'GET' && draw < 7) return { kind: 'lose', how: 'break' }
        return fine
      })
      // Exactly as many pods as fit: a pod that is counted twice, or not at all, leaves another one pending.
      const pool = `full${attempt}`
      await hands.createNodes(100, 105, (i) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: `full${attempt}-${i}`, labels: { pool } },
        status: {
          capacity: { cpu: '2', memory: '8Gi', pods: '110' },
          allocatable: { cpu: '2', memory: '8Gi', pods: '110' },
        },
      }))
      await createPods('slow', 100, { nodeSelector: { pool } })
      const pods = await hands.allBound('app=slow', 100)
      const perNode = count(pods)
      expect([...perNode.values()]).toEqual([20, 20, 20, 20, 20])
      expectBoundOnce('slow', 100)
      expect(way.seen.filter(({ fate }) => fate === 'lose').length).toBeGreaterThan(20)
    })

    it('reads the outcome of a write after the server hung', async () => {
      const { way } = await start('hang', ['--controllers', 'scheduler', '--request-timeout', '3s'])
      let lost = 0
      way.decide(({ path }) => (path.endsWith('/binding') && lost++ < 5 ? { kind: 'lose', how: 'hang' } : fine))
      await createPods('hang', 20)
      await hands.allBound('app=hang', 20)
      await eventually(
        'those without an answer were read',
        () =>
          way.seen.filter(({ request }) => request.method === 'GET' && request.path.includes(`/pods/hang${attempt}-`))
            .length,
        (reads) => reads === 5,
      )
      expectBoundOnce('hang', 20)
      const failures = await hands.list('events', undefined)
      expect(
        failures.filter(
          (event) =>
            JSON.stringify(event).includes('FailedScheduling') && JSON.stringify(event).includes(`hang${attempt}-`),
        ),
      ).toEqual([])
    })

    it('retries when an overloaded server says, and binds everything', async () => {
      const { way } = await start('busy', ['--controllers', 'scheduler'])
      const refusedAt = new Map<string, number>()
      const early: string[] = []
      way.decide(({ method, path }) => {
        if (method === 'GET' || !path.endsWith('/binding')) return fine
        const at = refusedAt.get(path)
        if (at !== undefined && Date.now() - at < 950) early.push(path)
        if (at !== undefined) return fine
        refusedAt.set(path, Date.now())
        const body = JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'TooManyRequests',
          code: 429,
        })
        return { kind: 'answer', code: 429, headers: { 'retry-after': '1' }, body }
      })
      await createPods('busy', 40)
      await hands.allBound('app=busy', 40)
      expectBoundOnce('busy', 40)
      expect(refusedAt.size).toBe(40)
      expect(early).toEqual([])
    })

    it('assigns no block twice and loses none while answers to node IPAM are lost', async () => {
      await hands.clear(Array.from({ length: 30 }, (_, i) => `n${200 + i}`))
      const { way } = await start('blocks', [
        ...['--controllers', 'node-ipam', '--allocate-node-cidrs=true', '--fix', 'cidr-leaks'],
        // There are 64 blocks and 56 nodes at the end, so only a few blocks may leak.
        ...['--cluster-cidr', '10.0.0.0/20', '--node-cidr-mask-size', '26'],
      ])
      const random = createRandom('blocks').stream('fates')
      way.decide(({ method, path }) => {
        if (method !== 'PATCH' || !path.includes('/nodes/')) return fine
        return random.int(3) === 0 ? { kind: 'lose', how: 'break' } : fine
      })
      await hands.createNodes(200, 230)
      const blocks = await eventually(
        'every node has a block',
        async () => (await hands.list<Node>('nodes')).map(({ spec }) => spec?.podCIDR),
        (all) => all.every((block) => block !== undefined),
      )
      expect(new Set(blocks).size).toBe(blocks.length)
      expect(way.seen.filter(({ fate }) => fate === 'lose').length).toBeGreaterThan(5)
    })
  },
)

function count(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const perNode = new Map<string, number>()
  for (const { spec } of pods) perNode.set(spec.nodeName!, (perNode.get(spec.nodeName!) ?? 0) + 1)
  return perNode
}
