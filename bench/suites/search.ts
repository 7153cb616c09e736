import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../src/api/objects/meta.ts'
import { runCase } from '../../src/search/run-case.ts'
import { createSearchBase, type SearchBase } from '../../src/search/search-base.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'
import { clusterObjects } from '../workloads/large-cluster.ts'

export const suite: Suite = {
  name: 'search',
  summary: 'berth search: forecasts of the hour after a node fails per minute, and all pairs of failures of 100 nodes',
  run: async (context) => {
    await measureCase(context)
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
    try {
      await measureCommand(context, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

const document = {
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'Scenario',
  until: '1h',
  hollow: { pack: 'forecast' },
  expect: { workloadsAvailable: true, noPodPending: { for: '10m' }, noPodStuck: true, noLoop: true },
} as unknown as JsonObject

const nodeName = (number: number) => `node-${String(number).padStart(4, '0')}`

/** One thread, because its CPU time is comparable on a machine with other load. */
async function measureCase(context: BenchContext): Promise<void> {
  const input = { document, objects: [...clusterObjects(300, 4500)], seed: context.seed }
  const { value: base, ms: loadMs } = await context.time(() => createSearchBase(input))
  const cases = context.full ? 200 : 60
  await runCases(base, 20)
  const before = process.cpuUsage()
  const { ms } = await context.time(() => runCases(base, cases))
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1000 / cases
  const rows = [
    { name: 'search: load 300 nodes, 4,500 pods', value: loadMs, unit: 'ms', note: 'with the run without a fault' },
    {
      name: 'search: a case',
      value: ms / cases,
      unit: 'ms',
      note: `${formatNumber(cpuMs)} ms of CPU; an hour after a node fails`,
    },
    { name: 'search: cases per minute of CPU', value: 60_000 / cpuMs, unit: 'cases', aim: 500, note: 'one core' },
  ]
  for (const row of rows) context.record(row)
  context.table(
    'one thread',
    ['', 'measured', 'unit', 'what'],
    rows.map(({ name, value, unit, note }) => [name, value, unit, note]),
  )
}

async function runCases(base: SearchBase, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await runCase(base, [{ at: '0s', fail: { node: nodeName(at % 300) } } as unknown as JsonObject])
  }
}

const faults = {
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'FaultModel',
  most: 2,
  faults: [{ fault: 'node-fails', limit: 2 }],
}

/** The command, with one thread per core: the single failures of 300 nodes, and with --full all pairs of 100. */
async function measureCommand(context: BenchContext, folder: string): Promise<void> {
  const model = join(folder, 'faults.json')
  writeFileSync(model, JSON.stringify(faults))
  const measured = [await runCommand({ folder, model, nodes: 300, pods: 4500, cases: 300 })]
  if (context.full) measured.push(await runCommand({ folder, model, nodes: 100, pods: 1500, cases: 10_000 }))
  const rows = measured.map(({ nodes, seconds, cpuSeconds, explored }, at) => ({
    name: at === 0 ? 'search: cases per minute, all cores' : 'search: all pairs of 100 nodes',
    value: at === 0 ? (60 * explored) / seconds : seconds,
    unit: at === 0 ? 'cases' : 's',
    aim: at === 0 ? 1000 : 600,
    note: `${explored} cases on ${nodes} nodes in ${formatNumber(seconds)} s, with start and load; ${formatNumber(cpuSeconds)} s of CPU`,
  }))
  for (const row of rows) context.record(row)
  context.table(
    'berth search',
    ['', 'measured', 'unit', 'aim', 'what'],
    rows.map(({ name, value, unit, aim, note }) => [name, value, unit, aim, note]),
  )
}

interface CommandRun {
  readonly folder: string
  readonly model: string
  readonly nodes: number
  readonly pods: number
  readonly cases: number
}

async function runCommand({ folder, model, nodes, pods, cases }: CommandRun) {
  const dump = join(folder, `dump-${nodes}.json`)
  writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...clusterObjects(nodes, pods)] }))
  const startedAt = performance.now()
  // The second failure at the same time only.
  const words = [
    'search',
    '--from',
    dump,
    '--faults',
    model,
    '--certify',
    '--step',
    '1h',
    '--budget',
    '1h',
    '--cases',
    `${cases}`,
    '-o',
    'json',
  ]
  // The shell prints the CPU time of its children, which is comparable on a machine with other load.
  const child = spawn('sh', ['-c', '"$@"; times >&2', 'sh', 'bin/berth', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [text, times] = ['', '']
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    times += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  const { explored } = JSON.parse(text) as { explored: number }
  return { nodes, explored, seconds: (performance.now() - startedAt) / 1000, cpuSeconds: cpuSecondsOf(times) }
}

/** The last line of `times`: user and system time of the children, as in 1m2.5s. */
function cpuSecondsOf(times: string): number {
  const parts = (times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)
  let sum = 0
  for (const [, minutes, seconds] of parts) sum += 60 * Number(minutes) + Number(seconds)
  return sum
}
