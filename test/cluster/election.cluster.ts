import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lease, Node } from '../../src/api/objects/node.ts'
import { type Connection, connect, inParallel, pod } from './connection.ts'
import { startFaultProxy } from './fault-proxy.ts'
import {
  type AuditEvent,
  buildParts,
  eventually,
  exitOf,
  logged,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from './real-parts.ts'

const reason = missing()
// Long enough that a busy machine does not make a healthy leader lose its lease.
const leaseMs = 12_000
const times = [
  ...['--leader-elect-lease-duration', '12s'],
  ...['--leader-elect-renew-deadline', '8s'],
  ...['--leader-elect-retry-period', '1s'],
]

describe.skipIf(reason !== undefined)(
  `leaders and standbys on kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    let over = false
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ audit: true })
      hands = await connect(cluster)
      await hands.createNodes(0, 10)
    })
    afterAll(async () => {
      over = true
      hands?.close()
      await cluster?.close()
    })

    let tries = 0
    /** Two instances, each with its own connection to the server; the first leads. */
    const pair = async (purpose: string, args: readonly string[]) => {
      // Removes the objects of an earlier attempt of the test.
      const title = `${purpose}${++tries}`
      const all = ['--leader-elect-resource-name', title, ...times, ...args]
      const ways = [await startFaultProxy(cluster, `${title}-1`), await startFaultProxy(cluster, `${title}-2`)] as const
      const first = startBerth(cluster, `${title}-1`, all, { kubeconfig: ways[0].kubeconfig })
      const holder = await hands.leader(title)
      // As a Deployment does, restarts an instance that loses its lease on a busy machine.
      let second: ChildProcess | undefined
      let closing = false
      const standBy = () => {
        second = startBerth(cluster, `${title}-2`, all, { kubeconfig: ways[1].kubeconfig })
        second.on('exit', () => closing || over || standBy())
      }
      standBy()
      await eventually(
        'the standby stands by',
        () => logged(cluster, `${title}-2`),
        (text) => text.includes('new leader elected'),
      )
      const close = async () => {
        closing = true
        await Promise.all([first, second].map((child) => child && stop(child)))
        await Promise.all(ways.map((way) => way.close()))
      }
      return { title, ways, first, holder, close }
    }
    const isWrite = (by: string) => (event: AuditEvent) =>
      event.userAgent === by && event.objectRef?.resource !== 'leases' && (event.responseStatus?.code ?? 0) < 300
    /** From the API server's own log: the two never wrote at the same time, and no pod was bound twice. */
    const proveTurns = (title: string) => {
      const audit = cluster.auditLog()
      const byFirst = audit.filter(isWrite(`${title}-1`))
      const bySecond = audit.filter(isWrite(`${title}-2`))
      expect(byFirst.length).toBeGreaterThan(0)
      expect(bySecond.length).toBeGreaterThan(0)
      const lastOfFirst = byFirst
        .map(({ stageTimestamp }) => stageTimestamp)
        .sort()
        .at(-1)!
      expect(lastOfFirst < bySecond[0]!.requestReceivedTimestamp).toBe(true)
      const bound = [...byFirst, ...bySecond]
        .filter(({ objectRef }) => objectRef?.subresource === 'binding')
        .map(({ objectRef }) => objectRef?.name)
      expect(bound.length).toBe(new Set(bound).size)
      return { byFirst, bySecond }
    }

    it('stops a disconnected leader before the other starts: no pod is bound twice, no block assigned twice', async () => {
      const { title, ways, first, holder, close } = await pair('cut', [
        ...['--controllers', 'scheduler,node-ipam'],
        ...['--allocate-node-cidrs=true', '--cluster-cidr', '10.0.0.0/12', '--node-cidr-mask-size', '24'],
        // Slow enough that many writes wait for their turn when the connection is lost.
        ...['--kube-api-qps', '120', '--kube-api-burst', '20'],
      ])
      const creating = Promise.all([
        inParallel(500, (i) => hands.create('pods', pod(`${title}-${i}`, { app: title }))),
        hands.createNodes(tries * 1000, tries * 1000 + 110),
      ])
      await eventually(
        'the first is in the middle of it',
        () => hands.list('pods', `app=${title}`),
        (pods) => pods.filter((each) => (each as ReturnType<typeof pod>).spec.nodeName).length > 60,
      )
      ways[0].hang()
      await creating
      await hands.leader(title, holder)
      // Unanswered requests of the first instance would arrive now.
      ways[0].restore()
      expect(await exitOf(first)).toBe(3)
      await hands.allBound(`app=${title}`, 500)
      const nodes = await eventually(
        'every node has a block',
        () => hands.list<Node>('nodes'),
        (all) => all.length >= 120 && all.every(({ spec }) => spec?.podCIDR),
      )
      const blocks = nodes.map(({ spec }) => spec?.podCIDR)
      expect(new Set(blocks).size).toBe(nodes.length)
      proveTurns(title)
      expect(logged(cluster, `${title}-1`)).toContain('lease not renewed in time; stopped leading')
      await close()
    })

    it('writes nothing after a leader was stopped for longer than its lease', async () => {
      // Slow enough that many writes are waiting when it is stopped, and are sent when it continues.
      const slowly = ['--kube-api-qps', '20', '--kube-api-burst', '5']
      const { title, first, holder, close } = await pair('still', ['--controllers', 'scheduler', ...slowly])
      await inParallel(30, (i) => hands.create('pods', pod(`${title}-q-${i}`, { app: title })))
      await hands.allBound(`app=${title}`, 30)
      await inParallel(100, (i) => hands.create('pods', pod(`${title}-r-${i}`, { app: title })))
      first.kill('SIGSTOP')
      // These wait in its sockets, and it reads them first.
      await inParallel(100, (i) => hands.create('pods', pod(`${title}-s-${i}`, { app: title })))
      await hands.leader(title, holder)
      first.kill('SIGCONT')
      expect(await exitOf(first)).toBe(3)
      await hands.allBound(`app=${title}`, 230)
      proveTurns(title)
      await close()
    })

    it('releases the lease on shutdown, and the standby takes over without waiting for the lease to expire', async () => {
      const { title, first, holder, close } = await pair('term', ['--controllers', 'scheduler'])
      await inParallel(30, (i) => hands.create('pods', pod(`${title}-t-${i}`, { app: title })))
      await hands.allBound(`app=${title}`, 30)
      first.kill('SIGTERM')
      expect(await exitOf(first)).toBe(0)
      const exitedAt = Date.now()
      await hands.leader(title, holder)
      expect(Date.now() - exitedAt).toBeLessThan(leaseMs)
      await inParallel(30, (i) => hands.create('pods', pod(`${title}-u-${i}`, { app: title })))
      await hands.allBound(`app=${title}`, 60)
      proveTurns(title)
      const leases = cluster
        .auditLog()
        .filter(({ objectRef, userAgent }) => objectRef?.resource === 'leases' && userAgent === `${title}-1`)
      expect(leases.at(-1)?.requestObject).toMatchObject({ spec: { holderIdentity: '' } })
      const lease = await hands.get<Lease>('leases.coordination.k8s.io', title, 'kube-system')
      expect(lease?.spec).toMatchObject({ leaseTransitions: 1 })
      await close()
    })
  },
)
