import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Node } from '../../src/api/objects/node.ts'
import { silentLogger } from '../../src/base/log.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { must } from '../../src/base/result.ts'
import type { Client } from '../../src/client/contract.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import { startRemote } from '../../src/controlplane/remote.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import { type Connection, connect, inParallel, node, pod } from './connection.ts'
import { type Fate, startFaultProxy } from './fault-proxy.ts'
import { type AuditEvent, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()
const count = 20
const times = { leaseDurationMs: 8000, renewDeadlineMs: 5000, retryPeriodMs: 1000 }
const settings = must(
  readSettings({ 'allocate-node-cidrs': 'true', 'cluster-cidr': '10.0.0.0/12', 'node-cidr-mask-size': '24' }),
)

interface Instance {
  readonly kubeconfig: string
  readonly name: string
  readonly lease: string
  readonly qps: number
  /** Without it, an instance never detects that it has lost the lease, and cancels no request. */
  readonly fence: boolean
}

/** The setup of `berth run`, in this process. */
async function startInstance({ kubeconfig, name, lease, qps, fence }: Instance) {
  const access = await loadAccess({ kubeconfig }, Date.now)
  const clock = new RealClock()
  const random = createRandom(name)
  const client = createHttpClient({
    access,
    clock,
    random: random.stream('watch'),
    userAgent: name,
    qps,
    burst: 1,
    timeoutMs: 120_000,
  })
  const election = createHttpClient({ access, clock, random: random.stream('election'), timeoutMs: 2000 })
  let led: () => void = () => {}
  const leads = new Promise<void>((resolve) => {
    led = resolve
  })
  const plane = await startRemote({
    client,
    ...(fence ? { abandon: () => client.close() } : {}),
    electionClient: fence ? election : alwaysRenewed(election),
    clock,
    random,
    log: silentLogger,
    settings,
    controllers: ['scheduler', 'node-ipam'],
    maxInFlight: 64,
    election: { identity: name, namespace: 'kube-system', name: lease, ...times },
    onLead: led,
  })
  const stop = async () => {
    client.close()
    await plane.stop()
    election.close()
  }
  return { leads, lost: plane.lost, stop }
}

/** Answers the holder of the lease that every renewal succeeds. */
function alwaysRenewed(client: Client): Client {
  return {
    watch: client.watch.bind(client),
    call: async (call) =>
      call.verb === 'update' ? { ok: true, kind: 'object', object: call.object } : client.call(call),
  }
}

describe.skipIf(reason !== undefined)(
  `the fence between two leaders on kube-apiserver v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      cluster = await startRealCluster({ audit: true })
      hands = await connect(cluster)
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })
    let attempt = 0
    beforeEach(async () => {
      attempt++
      await hands.clear((await hands.list<Node>('nodes')).map(({ metadata }) => metadata.name))
    })

    /** A leader whose writes are delayed until another instance leads, and then arrive. */
    const lateWrites = async (fence: boolean) => {
      const title = `fence${attempt}`
      const [first, second] = [`${title}-first`, `${title}-second`]
      const way = await startFaultProxy(cluster, first)
      onTestFinished(() => way.close())
      const common = { lease: title, fence }
      const a = await startInstance({ ...common, kubeconfig: way.kubeconfig, name: first, qps: 0 })
      onTestFinished(a.stop)
      await a.leads
      await hands.createNodes(0, 1, (i) => ({
        ...node(i),
        metadata: { name: `home-${title}`, labels: { home: title } },
      }))
      const home = await eventually(
        'the first acts',
        () => hands.list<Node>('nodes', `home=${title}`),
        ([found]) => found?.spec?.podCIDR !== undefined,
      )
      expect(home.length).toBe(1)
      way.decide(({ method }): Fate => ({ kind: method === 'GET' ? 'pass' : 'hold' }))
      // Created in another order than listed, so that two instances start with different ones.
      for (let i = count; i > 0; i--)
        await hands.createNodes(i, i + 1, () => ({
          ...node(i),
          metadata: { name: `${title}-${100 + i}`, labels: { fleet: title } },
        }))
      await inParallel(count, (i) => hands.create('pods', pod(`${title}-${i}`, { app: title })))
      const held = () => way.seen.filter(({ fate }) => fate === 'hold').map(({ request }) => request.path)
      await eventually('its writes are on their way', held, (paths) => {
        const binds = paths.filter((path) => path.endsWith('/binding')).length
        return binds === count && paths.filter((path) => path.includes(`/nodes/${title}-`)).length >= count
      })
      const b = await startInstance({
        ...{ ...common, fence: true, kubeconfig: cluster.kubeconfig, name: second },
        // Slow, so that it has just started when the writes of the other instance arrive.
        qps: 5,
      })
      onTestFinished(b.stop)
      const byOf = (name: string) => (event: AuditEvent) =>
        event.userAgent === name && event.objectRef?.resource !== 'leases' && event.objectRef?.resource !== 'events'
      await eventually(
        'the second has begun with the nodes',
        () => cluster.auditLog().filter(byOf(second)),
        (writes) => writes.filter(({ objectRef }) => objectRef?.resource === 'nodes').length >= 3,
      )
      way.decide(() => ({ kind: 'pass' }))
      way.restore()
      await hands.allBound(`app=${title}`, count)
      const nodes = await eventually(
        'every node has a block',
        () => hands.list<Node>('nodes'),
        (all) => all.every(({ spec }) => spec?.podCIDR),
      )
      const blocks = nodes.map(({ spec }) => spec?.podCIDR)
      const audit = cluster.auditLog()
      const begun = audit.find(byOf(second))!.requestReceivedTimestamp
      const late = audit.filter(byOf(first)).filter(({ requestReceivedTimestamp: at }) => at > begun)
      return { late, doubled: blocks.length - new Set(blocks).size, lost: a.lost }
    }

    it('cancels requests in flight when a leader has lost its lease: nothing arrives, no block is assigned twice', async () => {
      const { late, doubled, lost } = await lateWrites(true)
      expect(late).toEqual([])
      expect(doubled).toBe(0)
      expect(await lost).toBe('lost the lease')
    })

    it('assigns blocks twice without the fence, in the same story', async () => {
      const { late, doubled } = await lateWrites(false)
      // A pod has one node: there the API server itself rejects the later writer.
      const binds = late.filter(({ objectRef }) => objectRef?.subresource === 'binding')
      expect(binds.length).toBeGreaterThan(0)
      expect([...new Set(binds.map(({ responseStatus }) => responseStatus?.code))]).toEqual([409])
      // A block is a field of each node, so only the allocator knows that another node has the same block.
      expect(doubled).toBeGreaterThan(0)
    })
  },
)
