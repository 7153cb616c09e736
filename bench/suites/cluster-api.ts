import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import {
  buildParts,
  clusterRelease,
  eventually,
  logged,
  missing,
  type RealCluster,
  startBerth,
  startRealCluster,
  stop,
} from '../../test/cluster/real-parts.ts'
import type { BenchContext, Suite } from '../suite.ts'

/** The scheduled pods: single pods, or with `--part gangs` the same pods in gangs of three. */
type Load = 'pods' | 'gangs'

const podsPerGang = 3
const gates = 'GenericWorkload=true'

/** Both schedulers on a real kube-apiserver and etcd, without client rate limits. */
export const suite: Suite = {
  name: 'cluster-api',
  summary: 'kube-scheduler and berth on the same kube-apiserver and etcd: pods/s and CPU per bound pod',
  run: async (context) => {
    const reason = missing()
    if (reason !== undefined) {
      context.progress(`skipped: ${reason}`)
      return
    }
    const load: Load = context.part === 'gangs' ? 'gangs' : 'pods'
    if (load === 'gangs' && clusterRelease.minor !== '1.37') {
      context.progress('skipped: gangs are measured with BERTH_CLUSTER_RELEASE=1.37')
      return
    }
    buildParts()
    const rows: (readonly (string | number)[])[] = []
    for (const nodes of context.full ? [1000, 5000] : [1000]) {
      const pods = context.full && load === 'pods' ? 10_000 : 3000
      // One after the other, each alone on the machine and with a new API server and etcd.
      const peer = await attempt(context, 'kube-scheduler', load, nodes, pods)
      const own = await attempt(context, 'berth', load, nodes, pods)
      if (peer !== undefined) rows.push(row(nodes, pods, 'kube-scheduler', peer))
      if (own !== undefined) rows.push(row(nodes, pods, 'berth', own))
      if (peer === undefined || own === undefined) continue
      const speed = own.podsPerSecond / peer.podsPerSecond
      const cpu = own.cpuMsPerPod / peer.cpuMsPerPod
      rows.push([nodes, pods, 'berth / kube-scheduler', speed.toFixed(2), cpu.toFixed(2)])
      const record = (name: string, of: keyof Figures, unit: string, aim: number) =>
        context.record({ name, value: own[of], unit, aim, beside: { what: 'kube-scheduler', value: peer[of] } })
      record(
        `${pods} pods${load === 'gangs' ? ' in gangs' : ''} on ${nodes} nodes`,
        'podsPerSecond',
        'pods/s',
        peer.podsPerSecond,
      )
      record(`own CPU a pod, ${nodes} nodes`, 'cpuMsPerPod', 'ms', peer.cpuMsPerPod / 2)
    }
    context.table(
      'One kube-apiserver and etcd, one scheduler at a time',
      ['nodes', 'pods', 'scheduler', 'pods/s', 'own CPU ms/pod'],
      rows,
    )
  },
}

