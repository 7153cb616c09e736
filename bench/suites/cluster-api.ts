import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/http-kubeconfig.ts'
import {
  buildParts,
  eventually,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from '../../test/cluster/real-parts.ts'
import type { BenchContext, Suite } from '../suite.ts'

/** Both schedulers on one real kube-apiserver and etcd, client limits lifted for both. */
export const suite: Suite = {
  name: 'cluster-api',
  summary: 'kube-scheduler and berth on the same kube-apiserver and etcd: pods/s and CPU per bound pod',
  run: async (context) => {
    const reason = missing()
    if (reason !== undefined) {
      context.progress(`skipped: ${reason}`)
      return
    }
    buildParts()
    const rows: (readonly (string | number)[])[] = []
    for (const nodes of context.full ? [1000, 5000] : [1000]) {
      const pods = context.full ? 10_000 : 3000
      const peer = await measure(context, 'kube-scheduler', nodes, pods)
      const own = await measure(context, 'berth', nodes, pods)
      rows.push(row(nodes, pods, 'kube-scheduler', peer), row(nodes, pods, 'berth', own))
      rows.push([
        nodes,
        pods,
        'berth / kube-scheduler',
        (own.podsPerSecond / peer.podsPerSecond).toFixed(2),
        (own.cpuMsPerPod / peer.cpuMsPerPod).toFixed(2),
      ])
      context.record({
        name: `pods/s ratio at ${nodes} nodes`,
        value: own.podsPerSecond / peer.podsPerSecond,
        unit: 'x',
      })
      context.record({ name: `CPU ratio at ${nodes} nodes`, value: own.cpuMsPerPod / peer.cpuMsPerPod, unit: 'x' })
    }
    context.table(
      'One kube-apiserver and etcd, one scheduler at a time',
      ['nodes', 'pods', 'scheduler', 'pods/s', 'own CPU ms/pod'],
      rows,
    )
  },
}

interface Figures {
  readonly podsPerSecond: number
  readonly cpuMsPerPod: number
}

const row = (nodes: number, pods: number, name: string, { podsPerSecond, cpuMsPerPod }: Figures) => [
  nodes,
  pods,
  name,
  podsPerSecond.toFixed(0),
  cpuMsPerPod.toFixed(2),
]

async function measure(
  context: BenchContext,
  which: 'kube-scheduler' | 'berth',
  nodes: number,
  pods: number,
): Promise<Figures> {
  const cluster = await startRealCluster()
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig }, Date.now)
  const client = createHttpClient({
    access,
    clock: new RealClock(),
    random: createRandom('bench').stream('watch'),
    maxSockets: 32,
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
  try {
    context.progress(`${which}: ${nodes} nodes`)
    await inParallel(nodes, async (i) => {
      const resources = { cpu: '32', memory: '128Gi', pods: '110' }
      await create('nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: `n${i}`, labels: { 'topology.kubernetes.io/zone': `zone-${i % 3}` } },
        status: { capacity: resources, allocatable: resources },
      } as KubeObject)
      await client.call({
        verb: 'patch',
        resource: 'nodes',
        name: `n${i}`,
        patch: { kind: 'merge', patch: { spec: { taints: null } } },
      })
    })
    context.progress(`${which}: creating ${pods} pods`)
    await inParallel(pods, (i) =>
      create('pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `p-${i}`, namespace: 'default' },
        spec: {
          containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '100m', memory: '128Mi' } } }],
        },
      } as KubeObject),
    )
    const scheduler = await start(cluster, which)
    // From the first bind on: how long a process takes to start and list is not what is compared here.
    const first = await eventually(
      'the first bind',
      () => bound(client),
      (count) => count > 0,
      120,
    )
    const startedAt = process.hrtime.bigint()
    const cpuBefore = cpuMs(scheduler)
    await eventually(
      'all are bound',
      () => bound(client),
      (count) => count === pods,
      600,
    )
    const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9
    const done = pods - first
    const figures = { podsPerSecond: done / seconds, cpuMsPerPod: (cpuMs(scheduler) - cpuBefore) / done }
    await stop(scheduler)
    return figures
  } finally {
    client.close()
    await cluster.close()
  }
}

async function start(cluster: RealCluster, which: 'kube-scheduler' | 'berth'): Promise<ChildProcess> {
  if (which === 'berth')
    return startBerth(cluster, 'berth', [
      '--controllers',
      'scheduler',
      '--leader-elect=false',
      '--max-in-flight',
      '128',
      '--log-level',
      'error',
    ])
  return cluster.start('kube-scheduler', ['--kube-api-qps', '5000', '--kube-api-burst', '5000'])
}

/** Pods without a node, counted by the server: a list of one, and how many remain. */
async function bound(client: ReturnType<typeof createHttpClient>): Promise<number> {
  const all = await client.call({ verb: 'list', resource: 'pods', fieldSelector: 'spec.nodeName!=' })
  return all.ok && all.kind === 'list' ? (all.items as readonly Pod[]).length : 0
}

/** User and system time of a process, from the kernel's clock ticks (100 a second). */
function cpuMs(child: ChildProcess): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function inParallel(total: number, one: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < total) await one(next++)
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}
