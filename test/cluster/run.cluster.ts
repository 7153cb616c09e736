import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { bindingsOf, type Connection, connect, inParallel, node, pod } from './connection.ts'
import {
  buildParts,
  eventually,
  freePort,
  logged,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from './real-parts.ts'

const reason = missing()
if (reason !== undefined) process.stderr.write(`skipped: ${reason}\n`)

describe.skipIf(reason !== undefined)(
  `berth on kube-apiserver v1.36.4 and etcd${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ audit: true })
      hands = await connect(cluster)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })

    /** Stopped at the end of its test, including after a failure. */
    const start = (name: string, args: readonly string[]) => {
      const berth = startBerth(cluster, name, args)
      onTestFinished(() => stop(berth))
      return berth
    }

    it('schedules 1,000 pods on 100 nodes as the only scheduler, within what each node has', async () => {
      await hands.createNodes(0, 100)
      const berth = start('only', ['--controllers', 'scheduler'])
      await inParallel(1000, (i) => hands.create('pods', pod(`p-${i}`, { app: 'many' })))
      const pods = await hands.allBound('app=many', 1000)
      const perNode = new Map<string, number>()
      for (const { spec } of pods) perNode.set(spec.nodeName!, (perNode.get(spec.nodeName!) ?? 0) + 1)
      expect(perNode.size).toBe(100)
      expect(Math.max(...perNode.values()) - Math.min(...perNode.values())).toBeLessThanOrEqual(1)
      await stop(berth)
    })

    it('preempts lower priority: deletes the victims, and binds the preemptor to their node', async () => {
      const berth = start('preempt', ['--controllers', 'scheduler'])
      await hands.createNodes(0, 1, (i) => ({
        ...node(i, '1'),
        metadata: { name: 'small', labels: { pool: 'small' } },
      }))
      await hands.create('priorityclasses.scheduling.k8s.io', {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'high' },
        value: 1000,
      } as KubeObject)
      const big = {
        containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '800m' } } }],
        nodeSelector: { pool: 'small' },
      }
      await hands.create('pods', pod('victim', { app: 'victim' }, big))
      await eventually(
        'the victim is bound',
        () => hands.list<Pod>('pods', 'app=victim'),
        ([victim]) => victim?.spec.nodeName === 'small',
      )
      await hands.create('pods', pod('preemptor', { app: 'preemptor' }, { ...big, priorityClassName: 'high' }))
      await eventually(
        'the preemptor is bound',
        () => hands.list<Pod>('pods', 'app=preemptor'),
        ([winner]) => winner?.spec.nodeName === 'small',
      )
      expect(await hands.list<Pod>('pods', 'app=victim')).toEqual([])
      await stop(berth)
    })

    it('evicts from tainted nodes instead of kube-controller-manager', async () => {
      const berth = start('evict', ['--controllers', 'taint-eviction'])
      const here = { nodeName: 'n1' }
      await hands.create('pods', pod('leaves', { app: 'taint' }, here))
      await hands.create('pods', pod('stays', { app: 'taint' }, { ...here, tolerations: [{ operator: 'Exists' }] }))
      await hands.create(
        'pods',
        pod(
          'later',
          { app: 'taint' },
          { ...here, tolerations: [{ key: 'out', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 4 }] },
        ),
      )
      cluster.kubectl('taint', 'node', 'n1', 'out=now:NoExecute')
      const names = async () => (await hands.list<Pod>('pods', 'app=taint')).map(({ metadata }) => metadata.name).sort()
      await eventually('the first is gone', names, (left) => left.join() === 'later,stays')
      await eventually('the second is gone', names, (left) => left.join() === 'stays')
      cluster.kubectl('taint', 'node', 'n1', 'out=now:NoExecute-')
      await stop(berth)
    })

    it('a dry run logs decisions, and writes nothing, including the lease', async () => {
      const own = { nodeSelector: { 'kubernetes.io/hostname': 'n7' } }
      const writes = () => cluster.auditLog().filter(({ userAgent }) => userAgent === 'berth-run').length
      const before = writes()
      const berth = start('dry', [
        ...['--dry-run', '--controllers', 'scheduler,taint-eviction,node-lifecycle,node-ipam'],
        ...['--allocate-node-cidrs=true', '--cluster-cidr', '10.0.0.0/12', '--node-cidr-mask-size', '24'],
      ])
      await hands.create('pods', pod('dry', { app: 'dry' }, own))
      await eventually(
        'the log has the dry-run actions',
        () => logged(cluster, 'dry'),
        (text) => text.includes('"node":"n7"'),
      )
      await eventually(
        'it says which blocks it would give',
        () => logged(cluster, 'dry'),
        (text) => text.includes('podCIDR'),
      )
      await stop(berth)
      const [found] = await hands.list<Pod>('pods', 'app=dry')
      expect(found?.spec.nodeName).toBeUndefined()
      expect(writes()).toBe(before)
      await hands.clear()
    })

    it('serves metrics and health, of the leader and of the standby', async () => {
      const ask = async (port: number, path: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
        return answer === undefined ? 'no answer' : `${answer.status} ${await answer.text()}`
      }
      const serving = async (name: string) => {
        const port = await freePort()
        const open = ['--authorization-always-allow-paths', '/healthz,/livez,/readyz,/metrics']
        const where = ['--metrics-bind-address', `127.0.0.1:${port}`, '--leader-elect-resource-name', 'served', ...open]
        return { port, berth: start(name, ['--controllers', 'scheduler', ...where]) }
      }
      const leader = await serving('served-1')
      await hands.leader('served')
      await hands.create('pods', pod('served', { app: 'served' }))
      await hands.allBound('app=served', 1)
      const metrics = await eventually(
        'the placement is counted',
        () => ask(leader.port, '/metrics'),
        (text) => /scheduler_schedule_attempts_total\{[^}]*result="scheduled"[^}]*\} 1\n/.test(text),
      )
      expect(metrics).toContain('leader_election_master_status{name="served"} 1')
      for (const path of ['/healthz', '/livez', '/readyz']) expect(await ask(leader.port, path)).toBe('200 ok')
      const standby = await serving('served-2')
      await eventually(
        'the standby is ready',
        () => ask(standby.port, '/readyz'),
        (text) => text === '200 ok',
      )
      expect(await ask(standby.port, '/metrics')).toContain('leader_election_master_status{name="served"} 0')
      await Promise.all([stop(leader.berth), stop(standby.berth)])
    })

    it('fails over when the leader is killed, and binds no pod twice', async () => {
      const election = [
        '--controllers',
        'scheduler',
        '--leader-elect-lease-duration',
        '12s',
        '--leader-elect-renew-deadline',
        '8s',
        '--leader-elect-retry-period',
        '1s',
      ]
      const first = start('first', election)
      await hands.leader()
      const second = start('second', election)
      const creating = inParallel(400, (i) => hands.create('pods', pod(`f-${i}`, { app: 'failover' })))
      await eventually(
        'some are bound',
        () => hands.list<Pod>('pods', 'app=failover'),
        (all) => all.filter(({ spec }) => spec.nodeName).length > 50,
      )
      first.kill('SIGKILL')
      await creating
      await hands.allBound('app=failover', 400)
      expect([...new Set(bindingsOf(cluster, 'f-'))]).toEqual(bindingsOf(cluster, 'f-'))
      await stop(second)
    })

    it('continues after the API server was restarted and etcd hung', async () => {
      // A leader that cannot renew before its deadline ends; here it must survive the outage.
      const patient = [
        // A separate lease, because the other lease still has the killed leader as its holder.
        '--leader-elect-resource-name',
        'patient',
        '--leader-elect-lease-duration',
        '90s',
        '--leader-elect-renew-deadline',
        '60s',
      ]
      const berth = start('restart', ['--controllers', 'scheduler', ...patient])
      await hands.leader('patient')
      await inParallel(200, (i) => hands.create('pods', pod(`r-${i}`, { app: 'restart' })))
      await cluster.restartApiServer()
      await inParallel(100, (i) => hands.create('pods', pod(`s-${i}`, { app: 'restart' })))
      cluster.pauseEtcd()
      await new Promise((next) => setTimeout(next, 3000))
      cluster.resumeEtcd()
      await inParallel(100, (i) => hands.create('pods', pod(`t-${i}`, { app: 'restart' })))
      await hands.allBound('app=restart', 400)
      for (const prefix of ['r-', 's-', 't-'])
        expect([...new Set(bindingsOf(cluster, prefix))]).toEqual(bindingsOf(cluster, prefix))
      await stop(berth)
    })
  },
)
