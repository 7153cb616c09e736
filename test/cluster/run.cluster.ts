import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/http-kubeconfig.ts'
import { buildParts, eventually, missing, type RealCluster, startBerth, startRealCluster, stop } from './real-parts.ts'

const reason = missing()
if (reason !== undefined) process.stderr.write(`skipped: ${reason}\n`)

describe.skipIf(reason !== undefined)(
  `berth on kube-apiserver v1.36.4 and etcd${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let client: ReturnType<typeof createHttpClient>
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster()
      const access = await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now)
      client = createHttpClient({
        access,
        clock: new RealClock(),
        random: createRandom('real').stream('watch'),
        maxSockets: 64,
      })
    })
    afterAll(async () => {
      client?.close()
      await cluster?.close()
    })

    const create = async (resource: string, object: KubeObject) => {
      const { namespace } = object.metadata
      const outcome = await client.call({
        verb: 'create',
        resource,
        object,
        ...(namespace === undefined ? {} : { namespace }),
      })
      if (!outcome.ok) throw new Error(outcome.status.message)
    }
    const list = async <T extends KubeObject>(resource: string, labelSelector?: string): Promise<readonly T[]> => {
      const outcome = await client.call({
        verb: 'list',
        resource,
        ...(labelSelector === undefined ? {} : { labelSelector }),
      })
      if (!outcome.ok || outcome.kind !== 'list') return []
      return outcome.items as readonly T[]
    }
    const inParallel = async (count: number, one: (i: number) => Promise<void>) => {
      let next = 0
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          while (next < count) await one(next++)
        }),
      )
    }
    const node = (i: number, cpu = '16'): Node => {
      const resources = { cpu, memory: '64Gi', pods: '110' }
      return {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name: `n${i}`,
          labels: { 'kubernetes.io/hostname': `n${i}`, 'topology.kubernetes.io/zone': `zone-${i % 3}` },
        },
        status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] },
      }
    }
    const pod = (name: string, labels: Record<string, string>, spec: Partial<Pod['spec']> = {}): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
        ...spec,
      },
    })
    const untainted = async () => {
      for (const each of await list<Node>('nodes')) {
        await client.call({
          verb: 'patch',
          resource: 'nodes',
          name: each.metadata.name,
          patch: { kind: 'merge', patch: { spec: { taints: null } } },
        })
      }
    }

    type LeaseObject = KubeObject & { readonly spec?: { readonly holderIdentity?: string } }
    const leading = (name = 'berth') =>
      eventually(
        'somebody leads',
        () => list<LeaseObject>('leases.coordination.k8s.io'),
        (leases) => leases.some((lease) => lease.metadata.name === name && Boolean(lease.spec?.holderIdentity)),
      )

    it('schedules 1,000 pods on 100 nodes as the only scheduler, within what each node has', async () => {
      await inParallel(100, (i) => create('nodes', node(i)))
      await untainted()
      const berth = startBerth(cluster, 'only', ['--controllers', 'scheduler'])
      await inParallel(1000, (i) => create('pods', pod(`p-${i}`, { app: 'many' })))
      const pods = await eventually(
        'all bound',
        () => list<Pod>('pods', 'app=many'),
        (all) => all.length === 1000 && all.every(({ spec }) => spec.nodeName),
        120,
      )
      const perNode = new Map<string, number>()
      for (const { spec } of pods) perNode.set(spec.nodeName!, (perNode.get(spec.nodeName!) ?? 0) + 1)
      expect(perNode.size).toBe(100)
      expect(Math.max(...perNode.values()) - Math.min(...perNode.values())).toBeLessThanOrEqual(1)
      await stop(berth)
    })

    it('preempts: the victims go, the preemptor is bound to their node', async () => {
      const berth = startBerth(cluster, 'preempt', ['--controllers', 'scheduler'])
      await create('nodes', { ...node(500, '1'), metadata: { name: 'small', labels: { pool: 'small' } } } as Node)
      await untainted()
      await create('priorityclasses.scheduling.k8s.io', {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 1000,
      } as KubeObject)
      const big = {
        containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '800m' } } }],
        nodeSelector: { pool: 'small' },
      }
      await create('pods', pod('victim', { app: 'victim' }, big))
      await eventually(
        'the victim is bound',
        () => list<Pod>('pods', 'app=victim'),
        ([victim]) => victim?.spec.nodeName === 'small',
      )
      await create('pods', pod('preemptor', { app: 'preemptor' }, { ...big, priorityClassName: 'high' }))
      await eventually(
        'the preemptor is bound',
        () => list<Pod>('pods', 'app=preemptor'),
        ([winner]) => winner?.spec.nodeName === 'small',
      )
      expect(await list<Pod>('pods', 'app=victim')).toEqual([])
      await stop(berth)
    })

    it('evicts from tainted nodes in the place of kube-controller-manager', async () => {
      const berth = startBerth(cluster, 'evict', ['--controllers', 'taint-eviction'])
      const here = { nodeName: 'n1' }
      await create('pods', pod('leaves', { app: 'taint' }, here))
      await create('pods', pod('stays', { app: 'taint' }, { ...here, tolerations: [{ operator: 'Exists' }] }))
      await create(
        'pods',
        pod(
          'later',
          { app: 'taint' },
          { ...here, tolerations: [{ key: 'out', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 4 }] },
        ),
      )
      cluster.kubectl('taint', 'node', 'n1', 'out=now:NoExecute')
      const names = async () => (await list<Pod>('pods', 'app=taint')).map(({ metadata }) => metadata.name).sort()
      await eventually('the first is gone', names, (left) => left.join() === 'later,stays')
      await eventually('the second is gone', names, (left) => left.join() === 'stays')
      cluster.kubectl('taint', 'node', 'n1', 'out=now:NoExecute-')
      await stop(berth)
    })

    it('hands over when the leader is killed, and binds no pod twice', async () => {
      const election = [
        '--controllers',
        'scheduler',
        '--leader-elect-lease-duration',
        '4s',
        '--leader-elect-renew-deadline',
        '3s',
        '--leader-elect-retry-period',
        '500ms',
      ]
      const first = startBerth(cluster, 'first', election)
      await leading()
      const second = startBerth(cluster, 'second', election)
      const creating = inParallel(400, (i) => create('pods', pod(`f-${i}`, { app: 'failover' })))
      await eventually(
        'some are bound',
        () => list<Pod>('pods', 'app=failover'),
        (all) => all.filter(({ spec }) => spec.nodeName).length > 50,
      )
      first.kill('SIGKILL')
      await creating
      await eventually(
        'all are bound',
        () => list<Pod>('pods', 'app=failover'),
        (all) => all.length === 400 && all.every(({ spec }) => spec.nodeName),
        60,
      )
      await stop(second)
    })

    it('goes on after the API server was restarted and etcd hung', async () => {
      // A leader that cannot renew for its deadline ends, as it must; here it is to live through the outage.
      const patient = [
        // Of its own: the lease of a killed leader still names it.
        '--leader-elect-resource-name',
        'patient',
        '--leader-elect-lease-duration',
        '90s',
        '--leader-elect-renew-deadline',
        '60s',
      ]
      const berth = startBerth(cluster, 'restart', ['--controllers', 'scheduler', ...patient])
      await leading('patient')
      await inParallel(200, (i) => create('pods', pod(`r-${i}`, { app: 'restart' })))
      await cluster.restartApiServer()
      await inParallel(100, (i) => create('pods', pod(`s-${i}`, { app: 'restart' })))
      cluster.pauseEtcd()
      await new Promise((next) => setTimeout(next, 3000))
      cluster.resumeEtcd()
      await inParallel(100, (i) => create('pods', pod(`t-${i}`, { app: 'restart' })))
      await eventually(
        'all are bound',
        () => list<Pod>('pods', 'app=restart'),
        (all) => all.length === 400 && all.every(({ spec }) => spec.nodeName),
        120,
      )
      await stop(berth)
    })
  },
)
