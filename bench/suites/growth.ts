// How cost grows with size: the same work on clusters of different sizes, with plots. Measures CPU time instead of elapsed time,
// so that other load on the machine has little effect.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFrom } from '../../src/cli/cluster-input.ts'
import { realPorts } from '../../src/cli/ports.ts'
import { createStore } from '../../src/store/memory-store.ts'
import type { Step } from '../../src/whatif/scenario/step.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'
import { type Plot, type PlotLine, svgPlot } from '../svg-plot.ts'
import { readWorkloads, type Workload } from '../workloads/workload-file.ts'
import { pod, startServer } from './apiserver.ts'
import { requestText } from './raw-https.ts'
import { throughputsOf } from './scheduler.ts'
import { answerAlone, silence, taint, writeFiles } from './whatif.ts'

const parts: Readonly<Record<string, (context: BenchContext) => Promise<void>>> = { scheduler, apiserver, whatif }

/** `npm run bench -- growth [--part scheduler|apiserver|whatif] [--full]` */
export const suite: Suite = {
  name: 'growth',
  summary: 'how cost grows: scheduler by nodes, API server by objects, what-if by pods; with plots',
  run: async (context) => {
    const only = context.part
    if (only !== undefined && parts[only] === undefined)
      throw new Error(`unknown part ${only}; the parts are ${Object.keys(parts).join(', ')}`)
    for (const [name, part] of Object.entries(parts)) if (only === undefined || only === name) await part(context)
  },
}

/** The measured values for each size, per line of the plot. */
class Growth {
  private readonly context: BenchContext
  private readonly lines = new Map<string, { x: number; y: number }[]>()

  constructor(context: BenchContext) {
    this.context = context
  }

  add(name: string, x: number, y: number, unit: string): void {
    const points = this.lines.get(name) ?? []
    points.push({ x, y })
    this.lines.set(name, points)
    this.context.progress(`${name} at ${formatNumber(x)}: ${formatNumber(y)} ${unit}`)
    this.context.record({ name: `${name}, ${x}`, value: y, unit, detail: true })
  }

  /** Prints the table and draws the plot: into bench/plots with --full, beside the other results without. */
  finish(file: string, plot: Omit<Plot, 'lines' | 'note'>, of: (name: string) => boolean = () => true): void {
    const { machine, commit, full, table } = this.context
    const lines: PlotLine[] = [...this.lines].filter(([name]) => of(name)).map(([name, points]) => ({ name, points }))
    const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
    table(
      `${plot.title}: ${plot.y}`,
      [plot.x, ...sizes.map((size) => formatNumber(size))],
      lines.map(({ name, points }) => [name, ...sizes.map((size) => points.find(({ x }) => x === size)?.y ?? '')]),
    )
    const folder = full ? 'bench/plots' : 'bench/results'
    mkdirSync(folder, { recursive: true })
    const note = `${commit.replace(/-dirty$/, '')}, ${machine.cores} × ${machine.cpu}, Node ${machine.node}`
    writeFileSync(join(folder, `${file}.svg`), svgPlot({ ...plot, lines, note }))
    this.context.progress(`drawn: ${join(folder, `${file}.svg`)}`)
  }
}

async function scheduler(context: BenchContext): Promise<void> {
  const growth = new Growth(context)
  const all = readWorkloads('bench/workloads/own')
  const measured = context.full ? 5_000 : 1_000
  for (const name of ['SchedulingBasic', 'TopologySpreading', 'SchedulingPodAffinity', 'SchedulingPodAntiAffinity']) {
    const model = all.find((workload) => workload.name.startsWith(`${name}/`))
    if (model === undefined) throw new Error(`there is no workload ${name}`)
    for (const nodes of context.full ? [100, 500, 1_000, 5_000, 15_000] : [100, 500, 1_000, 5_000]) {
      // A hundred nodes must have room during the measurement: forty pods each, or one pod with anti-affinity.
      const isApart = name === 'SchedulingPodAntiAffinity'
      const workload: Workload = {
        ...model,
        name: `${name}/${nodes}Nodes`,
        params: {
          ...model.params,
          nodes,
          initPods: Math.min(1_000, isApart ? nodes / 5 : nodes),
          measurePods: Math.min(measured, isApart ? nodes / 2 : nodes * 20),
        },
      }
      growth.add(name, nodes, await cpuOfOnePod(context.seed, workload), 'µs')
    }
  }
  const title = 'Scheduling a pod, from its creation to its binding'
  growth.finish('scheduler', { title, x: 'nodes', y: 'µs of CPU for one pod' })
}

