import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { defaultRelease, withFeatureGates } from '../../src/api/releases/release-of.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { must } from '../../src/base/result.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createResourceClaimController } from '../../src/controllers/resource-claim/controller.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createRunDriver } from '../../src/runtime/run-driver.ts'
import { createScheduler } from '../../src/scheduler/scheduler.ts'
import type { Store } from '../../src/store/contract.ts'
import { openStore } from '../../src/store/journal/open-store.ts'
import { createStore } from '../../src/store/memory-store.ts'
import type { BenchContext, Suite } from '../suite.ts'
import { WorkloadRun } from '../workloads/run-workload.ts'
import { PodWatch, type Throughput } from '../workloads/throughput.ts'
import { readWorkloads, type Workload } from '../workloads/workload-file.ts'

/** kube-scheduler v1.36.4 on a similar 2-core machine, in pods/s at 5,000 nodes. */
const peerRates: Readonly<Record<string, number>> = {
  SchedulingBasic: 218,
  Unschedulable: 199,
  PreemptionAsync: 149,
  TopologySpreading: 87,
  SchedulingPodAntiAffinity: 72,
  SchedulingPodAffinity: 36,
  SchedulingWithResourceClaimTemplate: 42,
}

export const suite: Suite = {
  name: 'scheduler',
  summary: "upstream's scheduler_perf workloads on the embedded control plane, with real binding",
  run: async (context) => {
    const { folder, only, label, stores, warm } = parseArguments(context)
    const all = readWorkloads(folder)
    const chosen = all.filter(
      ({ name, labels }) =>
        (only === undefined || name === only || name.startsWith(`${only}/`)) &&
        (label === undefined || labels.includes(label)),
    )
    if (chosen.length === 0) {
      const names = all.map(({ name }) => name).join('\n  ')
      throw new Error(`no workload is called ${only ?? `anything with the label ${label}`}; there are:\n  ${names}`)
    }
    const rows: (readonly (string | number)[])[] = []
    const failed: string[] = []
    for (const workload of chosen) {
      try {
        if (warm) await throughputsOf({ seed: context.seed, progress: () => {} }, workload, createStore())
        for (const on of stores) rows.push(...(await measure(context, workload, on)))
      } catch (error) {
        failed.push(workload.name)
        context.progress(`  ${workload.name} failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    context.table(
      'SchedulingThroughput, average',
      ['workload', 'store', 'pods', 'seconds', 'pods/s', 'per CPU second', 'peer', 'times'],
      rows,
    )
  },
}

async function measure(
  context: BenchContext,
  workload: Workload,
  on: 'memory' | 'durable',
): Promise<(readonly (string | number)[])[]> {
  context.progress(`${workload.name}, ${on}`)
  const folder = on === 'durable' ? mkdtempSync(join(tmpdir(), 'berth-bench-')) : undefined
  const durable = folder === undefined ? undefined : await openStore({ dir: folder })
  try {
    return await measureOn(context, workload, on, durable ?? createStore())
  } finally {
    await durable?.close()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a workload on a control plane that consists of the registry in the process and the scheduler. */
export async function throughputsOf(
  context: Pick<BenchContext, 'seed' | 'progress'>,
  workload: Workload,
  store: Store,
): Promise<readonly Throughput[]> {
  const clock = new RealClock()
  const random = createRandom(context.seed)
  // As in upstream's harness: priorities are numbers, and no controller removes the taint of new nodes.
  const release = releaseFor(workload)
  const options = { release, disabledAdmission: ['ServiceAccount', 'TaintNodesByCondition', 'Priority'] }
  const client = createInProcessClient(createRegistry({ store, clock, random, options }))
  const pods = new PodWatch(() => performance.now())
  const crashes: unknown[] = []
  const driver = createRunDriver({
    client,
    clock,
    random,
    controllers: [createScheduler({ release }), ...(usesClaims(workload) ? [createResourceClaimController()] : [])],
    // As in the embedded control plane.
    maxInFlight: 512,
    onCrash: (_, error) => crashes.push(error),
  })
  driver.onChanges((changes) => pods.take(changes))
  driver.start()
  await driver.synced()
  const call = (one: Parameters<typeof client.call>[0]) => {
    if (crashes.length > 0) throw crashes[0]
    return client.call(one)
  }
  const results = await new WorkloadRun(workload, {
    pods,
    call,
    progress: (line) => context.progress(`  ${line}`),
  }).run()
  await driver.stop()
  return results
}

/** The gates of a workload, without gates that the release no longer has. */
function releaseFor({ featureGates = {} }: Workload): KubernetesRelease {
  const known = Object.entries(featureGates).filter(([name]) => Object.hasOwn(defaultRelease.featureGates, name))
  const changed = known.filter(([name, on]) => defaultRelease.gates.has(name) !== on)
  return must(withFeatureGates(defaultRelease, new Map(changed)))
}

/** A controller creates claims from templates, as in upstream's harness. */
function usesClaims({ operations }: Workload): boolean {
  return operations.some(({ opcode }) => opcode === 'createResourceDriver')
}

async function measureOn(
  context: BenchContext,
  workload: Workload,
  on: string,
  store: Store,
): Promise<(readonly (string | number)[])[]> {
  const results = await throughputsOf(context, workload, store)
  const peer = peerRates[workload.name.split('/')[0] ?? '']
  return results.map(({ pods: count, seconds, average, cpuSeconds }) => {
    context.record({
      name: `${workload.name}, ${on}`,
      value: average,
      unit: 'pods/s',
      ...(peer === undefined ? {} : { aim: 50 * peer, beside: { what: 'kube-scheduler', value: peer } }),
    })
    const times = peer === undefined ? '' : (average / peer).toFixed(1)
    return [
      workload.name,
      on,
      count,
      seconds.toFixed(2),
      Math.round(average),
      Math.round(count / cpuSeconds),
      peer ?? '',
      times,
    ]
  })
}

interface Wanted {
  readonly folder: string
  readonly only?: string
  readonly label?: string
  readonly stores: readonly ('memory' | 'durable')[]
  /** Runs each workload once in memory before it is measured, so that its code is compiled. */
  readonly warm: boolean
}

function parseArguments({ args, full }: BenchContext): Wanted {
  const value = (flag: string): string | undefined => {
    const at = args.indexOf(flag)
    if (at >= 0) return args[at + 1]
    return args.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1)
  }
  const folder = value('--workloads') ?? 'bench/workloads/own'
  const only = value('--workload')
  const label = value('--label') ?? (only === undefined ? (full ? 'performance' : 'short') : undefined)
  const stores = full || args.includes('--durable') ? (['memory', 'durable'] as const) : (['memory'] as const)
  const warm = args.includes('--warm')
  return { folder, stores, warm, ...(only === undefined ? {} : { only }), ...(label === undefined ? {} : { label }) }
}
