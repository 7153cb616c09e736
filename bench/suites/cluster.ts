import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCondition } from '../../src/api/conditions.ts'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Deployment } from '../../src/api/objects/workloads.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import { formatNumber, type Suite } from '../suite.ts'

/** `berth up` as users start it: API server, scheduler, controllers and hollow nodes in one process. */
export const suite: Suite = {
  name: 'cluster',
  summary:
    'berth up: a large deployment until all pods run, memory per node and pod, CPU at rest; createCluster() in fresh processes',
  run: async (context) => {
    const rows: (readonly (string | number)[])[] = []
    const say = (name: string, value: number, unit: string, aim?: number) => {
      rows.push([name, `${formatNumber(value)} ${unit}`])
      context.record({ name, value, unit, ...(aim === undefined ? {} : { aim }) })
    }
    context.progress('createCluster() in fresh processes')
    const starts = Array.from({ length: 9 }, startOnce)
    say('createCluster(), the first of a process', median(starts.map(({ first }) => first)), 'ms', 50)
    say('createCluster(), another one', median(starts.map(({ another }) => another)), 'ms')
    say('import of the package', median(starts.map(({ imported }) => imported)), 'ms')
    const nodes = 1000
    const replicas = context.full ? 10_000 : 5000
    for (const storage of ['ephemeral', 'durable'] as const) {
      const cluster = await up(nodes, storage)
      const emptyMb = cluster.megabytes()
      context.progress(`${storage}: ${replicas} replicas on ${nodes} nodes`)
      const ms = await cluster.deploy(replicas)
      say(`${storage}: ${replicas} pods from apply to Running, ${nodes} nodes`, (replicas / ms) * 1000, 'pods/s')
      say(`${storage}: memory, ${nodes} nodes`, emptyMb, 'MB')
      say(`${storage}: memory, ${nodes} nodes and ${replicas} pods`, cluster.megabytes(), 'MB')
      await cluster.stop()
    }
    const many = context.full ? 5000 : 2000
    const atRest = context.full ? 50_000 : 0
    const cluster = await up(many, 'ephemeral')
    if (atRest > 0) {
      context.progress(`${atRest} pods on ${many} nodes`)
      await cluster.deploy(atRest)
    }
    context.progress(`${many} nodes and ${atRest} pods at rest`)
    await new Promise((done) => setTimeout(done, 15_000))
    // Longer than the grace period, after which a node that is not ready is lost.
    const restMs = context.full ? 60_000 : 20_000
    const before = cluster.cpuMs()
    await new Promise((done) => setTimeout(done, restMs))
    const share = ((cluster.cpuMs() - before) / restMs) * 100
    const what = `${many} nodes${atRest === 0 ? '' : ` and ${atRest} pods`}`
    const lost = await cluster.notReady()
    say(`CPU at rest, ${what}, Leases renewed every 10 s`, share, '% of one core')
    say(`memory at rest, ${what}`, cluster.megabytes(), 'MB')
    say(`nodes that are not ready, of ${many}`, lost, 'nodes', 0)
    await cluster.stop()
    context.table('berth up', ['what', 'measured'], rows)
  },
}

/** The cost for a test file: a new process without compiled code. */
function startOnce(): { readonly imported: number; readonly first: number; readonly another: number } {
  const program = `
    const times = [performance.now()]
    const { createCluster } = await import('./dist/index.js')
    times.push(performance.now())
    for (let i = 0; i < 2; i++) {
      await createCluster({ nodes: 3 })
      times.push(performance.now())
    }
    console.log(JSON.stringify(times))`
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const [begun = 0, loaded = 0, made = 0, again = 0] = JSON.parse(said) as readonly number[]
  return { imported: loaded - begun, first: made - loaded, another: again - made }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

async function up(nodes: number, storage: 'ephemeral' | 'durable') {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  const dataDir = join(folder, 'cluster')
  const flags = storage === 'ephemeral' ? ['--ephemeral'] : []
  const child = spawn(
    process.execPath,
    [
      'bin/berth',
      'up',
      '--port',
      '0',
      '--nodes',
      String(nodes),
      '--node-shape',
      'cpu=32,memory=128Gi,zones=3',
      '--data-dir',
      dataDir,
      '--cluster-cidr',
      '10.0.0.0/8',
      ...flags,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('Ctrl-C') && resolve())
    child.once('exit', (code) => reject(new Error(`berth up ended with ${code}`)))
  })
  const access = await loadAccess({ kubeconfig: join(dataDir, 'kubeconfig') }, Date.now)
  const client = createHttpClient({ access, clock: new RealClock(), random: createRandom('bench').stream('watch') })
  const ready = async () => {
    const listed = await client.call({ verb: 'list', resource: 'nodes', limit: 1 })
    return listed.ok && listed.kind === 'list' ? listed.items.length + (listed.remainingItemCount ?? 0) : 0
  }
  while ((await ready()) < nodes) await new Promise((next) => setTimeout(next, 100))
  return {
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    cpuMs: () => cpuMs(child),
    notReady: async (): Promise<number> => {
      const listed = await client.call({ verb: 'list', resource: 'nodes' })
      if (!listed.ok || listed.kind !== 'list') throw new Error('nodes cannot be listed')
      return listed.items.filter((node) => findCondition((node as Node).status?.conditions, 'Ready')?.status !== 'True')
        .length
    },
    deploy: async (replicas: number): Promise<number> => {
      const labels = { app: 'big' }
      const spec = {
        containers: [
          { name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu: '100m', memory: '128Mi' } } },
        ],
      }
      const object = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'big', namespace: 'default' },
        spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      }
      const startedAt = process.hrtime.bigint()
      const created = await client.call({
        verb: 'create',
        resource: 'deployments.apps',
        namespace: 'default',
        object: object as KubeObject,
      })
      if (!created.ok) throw new Error(created.status.message)
      for (;;) {
        const found = await client.call({
          verb: 'get',
          resource: 'deployments.apps',
          namespace: 'default',
          name: 'big',
        })
        const readyReplicas =
          found.ok && found.kind === 'object' ? ((found.object as Deployment).status?.readyReplicas ?? 0) : 0
        if (readyReplicas === replicas) return Number(process.hrtime.bigint() - startedAt) / 1e6
        await new Promise((next) => setTimeout(next, 50))
      }
    },
    stop: async () => {
      client.close()
      child.kill('SIGTERM')
      await new Promise((ended) => child.on('exit', ended))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function cpuMs(child: ChildProcess): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
