import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Autoscaling } from '../../src/autoscalers/autoscaling.ts'
import { readFrom } from '../../src/cli/cluster-input.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { buildForecast } from '../../src/whatif/report/build-forecast.ts'
import { ForecastRun } from '../../src/whatif/run/forecast-run.ts'
import { baselineOf, type ForecastPlan } from '../../src/whatif/scenario/forecast-plan.ts'
import { plannedStep } from '../../src/whatif/scenario/question.ts'
import type { Step } from '../../src/whatif/scenario/step.ts'
import type { ClusterInput } from '../../src/whatif/snapshot/found-cluster.ts'
import { endLine, headerLine } from '../../src/whatif/snapshot/snapshot-lines.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'
import { clusterObjects, takenAtMs } from '../workloads/large-cluster.ts'
import { askCommands } from './whatif-commands.ts'

const hourMs = 3_600_000

export const suite: Suite = {
  name: 'whatif',
  summary: 'a snapshot of a large cluster: loading it, the answer to a taint, the hour after a zone becomes silent',
  run: async (context) => {
    const part = parts.find((name) => context.args.includes(`--part=${name}`))
    if (part !== undefined) return runPart(context, part)
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
    try {
      await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

export const taint: Step = {
  kind: 'taint',
  nodes: { kind: 'names', names: ['node-0001'] },
  taint: { key: 'gone', effect: 'NoExecute' },
}

export const silence: Step = {
  kind: 'silence',
  nodes: { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' },
}

/** `--small` and `--medium` quickly show whether a change helps; the targets are for the default size. */
function sizeOf({ args }: BenchContext): readonly [nodes: number, pods: number] {
  if (args.includes('--small')) return [500, 10_000]
  return args.includes('--medium') ? [1_000, 20_000] : [5_000, 100_000]
}

/** A user reads either a snapshot or a dump, so each is measured in a separate process. */
const parts = ['snapshot', 'dump'] as const
type Part = (typeof parts)[number]

interface Stage {
  readonly name: string
  readonly seconds: number
  readonly cpuSeconds: number
  readonly answer?: string
  /** The peak memory of the process so far, and its heap after garbage collection. */
  readonly peakMiB: number
  readonly heapMiB: number
}

const aims: Readonly<Record<string, number>> = {
  'load snapshot': 5,
  'answer to a taint, with its baseline': 3,
  'an hour after a silent zone': 10,
}

async function measure(context: BenchContext, folder: string): Promise<void> {
  const [nodes, pods] = sizeOf(context)
  context.progress(`making a cluster of ${nodes} nodes and ${pods} pods`)
  const files = writeFiles(folder, nodes, pods)
  const rows: { name: string; value: number; unit: string; aim?: number; note: string }[] = []
  for (const part of context.full ? parts : parts.slice(0, 1)) {
    const stages = await runApart(part, files[part])
    for (const { name, seconds, cpuSeconds, answer = `${mib(files[part])} MiB`, peakMiB } of stages) {
      const aim = aims[name]
      const note = `${formatNumber(cpuSeconds)} s of CPU, ${formatNumber(peakMiB)} MiB at most so far, ${answer}`
      rows.push({ name, value: seconds, unit: 's', ...(aim === undefined ? {} : { aim }), note })
    }
    const heaps = stages.map(({ heapMiB }) => formatNumber(heapMiB)).join(', ')
    rows.push({
      name: part === 'snapshot' ? 'peak memory' : 'peak memory of the dump',
      value: Math.max(...stages.map(({ peakMiB }) => peakMiB)),
      unit: 'MiB',
      ...(part === 'snapshot' ? { aim: 2048 } : {}),
      note: `of the process that did the above and nothing else; heap after each: ${heaps} MiB`,
    })
  }
  if (context.full) rows.push(...(await askCommands(context, files.snapshot)))
  for (const row of rows) context.record(row)
  context.table(
    `${nodes} nodes, ${pods} pods`,
    ['', 'measured', 'unit', 'aim', 'what'],
    rows.map(({ name, value, unit, aim, note }) => [name, value, unit, aim ?? '–', note]),
  )
}

function runApart(part: Part, file: string): Promise<readonly Stage[]> {
  const words = [process.argv[1] as string, 'whatif', `--part=${part}`, `--file=${file}`]
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const stages: Stage[] = []
  child.on('message', (stage) => stages.push(stage as Stage))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(stages)
      else reject(new Error(`the process for the ${part} ended with ${code}`))
    })
  })
}