/** Prints a figure as soon as it is measured; a failure does not affect the others. */
async function attempt(
  context: BenchContext,
  which: 'kube-scheduler' | 'berth',
  load: Load,
  nodes: number,
  pods: number,
): Promise<Figures | undefined> {
  try {
    const figures = await measure(context, which, load, nodes, pods)
    const { podsPerSecond, cpuMsPerPod } = figures
    context.progress(
      `${which}, ${nodes} nodes: ${podsPerSecond.toFixed(0)} pods/s, ${cpuMsPerPod.toFixed(2)} ms of its CPU a pod`,
    )
    return figures
  } catch (error) {
    context.progress(`${which}, ${nodes} nodes: failed: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
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
  load: Load,
  nodes: number,
  pods: number,
): Promise<Figures> {
  const cluster = await startRealCluster(
    load === 'gangs'
      ? { apiServer: { 'feature-gates': gates, 'runtime-config': 'scheduling.k8s.io/v1beta1=true' } }
      : {},
  )
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
    context.progress(`${which}: creating ${nodes} nodes`)
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
    if (load === 'gangs') {
      await inParallel(pods / podsPerGang, (i) =>
        create('podgroups.scheduling.k8s.io', {
          apiVersion: 'scheduling.k8s.io/v1beta1',
          kind: 'PodGroup',
          metadata: { name: `g-${i}`, namespace: 'default' },
          spec: { schedulingPolicy: { gang: { minCount: podsPerGang } } },
        } as unknown as KubeObject),
      )
    }
    const groupOf = (i: number) =>
      load === 'gangs' ? { schedulingGroup: { podGroupName: `g-${Math.floor(i / podsPerGang)}` } } : {}
    context.progress(`${which}: creating ${pods} pods`)
    await inParallel(pods, (i) =>
      create('pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `p-${i}`, namespace: 'default' },
        spec: {
          ...groupOf(i),
          containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu: '100m', memory: '128Mi' } } }],
        },
      } as KubeObject),
    )
    return await timeBinds(context, { cluster, client, which, load, pods })
  } finally {
    client.close()
    await cluster.close()
  }
}

/** Starts at the first bind, so that the time to start and to list does not count. */
async function timeBinds(
  context: BenchContext,
  run: {
    readonly cluster: RealCluster
    readonly client: ReturnType<typeof createHttpClient>
    readonly which: 'kube-scheduler' | 'berth'
    readonly load: Load
    readonly pods: number
  },
): Promise<Figures> {
  const { cluster, client, which, load, pods } = run
  let first: { readonly at: bigint; readonly cpu: number; readonly bound: number } | undefined
  let last: { readonly at: bigint; readonly cpu: number } | undefined
  const bound = new Set<string>()
  const scheduler = await start(cluster, which, load)
  const onBound = (names: readonly string[]) => {
    if (names.length === 0) return
    for (const name of names) bound.add(name)
    const now = { at: process.hrtime.bigint(), cpu: cpuMs(scheduler) }
    first ??= { ...now, bound: bound.size }
    if (bound.size === pods) last = now
  }
  const watch = watchBound(client, onBound)
  try {
    let said = Date.now()
    await eventually(
      'all are bound',
      () => {
        if (scheduler.exitCode !== null)
          throw new Error(`${which} ended with ${scheduler.exitCode}${lastWords(cluster, which)}`)
        if (Date.now() - said > 5000) {
          said = Date.now()
          context.progress(`${which}: ${bound.size} of ${pods} bound`)
        }
        return bound.size
      },
      (count) => count >= pods,
      900,
    )
    if (first === undefined || last === undefined) throw new Error('nothing was bound')
    const done = pods - first.bound
    const seconds = Number(last.at - first.at) / 1e9
    return { podsPerSecond: done / seconds, cpuMsPerPod: (last.cpu - first.cpu) / done }
  } finally {
    watch.cancel()
    await stop(scheduler)
  }
}

/** Reports pods when they are bound. Repeated lists would cost the server more than the binds. */
function watchBound(
  client: ReturnType<typeof createHttpClient>,
  onBound: (names: readonly string[]) => void,
): { cancel: () => void } {
  let canceled = false
  let handle: { cancel(): void } | undefined
  const begin = () => {
    if (canceled) return
    handle = client.watch(
      // Reads from the cache of the server, which cannot check its freshness with an etcd before 3.4.25 and would reject the list.
      { resource: 'pods', fieldSelector: 'spec.nodeName!=', resourceVersion: '0', bookmarks: false },
      (events) => onBound(events.flatMap((event) => (event.type === 'ADDED' ? [event.object.metadata.name] : []))),
      begin,
    )
  }
  begin()
  return {
    cancel: () => {
      canceled = true
      handle?.cancel()
    },
  }
}

async function start(cluster: RealCluster, which: 'kube-scheduler' | 'berth', load: Load): Promise<ChildProcess> {
  const gated = load === 'gangs' ? ['--feature-gates', gates] : []
  if (which === 'berth')
    return startBerth(cluster, 'berth', [
      '--controllers',
      'scheduler',
      '--leader-elect=false',
      '--max-in-flight',
      '128',
      '--log-level',
      'error',
      // Binaries of a Go module do not know their version.
      ...(load === 'gangs' ? ['--kubernetes-version', clusterRelease.minor] : []),
      ...gated,
    ])
  return cluster.start('kube-scheduler', ['--kube-api-qps', '5000', '--kube-api-burst', '5000', ...gated])
}

/** The lines of the log with the reason why a process ended: the message of a Go panic, or the last lines. */
function lastWords(cluster: RealCluster, which: 'kube-scheduler' | 'berth'): string {
  const lines = logged(cluster, which).trimEnd().split('\n')
  const panic = lines.findIndex((line) => /^(panic|fatal error): /.test(line))
  return `: ${(panic < 0 ? lines.slice(-3) : lines.slice(panic, panic + panicLines)).join(' ')}`
}

const panicLines = 12

/** User and system time of a process, from the kernel's clock ticks (100 per second). */
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
