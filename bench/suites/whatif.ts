import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readFrom } from '../../src/cli/cluster-input.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { buildForecast } from '../../src/whatif/build-forecast.ts'
import type { Found } from '../../src/whatif/found-cluster.ts'
import { plan } from '../../src/whatif/question.ts'
import { Rehearsal } from '../../src/whatif/rehearsal.ts'
import { endLine, headerLine } from '../../src/whatif/snapshot-lines.ts'
import type { Step } from '../../src/whatif/step.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'
import { clusterObjects, TAKEN_AT_MS } from '../workloads/large-cluster.ts'

const HOUR_MS = 3_600_000

export const suite: Suite = {
  name: 'whatif',
  summary: 'a snapshot of a large cluster: loading it, the answer to a taint, the hour after a zone goes silent',
  run: async (context) => {
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

/** `--small` and `--medium` are for seeing quickly whether a change helps; the aims are for the size without either. */
function sizeOf({ args }: BenchContext): readonly [nodes: number, pods: number] {
  if (args.includes('--small')) return [500, 10_000]
  return args.includes('--medium') ? [1_000, 20_000] : [5_000, 100_000]
}

async function measure(context: BenchContext, folder: string): Promise<void> {
  const [nodes, pods] = sizeOf(context)
  context.progress(`making a cluster of ${nodes} nodes and ${pods} pods`)
  const { snapshot, dump } = writeFiles(folder, nodes, pods)
  const ports = realPorts()
  const load = await timed(context, 'loading the snapshot', () => readFrom(snapshot, ports))
  const memoryAfterLoad = process.memoryUsage().heapUsed
  const found = load.value
  const ask = (name: string, step: Step) => timed(context, name, () => answer(found, step, context.progress))
  const tainted = await ask('the answer to a taint', taint)
  const outage = await ask('an hour after a zone goes silent', silence)
  const peak = process.resourceUsage().maxRSS / 1024
  const rows = [
    { name: 'load snapshot', value: load.seconds, unit: 's', aim: 5, note: `${load.cpu}, ${mib(snapshot)} MiB` },
    {
      name: 'answer to a taint',
      value: tainted.seconds,
      unit: 's',
      aim: 2,
      note: `${tainted.cpu}, ${tainted.value.lines[0] ?? ''}`,
    },
    {
      name: 'an hour after a silent zone',
      value: outage.seconds,
      unit: 's',
      aim: 10,
      note: `${outage.cpu}, ${outage.value.lines[0] ?? ''}`,
    },
    {
      name: 'peak memory',
      value: peak,
      unit: 'MiB',
      aim: 2048,
      note: `${formatNumber(memoryAfterLoad / 2 ** 20)} MiB of heap after loading`,
    },
  ]
  if (context.full) {
    const other = await timed(context, 'loading a kubectl dump', () => readFrom(dump, ports))
    const note = `${other.cpu}, ${mib(dump)} MiB`
    rows.push({ name: 'load kubectl dump', value: other.seconds, unit: 's', aim: Number.NaN, note })
  }
  for (const { aim, ...row } of rows) context.record({ ...row, ...(Number.isNaN(aim) ? {} : { aim }) })
  context.table(
    `${nodes} nodes, ${pods} pods`,
    ['', 'measured', 'unit', 'aim', 'what'],
    rows.map(({ name, value, unit, aim, note }) => [name, value, unit, Number.isNaN(aim) ? '–' : aim, note]),
  )
}

function mib(file: string): string {
  return formatNumber(statSync(file).size / 2 ** 20)
}

/** With the processor time, which says more than the clock on a machine that others use too. */
async function timed<T>(context: BenchContext, name: string, work: () => T | Promise<T>) {
  const before = process.cpuUsage()
  const { value, ms } = await context.time(work)
  const { user, system } = process.cpuUsage(before)
  const seconds = ms / 1000
  const cpu = `${formatNumber((user + system) / 1e6)} s of CPU`
  context.progress(`${name}: ${formatNumber(seconds)} s, ${cpu}`)
  return { value, seconds, cpu }
}

const REPORT_EVERY_MS = 2_000

export function answer(found: Found, step: Step, progress: (line: string) => void) {
  const rehearsal = new Rehearsal({
    title: 'bench',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: found.cluster,
    create: [],
    steps: [plan(step)],
    untilMs: HOUR_MS,
    expect: [],
    without: found.without,
  })
  let reportedAt = performance.now()
  while (rehearsal.proceed(100)) {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) continue
    reportedAt = performance.now()
    progress(
      `  ${formatNumber(rehearsal.elapsedMs / 60_000)} virtual minutes, ${rehearsal.chronicle.facts.length} facts`,
    )
  }
  return buildForecast(rehearsal).answer
}

export function writeFiles(folder: string, nodes: number, pods: number) {
  const counts: Record<string, number> = {}
  const lines = [headerLine(TAKEN_AT_MS, false)]
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