/** Runs in a separate process and sends the result to its parent. */
async function runPart(context: BenchContext, part: Part): Promise<never> {
  const file = context.args.find((word) => word.startsWith('--file='))?.slice('--file='.length) ?? ''
  const found = await stage(context, `load ${part === 'dump' ? 'kubectl dump' : part}`, () =>
    readFrom(file, realPorts()),
  )
  if (part === 'snapshot') {
    const ask = (name: string, step: Step) =>
      stage(
        context,
        name,
        () => answer(found, step, context.progress),
        ({ lines }) => lines[0] ?? '',
      )
    await ask('answer to a taint, with its baseline', taint)
    await stage(context, 'an hour after a silent zone', () => playPlan(planOf(found, silence), context.progress))
  }
  process.exit(0)
}

/** Includes the CPU time, which is more reliable than elapsed time on a machine with other load. */
async function stage<T>(
  context: BenchContext,
  name: string,
  work: () => T | Promise<T>,
  said?: (value: T) => string,
): Promise<T> {
  const before = process.cpuUsage()
  const { value, ms } = await context.time(work)
  const { user, system } = process.cpuUsage(before)
  const done: Stage = {
    name,
    seconds: ms / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
    ...(said === undefined ? {} : { answer: said(value) }),
  }
  const { seconds, cpuSeconds, peakMiB } = done
  context.progress(
    `${name}: ${formatNumber(seconds)} s, ${formatNumber(cpuSeconds)} s of CPU, ${formatNumber(peakMiB)} MiB at most so far`,
  )
  await new Promise<void>((resolve) => process.send?.(done, () => resolve()))
  return value
}

function mib(file: string): string {
  return formatNumber(statSync(file).size / 2 ** 20)
}

const reportEveryMs = 2_000

function planOf(found: ClusterInput, step: Step): ForecastPlan {
  return {
    title: 'bench',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: found.cluster,
    create: [],
    steps: [plannedStep(step)],
    untilMs: hourMs,
    expect: [],
    without: found.without,
  }
}

/** The work of `berth whatif` after it has read the cluster: the run, its baseline, and the forecast. */
export function answer(found: ClusterInput, step: Step, progress: (line: string) => void) {
  const plan = planOf(found, step)
  const forecastRun = playPlan(plan, progress)
  const baseline = playPlan(baselineOf(plan, forecastRun.elapsedMs), progress)
  return buildForecast(forecastRun, { baseline }).answer
}

/** The same without the baseline. */
export function answerAlone(
  found: ClusterInput,
  step: Step,
  { autoscaling, progress = () => {} }: { autoscaling?: Autoscaling; progress?: (line: string) => void } = {},
) {
  const plan = planOf(found, step)
  return buildForecast(playPlan(autoscaling === undefined ? plan : { ...plan, autoscaling }, progress)).answer
}

function playPlan(plan: ForecastPlan, progress: (line: string) => void): ForecastRun {
  const forecastRun = ForecastRun.start(plan)
  let reportedAt = performance.now()
  while (forecastRun.proceed(100)) {
    if (performance.now() - reportedAt < reportEveryMs) continue
    reportedAt = performance.now()
    progress(
      `  ${formatNumber(forecastRun.elapsedMs / 60_000)} virtual minutes, ${forecastRun.recorder.facts.length} facts`,
    )
  }
  return forecastRun
}

export function writeFiles(folder: string, nodes: number, pods: number) {
  const counts: Record<string, number> = {}
  const lines = [headerLine(takenAtMs, false)]
  const items: string[] = []
  for (const object of clusterObjects(nodes, pods)) {
    counts[object.kind ?? ''] = (counts[object.kind ?? ''] ?? 0) + 1
    const line = JSON.stringify(object)
    lines.push(`${line}\n`)
    items.push(line)
  }
  lines.push(endLine(counts, {}))
  const snapshot = join(folder, 'snapshot.jsonl.gz')
  const dump = join(folder, 'dump.json')
  writeFileSync(snapshot, gzipSync(lines.join('')))
  writeFileSync(dump, `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`)
  return { snapshot, dump }
}
