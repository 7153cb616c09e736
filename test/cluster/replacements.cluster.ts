import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { type Connection, connect, node, pod } from './connection.ts'
import { startHeartbeats } from './heartbeats.ts'
import { buildParts, eventually, missing, type RealCluster, startBerth, startRealCluster, stop } from './real-parts.ts'

const reason = missing()

describe.skipIf(reason !== undefined)(
  `berth in the place of controllers of kube-controller-manager v1.36.4${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let hands: Connection
    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster({
        audit: true,
        controllers: '*,-taint-eviction-controller,-node-lifecycle-controller,-node-ipam-controller',
      })
      hands = await connect(cluster)
      await cluster.start('kube-controller-manager')
    })
    afterAll(async () => {
      hands?.close()
      await cluster?.close()
    })
    const names = async (label: string) =>
      (await hands.list<Pod>('pods', label)).map(({ metadata }) => metadata.name).sort()
    const deletionOf = (name: string) =>
      cluster
        .auditLog()
        .find(
          ({ verb, objectRef }) =>
            (verb === 'delete' || objectRef?.subresource === 'eviction') && objectRef?.name === name,
        )

    it('assigns every node a unique block of each family, and keeps it across a restart', async () => {
      const args = [
        ...['--controllers', 'node-ipam', '--leader-elect-resource-name', 'ipam', '--allocate-node-cidrs=true'],
        ...['--cluster-cidr', '10.0.0.0/20,fd00:10::/48'],
        ...['--node-cidr-mask-size-ipv4', '26', '--node-cidr-mask-size-ipv6', '64'],
      ]
      const blocks = async () =>
        new Map((await hands.list<Node>('nodes')).map(({ metadata, spec }) => [metadata.name, spec?.podCIDRs ?? []]))
      const all = (count: number) =>
        eventually('every node has two blocks', blocks, (found) => {
          return found.size === count && [...found.values()].every((each) => each.length === 2)
        })
      const unique = (found: ReadonlyMap<string, readonly string[]>) => {
        const given = [...found.values()].flat()
        expect(new Set(given).size).toBe(given.length)
        expect([...found.values()].every(([four, six]) => four?.endsWith('/26') && six?.endsWith('/64'))).toBe(true)
      }
      // One node already has its blocks, as existing nodes do.
      const [old, oldBlocks] = ['n0', ['10.0.0.64/26', 'fd00:10:0:1::/64']]
      await hands.createNodes(0, 1, (i) => ({
        ...node(i),
        spec: { podCIDR: oldBlocks[0]!, podCIDRs: oldBlocks },
      }))
      const first = startBerth(cluster, 'ipam-1', args)
      await hands.createNodes(1, 30)
      const before = await all(30)
      unique(before)
      expect(before.get(old)).toEqual(oldBlocks)
      await stop(first)
      await hands.createNodes(30, 40)
      const second = startBerth(cluster, 'ipam-2', args)
      await hands.createNodes(40, 50)
      const after = await all(50)
      unique(after)
      for (const [name, given] of before) expect(after.get(name)).toEqual(given)
      // The blocks of deleted nodes are allocated again: there are 64 blocks, and 50 of them are in use.
      for (let i = 10; i < 40; i++) await hands.client.call({ verb: 'delete', resource: 'nodes', name: `n${i}` })
      await hands.createNodes(50, 90)
      unique(await all(60))
      await stop(second)
    })

    it('taints a silent node, and its pods are replaced on other nodes', async () => {
      const fleet = Array.from({ length: 6 }, (_, i) => `k${i}`)
      // Separate zones: the silent nodes of other tests would make a zone too unhealthy to evict from.
      const home = (i: number) => ({ fleet: 'k', 'topology.kubernetes.io/zone': `k-${i % 3}` })
      await hands.createNodes(0, 6, (i) => ({
        ...node(i),
        metadata: { ...node(i, '16').metadata, name: `k${i}`, labels: { ...node(i).metadata.labels, ...home(i) } },
      }))
      const heartbeats = await startHeartbeats(hands, fleet)
      const berth = startBerth(cluster, 'lifecycle', [
        ...['--controllers', 'scheduler,node-lifecycle,taint-eviction', '--leader-elect-resource-name', 'lifecycle'],
        ...['--node-monitor-period', '1s', '--node-monitor-grace-period', '6s', '--node-startup-grace-period', '60s'],
        ...['--node-eviction-rate', '10'],
      ])
      onTestFinished(() => stop(berth))
      const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 })
      await hands.create('deployments.apps', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 6,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              terminationGracePeriodSeconds: 0,
              nodeSelector: { fleet: 'k' },
              tolerations: [tolerate('node.kubernetes.io/unreachable'), tolerate('node.kubernetes.io/not-ready')],
              containers: [{ name: 'c', image: 'pause' }],
            },
          },
        },
      } as KubeObject)
      const placed = await hands.allBound('app=web', 6)
      const silent = placed[0]!.spec.nodeName!
      const lost = placed.filter(({ spec }) => spec.nodeName === silent).map(({ metadata }) => metadata.name)
      heartbeats.silence(silent)
      const tainted = await eventually(
        'the silent node is tainted',
        () => hands.get<Node>('nodes', silent),
        (found) =>
          (found?.spec?.taints ?? []).filter(({ key }) => key === 'node.kubernetes.io/unreachable').length === 2,
      )
      expect(tainted?.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      })
      const moved = await eventually(
        'its pods are elsewhere',
        () => hands.list<Pod>('pods', 'app=web'),
        (pods) => pods.length === 6 && pods.every(({ spec }) => spec.nodeName && spec.nodeName !== silent),
      )
      expect(moved.filter(({ metadata }) => lost.includes(metadata.name))).toEqual([])
      heartbeats.revive(silent)
      await eventually(
        'the node has recovered',
        () => hands.get<Node>('nodes', silent),
        (found) => (found?.spec?.taints ?? []).length === 0,
      )
      await stop(berth)
      heartbeats.close()
      hands.client.call({ verb: 'delete', resource: 'deployments.apps', namespace: 'default', name: 'web' })
    })

    it('improved taint eviction follows edits of tolerations, keeps countdowns across a restart, and respects budgets', async () => {
      const args = [
        '--controllers',
        'taint-eviction',
        '--behavior',
        'improved',
        '--leader-elect-resource-name',
        'evict',
      ]
      await hands.createNodes(0, 1, () => ({ ...node(0), metadata: { name: 'tainted' } }))
      const here = (name: string, seconds: number): Pod =>
        pod(
          name,
          { app: 'improved', name },
          {
            nodeName: 'tainted',
            tolerations: [{ key: 'out', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }],
          },
        )
      await hands.create('pods', here('edited', 600))
      await hands.create('pods', here('restarted', 12))
      await hands.create('pods', here('guarded', 1))
      const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
      await hands.client.call({
        ...{ verb: 'patch', resource: 'pods', subresource: 'status', namespace: 'default', name: 'guarded' },
        patch: { kind: 'merge', patch: { status: running } as never },
      })
      cluster.kubectl('create', 'pdb', 'guard', '--selector=name=guarded', '--min-available=1')
      await eventually(
        'the budget is counted',
        () => hands.get<KubeObject>('poddisruptionbudgets.policy', 'guard', 'default'),
        (found) => (found as { status?: { currentHealthy?: number } } | undefined)?.status?.currentHealthy === 1,
      )
      const first = startBerth(cluster, 'evict-1', args)
      await hands.leader('evict')
      const taintedAt = Date.now()
      await hands.merge('nodes', 'tainted', {
        spec: {
          taints: [
            { key: 'out', effect: 'NoExecute', timeAdded: new Date(taintedAt).toISOString().replace(/\.\d+Z/, 'Z') },
          ],
        },
      })
      // Shortened during the countdown: upstream would continue to wait for ten minutes.
      const edited = await hands.get<Pod>('pods', 'edited', 'default')
      await hands.client.call({
        ...{ verb: 'update', resource: 'pods', namespace: 'default', name: 'edited' },
        object: {
          ...edited!,
          spec: {
            ...edited!.spec,
            tolerations: edited!.spec.tolerations!.map((each) =>
              each.key === 'out' ? { ...each, tolerationSeconds: 2 } : each,
            ),
          },
        } as KubeObject,
      })
      await eventually(
        'the edited pod is gone',
        () => names('app=improved'),
        (left) => !left.includes('edited'),
      )
      await eventually(
        'six seconds have passed',
        () => Date.now(),
        (now) => now >= taintedAt + 6000,
      )
      await stop(first)
      const restartedAt = Date.now()
      const second = startBerth(cluster, 'evict-2', args)
      await eventually(
        'only the guarded pod is left',
        () => names('app=improved'),
        (left) => left.join() === 'guarded',
      )
      const evictedAt = Date.parse(deletionOf('restarted')!.requestReceivedTimestamp)
      expect(evictedAt - taintedAt).toBeGreaterThanOrEqual(11_000)
      // A restarted countdown would not have ended yet.
      expect(evictedAt - restartedAt).toBeLessThan(12_000)
      cluster.kubectl('patch', 'pdb', 'guard', '--type=merge', '-p', '{"spec":{"minAvailable":0}}')
      await eventually(
        'the budget lets it go',
        () => names('app=improved'),
        (left) => left.length === 0,
      )
      await stop(second)
    })
  },
)
