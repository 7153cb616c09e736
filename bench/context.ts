import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type BenchContext,
  formatNumber,
  type Machine,
  type Measurement,
  type MeasureOptions,
  type ResultRow,
  type SuiteResult,
} from './suite.ts'

export interface BenchOptions {
  readonly full: boolean
  readonly seed: string
  readonly part?: string
  readonly args: readonly string[]
}

/** A context for one suite, and a function that writes the numbers to bench/results/ at the end. */
export function createContext(suite: string, options: BenchOptions): { context: BenchContext; finish: () => string } {
  const startedAt = new Date()
  const rows: ResultRow[] = []
  const machine = describeMachine()
  const commit = describeCommit()
  const context: BenchContext = {
    ...options,
    machine,
    commit,
    progress: (line) => void process.stderr.write(`  ${line}\n`),
    measure: async (wanted) => {
      context.progress(wanted.name)
      const measurement = await measure(wanted)
      rows.push({
        name: wanted.name,
        value: measurement.perSecond,
        unit: `${measurement.unit}/s`,
        ...(wanted.aimPerSecond === undefined ? {} : { aim: wanted.aimPerSecond }),
        ...(wanted.limit === undefined ? {} : { beside: { what: wanted.limit.name, value: wanted.limit.perSecond } }),
      })
      return measurement
    },
    time: async (work) => {
      const from = performance.now()
      const value = await work()
      return { value, ms: performance.now() - from }
    },
    memoryOf: async (make) => {
      const before = settledMemory()
      const value = await make()
      return { value, bytes: settledMemory() - before }
    },
    record: (row) => void rows.push(row),
    table: (title, header, body) => void process.stdout.write(`\n${title}\n${alignColumns([header, ...body])}`),
  }
  const finish = () => {
    const result: SuiteResult = {
      suite,
      commit,
      startedAt: startedAt.toISOString(),
      seed: options.seed,
      full: options.full,
      machine,
      rows,
    }
    mkdirSync('bench/results', { recursive: true })
    const file = `bench/results/${suite}-${startedAt.toISOString().replaceAll(/[:.]/g, '-')}.json`
    writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
    return file
  }
  return { context, finish }
}

async function measure<Input>(options: MeasureOptions<Input>): Promise<Measurement> {
  const { amount = 1, unit = 'run', minMs = 500, minRuns = 5 } = options
  const once = async () => {
    const input = options.setup?.() as Input
    const from = performance.now()
    const result = options.work(input)
    // Awaits only promises, because every other await would add a turn of the event loop to a short run.
    if (result instanceof Promise) await result
    return performance.now() - from
  }
  // The first run includes compilation.
  await once()
  const times: number[] = []
  for (let total = 0; times.length < minRuns || total < minMs; ) {
    const ms = await once()
    times.push(ms)
    total += ms
  }
  times.sort((a, b) => a - b)
  const medianMs = times[Math.floor(times.length / 2)]!
  return {
    name: options.name,
    unit,
    runs: times.length,
    medianMs,
    minMs: times[0]!,
    p99Ms: times[Math.min(times.length - 1, Math.floor(times.length * 0.99))]!,
    perSecond: (amount / medianMs) * 1000,
  }
}

let collectGarbage: (() => void) | undefined

function settledMemory(): number {
  if (collectGarbage === undefined) {
    setFlagsFromString('--expose-gc')
    collectGarbage = runInNewContext('gc') as () => void
  }
  collectGarbage()
  collectGarbage()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + Math.max(external, arrayBuffers)
}

function describeMachine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
}

function describeCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}

/** Aligns the first column left and numbers right. */
function alignColumns(lines: readonly (readonly (string | number)[])[]): string {
  const texts = lines.map((line) => line.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell)))
  const width = (at: number) => Math.max(...texts.map((line) => (line[at] ?? '').length))
  return texts
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at)))).join('   '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
