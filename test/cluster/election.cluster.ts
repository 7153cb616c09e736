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
const leaseMs = 5000
const times = [
  ...['--leader-elect-lease-duration', '5s'],
  ...['--leader-elect-renew-deadline', '3s'],
  ...['--leader-elect-retry-period', '500ms'],
]

describe.skipIf(reason !== undefined)(
  `leaders and standbys on kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({ audit: true })
      hands = await connect(cluster)
      await hands.createNodes(0, 10)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })

    /** Two instances, each with a way of its own to the server; the first leads. */
    const pair = async (title: string, args: readonly string[]) => {
      const all = ['--leader-elect-resource-name', title, ...times, ...args]
      const ways = [await startFaultProxy(cluster, `${title}-1`), await startFaultProxy(cluster, `${title}-2`)] as const
      const first = startBerth(cluster, `${title}-1`, all, { kubeconfig: ways[0].kubeconfig })
      const holder = await hands.leader(title)
      const second = startBerth(cluster, `${title}-2`, all, { kubeconfig: ways[1].kubeconfig })
      await eventually(
        'the standby stands by',
        () => logged(cluster, `${title}-2`),
        (text) => text.includes('there is a new leader'),
      )
      const close = async () => {
        await Promise.all([stop(first), stop(second)])
        await Promise.all(ways.map((way) => way.close()))
      }
      return { ways, first, second, holder, close }
    }
    const isWrite = (by: string) => (event: AuditEvent) =>
      event.userAgent === by && event.objectRef?.resource !== 'leases' && (event.responseStatus?.code ?? 0) < 300
    /** From the API server's own log: nobody wrote while the other did, and no pod was bound twice. */
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

    it('a leader that is cut off stops before the other starts: no pod is bound twice, no block given twice', async () => {
      const { ways, first, holder, close } = await pair('cut', [
        ...['--controllers', 'scheduler,node-ipam'],
        ...['--allocate-node-cidrs=true', '--cluster-cidr', '10.0.0.0/16', '--node-cidr-mask-size', '24'],
        // Slow enough that many writes wait for their turn when the connection is lost.
        ...['--kube-api-qps', '120', '--kube-api-burst', '20'],
      ])
      const creating = Promise.all([
        inParallel(500, (i) => hands.create('pods', pod(`c-${i}`, { app: 'cut' }))),
        hands.createNodes(10, 120),
      ])
      await eventually(
        'the first is in the middle of it',
        () => hands.list('pods', 'app=cut'),
        (pods) => pods.filter((each) => (each as ReturnType<typeof pod>).spec.nodeName).length > 60,
      )
      ways[0].hang()
      await creating
      await hands.leader('cut', holder)
      // Whatever the first had sent and nobody answered would arrive now.
      ways[0].mend()
      expect(await exitOf(first)).toBe(3)
      await hands.allBound('app=cut', 500)
      const nodes = await eventually(
        'every node has a block',
        () => hands.list<Node>('nodes'),
        (all) => all.length === 120 && all.every(({ spec }) => spec?.podCIDR),
      )
      const blocks = nodes.map(({ spec }) => spec?.podCIDR)
      expect(new Set(blocks).size).toBe(120)
      proveTurns('cut')
      expect(logged(cluster, 'cut-1')).toContain('could not renew the lease in time')
      await close()
    })

    it('a leader that stood still for longer than its lease writes nothing when it goes on', async () => {
      const { first, holder, close } = await pair('still', ['--controllers', 'scheduler'])
      await inParallel(30, (i) => hands.create('pods', pod(`q-${i}`, { app: 'still' })))
      await hands.allBound('app=still', 30)
      first.kill('SIGSTOP')
      // These wait in its sockets, and are what it reads first.
      await inParallel(100, (i) => hands.create('pods', pod(`s-${i}`, { app: 'still' })))
      await hands.leader('still', holder)
      first.kill('SIGCONT')
      expect(await exitOf(first)).toBe(3)
      await hands.allBound('app=still', 130)
      proveTurns('still')
      await close()
    })

    it('a leader that is told to end gives up the lease, and the standby takes over without waiting for its end', async () => {
      const { first, holder, close } = await pair('term', ['--controllers', 'scheduler'])
      await inParallel(30, (i) => hands.create('pods', pod(`t-${i}`, { app: 'term' })))
      await hands.allBound('app=term', 30)
      first.kill('SIGTERM')
      expect(await exitOf(first)).toBe(0)
      const exitedAt = Date.now()
      await hands.leader('term', holder)
      expect(Date.now() - exitedAt).toBeLessThan(leaseMs)
      await inParallel(30, (i) => hands.create('pods', pod(`u-${i}`, { app: 'term' })))
      await hands.allBound('app=term', 60)
      proveTurns('term')
      const leases = cluster
        .auditLog()
        .filter(({ objectRef, userAgent }) => objectRef?.resource === 'leases' && userAgent === 'term-1')
      expect(leases.at(-1)?.requestObject).toMatchObject({ spec: { holderIdentity: '' } })
      const lease = await hands.get<Lease>('leases.coordination.k8s.io', 'term', 'kube-system')
      expect(lease?.spec).toMatchObject({ leaseTransitions: 1 })
      await close()
    })
  },
)
