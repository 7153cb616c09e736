import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import { must } from '../../../src/base/result.ts'
import { type Fact, formatTrace } from '../../../src/whatif/facts/fact.ts'
import { readScenario } from '../../../src/whatif/scenario/scenario.ts'
import type { NodeTarget, PlannedStep } from '../../../src/whatif/scenario/step.ts'
import { type Connection, connect } from '../connection.ts'
import { eventually, type RealCluster, startRealCluster } from '../real-parts.ts'
import { type RealKubelets, startKubelets } from './real-kubelets.ts'
import { startAutoscalers } from './start-autoscaler.ts'
import { watchFacts } from './watch-facts.ts'

// npm run record -- SCENARIO.json TRACE.jsonl: records the facts of a scenario on the real components and a real autoscaler, in
// real time. test/traces/README.md has the variables.

const run = promisify(execFile)
const env = (name: string): string => process.env[name] ?? ''

const controllers = [
  ...[
    'node-lifecycle',
    'taint-eviction',
    'node-ipam',
    'deployment',
    'replicaset',
    'disruption',
    'pod-garbage-collector',
  ],
]
  .map((name) => `${name}-controller`)
  .join(',')

/** The time from the start of the autoscaler to time 0. It determines the phase of the loops, and is the same in all recordings. */
const leadMs = 9_100

interface Recorded {
  readonly cluster: RealCluster
  readonly hands: Connection
  readonly kubelets: RealKubelets
}

async function main([scenarioFile = '', traceFile = '']: readonly string[]): Promise<void> {
  const document = JSON.parse(readFileSync(scenarioFile, 'utf8'))
  const scenario = must(await readScenario(document, async () => []))
  const cluster = await startRealCluster({ controllers })
  try {
    const flags = { 'allocate-node-cidrs': 'true', 'cluster-cidr': '10.200.0.0/16', ...document.config }
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
    await cluster.start('kube-controller-manager', args)
    await cluster.start('kube-scheduler')
    const hands = await connect(cluster)
    const kubelets = startKubelets(hands, document.hollow ?? {})
    const objects = document.cluster as readonly KubeObject[]
    await prepare(cluster, hands, document.autoscaling ?? {}, objects)
    const facts: Fact[] = []
    const start = Date.now()
    const watches = await watchFacts(hands, start, (fact) => facts.push(fact))
    const others = objects.filter(({ kind }) => kind !== 'Node')
    applyAll(cluster, others, 'cluster.json')
    for (const step of scenario.steps) {
      await until(start + step.atMs)
      const atMs = Date.now() - start
      facts.push({ atMs, what: 'step', about: 'Step', key: step.step.kind, uid: '', detail: step.source })
      await take(step, { cluster, hands, kubelets })
    }
    await until(start + scenario.untilMs)
    for (const watch of watches) watch.cancel()
    writeFileSync(traceFile, formatTrace(facts))
    await kubelets.stop()
    hands.close()
  } finally {
    keepLogs(cluster)
    await cluster.close()
  }
}

/** The nodes of the scenario are Ready and untainted, and the autoscaler runs. */
async function prepare(
  cluster: RealCluster,
  hands: Connection,
  autoscaling: Parameters<typeof startAutoscalers>[1],
  objects: readonly KubeObject[],
): Promise<void> {
  if (autoscaling.karpenter !== undefined)
    for (const folder of env('KARPENTER_CRDS').split(':'))
      cluster.kubectl('apply', '--server-side', '-f', resolve(folder))
  const nodes = objects.filter(({ kind }) => kind === 'Node')
  for (const node of nodes) await hands.create('nodes', node)
  await eventually(
    'all nodes are ready',
    () => hands.list<Node>('nodes'),
    (all) => all.length === nodes.length && all.every(({ spec }) => (spec?.taints ?? []).length === 0),
    60,
  )
  const programs = { karpenter: env('KARPENTER_KWOK'), clusterAutoscaler: env('CLUSTER_AUTOSCALER') }
  startAutoscalers(cluster, autoscaling, programs)
  await until(Date.now() + leadMs)
}

const until = (at: number) => new Promise((next) => setTimeout(next, Math.max(0, at - Date.now())))

function applyAll(cluster: RealCluster, objects: readonly KubeObject[], name: string): void {
  if (objects.length === 0) return
  const file = join(cluster.folder, name)
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  cluster.kubectl('apply', '-f', file)
}

function keepLogs({ folder }: RealCluster): void {
  if (env('RECORD_LOGS') === '') return
  for (const log of ['autoscaler.log', 'kube-controller-manager.log', 'kube-scheduler.log'])
    if (existsSync(join(folder, log))) copyFileSync(join(folder, log), `${env('RECORD_LOGS')}.${log}`)
}

async function take({ step }: PlannedStep, { cluster, hands, kubelets }: Recorded): Promise<void> {
  // The kubelets run in this process, so nothing here may block.
  const kubectl = (...args: readonly string[]) => run('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args])
  const namesOf = async (target: NodeTarget) => {
    if (target.kind === 'names') return target.names
    const selector = target.kind === 'selector' ? target.selector : `${target.key}=${target.value}`
    return (await hands.list<Node>('nodes', selector)).map(({ metadata }) => metadata.name)
  }
  switch (step.kind) {
    case 'scale':
      await kubectl('scale', `${step.target.kind}/${step.target.name}`, `--replicas=${step.replicas}`)
      return
    case 'apply':
      applyAll(cluster, step.objects, 'step.json')
      return
    case 'patch': {
      const target = `${step.target.kind}/${step.target.name}`
      await kubectl('patch', target, '--type=merge', '-p', JSON.stringify(step.patch))
      return
    }
    case 'delete':
      for (const { kind, name } of step.targets) await kubectl('delete', `${kind}/${name}`, '--wait=false')
      return
    case 'silence':
    case 'revive':
      kubelets[step.kind](await namesOf(step.nodes))
      return
    case 'cordon':
    case 'uncordon':
      for (const name of await namesOf(step.nodes)) await kubectl(step.kind, name)
      return
    case 'taint': {
      const { key, value, effect } = step.taint
      const text = `${key}${value === undefined ? '' : `=${value}`}:${effect}`
      for (const name of await namesOf(step.nodes)) await kubectl('taint', 'node', name, text)
      return
    }
    default:
      throw new Error(`${step.kind} cannot be recorded`)
  }
}

await main(process.argv.slice(2))
process.exit(0)
