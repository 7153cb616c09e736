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
import type { PlannedStep } from '../../src/whatif/step.ts'
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

async function measure(context: BenchContext, folder: string): Promise<void> {
  const [nodes, pods] = context.args.includes('--small') ? [500, 10_000] : [5_000, 100_000]
  context.progress(`making a cluster of ${nodes} nodes and ${pods} pods`)
  const { snapshot, dump } = writeFiles(folder, nodes, pods)
  const ports = realPorts()
  const load = await context.time(() => readFrom(snapshot, ports))
  const memoryAfterLoad = process.memoryUsage().heapUsed
  const found = load.value
  const taint = await context.time(() => {
    const nodesTarget = { kind: 'names', names: ['node-0001'] } as const
    return answer(
      found,
      [plan({ kind: 'taint', nodes: nodesTarget, taint: { key: 'gone', effect: 'NoExecute' } })],
      HOUR_MS,
    )
  })
  const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const
  const outage = await context.time(() => answer(found, [plan({ kind: 'silence', nodes: zone })], HOUR_MS))
  const peak = process.resourceUsage().maxRSS / 1024
  const rows = [
    { name: 'load snapshot', value: load.ms / 1000, unit: 's', aim: 5, note: `${mib(snapshot)} MiB` },
    { name: 'answer to a taint', value: taint.ms / 1000, unit: 's', aim: 2, note: taint.value.lines[0] ?? '' },
    {
      name: 'an hour after a silent zone',
      value: outage.ms / 1000,
      unit: 's',
      aim: 10,
      note: outage.value.lines[0] ?? '',
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
    const other = await context.time(() => readFrom(dump, ports))
    rows.push({
      name: 'load kubectl dump',
      value: other.ms / 1000,
      unit: 's',
      aim: Number.NaN,
      note: `${mib(dump)} MiB`,
    })
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

function answer(found: Found, steps: readonly PlannedStep[], untilMs: number) {
  const rehearsal = new Rehearsal({
    title: 'bench',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: found.cluster,
    create: [],
    steps,
    untilMs,
    expect: [],
    without: found.without,
  })
  return buildForecast(rehearsal.finish()).answer
}

function writeFiles(folder: string, nodes: number, pods: number) {
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