/** Microseconds. Small workloads are repeated until the time is long enough; the first run, which includes compilation, is not counted. */
async function cpuOfOnePod(seed: string, workload: Workload): Promise<number> {
  let pods = 0
  let cpuSeconds = 0
  for (let run = 0; run < 20 && pods < 2_000; run++) {
    const [result] = await throughputsOf({ seed, progress: () => {} }, workload, createStore())
    if (result === undefined) throw new Error(`${workload.name} measures nothing`)
    const isFirst = run === 0
    pods += isFirst ? 0 : result.pods
    cpuSeconds += isFirst ? 0 : result.cpuSeconds
  }
  return (cpuSeconds * 1e6) / pods
}

async function apiserver(context: BenchContext): Promise<void> {
  const growth = new Growth(context)
  const server = await startServer('ephemeral')
  try {
    const path = '/api/v1/namespaces/default/pods'
    const used = async (count: number, text: (i: number) => string, expected: number) => {
      const before = server.cpuMs()
      await server.send(count, text, expected)
      return ((server.cpuMs() - before) * 1000) / count
    }
    const create = (i: number) =>
      requestText(
        'POST',
        path,
        pod(`p-${i}`, () => 'registry.example/app:1'),
      )
    // Compiles the code before the measurement.
    await server.send(
      1_000,
      (i) =>
        requestText(
          'POST',
          path,
          pod(`warm-${i}`, () => 'registry.example/app:1'),
        ),
      201,
    )
    await server.send(2_000, (i) => requestText('GET', `${path}/warm-${i % 1_000}`), 200)
    let made = 0
    for (const objects of context.full ? [1_000, 3_000, 10_000, 30_000, 100_000] : [1_000, 3_000, 10_000]) {
      // Only the last creates are timed: by then the number of objects is about the nominal one.
      const timed = Math.min(1_000, objects - made)
      const from = made
      await server.send(objects - from - timed, (i) => create(from + i), 201)
      growth.add('create', objects, await used(timed, (i) => create(objects - timed + i), 201), 'µs')
      made = objects
      const read = (i: number) => requestText('GET', `${path}/p-${(i * 7919) % objects}`)
      growth.add('read', objects, await used(2_000, read, 200), 'µs')
      growth.add(
        'list a page of 500',
        objects,
        await used(32, () => requestText('GET', `${path}?limit=500`), 200),
        'µs',
      )
      const lists = Math.max(1, Math.round(20_000 / objects))
      growth.add(
        'list all, per object',
        objects,
        (await used(lists, () => requestText('GET', path), 200)) / objects,
        'µs',
      )
      growth.add('memory', objects, server.megabytes(), 'MB')
    }
  } finally {
    await server.stop()
  }
  const isMemory = (name: string) => name === 'memory'
  const x = 'objects in the store'
  growth.finish(
    'apiserver',
    { title: 'One request to the API server, over HTTPS', x, y: 'µs of CPU' },
    (name) => !isMemory(name),
  )
  growth.finish('apiserver-memory', { title: 'Memory of the API server', x, y: 'MB' }, isMemory)
}

const questions: Readonly<Record<string, Step>> = { 'taint one node': taint, 'an hour without a zone': silence }

async function whatif(context: BenchContext): Promise<void> {
  const growth = new Growth(context)
  const sizes = context.full ? [1_000, 5_000, 20_000, 50_000, 100_000, 150_000] : [1_000, 5_000, 20_000]
  for (const [at, pods] of [sizes[0] ?? 1_000, ...sizes].entries()) {
    // The first run includes compilation.
    const isCounted = at > 0
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
    try {
      const { snapshot } = writeFiles(folder, Math.max(50, pods / 20), pods)
      const load = await cpuSeconds(() => readFrom(snapshot, realPorts()))
      if (isCounted) growth.add('load the snapshot', pods, load.seconds, 's')
      for (const [name, step] of Object.entries(questions)) {
        const { seconds } = await cpuSeconds(async () => answerAlone(load.value, step))
        if (isCounted) growth.add(name, pods, seconds, 's')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  growth.finish('whatif', { title: 'What-if, 20 pods on a node', x: 'pods', y: 's of CPU' })
}

async function cpuSeconds<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, seconds: (user + system) / 1e6 }
}
