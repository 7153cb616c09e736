// Runs specs of the Kubernetes e2e suite on several `berth up` clusters side by side, and prints passed and failed by SIG.
// The suite is built from its Go module. specs.txt lists the specs, not-run.txt those that need more than hollow nodes.
// Arguments: regular expressions of specs (default: all), --failed for those that failed the last time, --clusters N,
// --workers N (processes per cluster), --output DIR for logs and the list of failed specs.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Batch, isSerial, parseListedSpecs, parseSpecNames, planBatches, type Spec } from './spec-plan.ts'
import { type SpecResult, summaryOf } from './spec-results.ts'
import { addRuntimeHandler, buildSuite, listedSpecs, missingSuite, runBatch } from './suite-process.ts'
import { startUp, type UpProcess } from './up-process.ts'

const flags = [
  '--kubernetes-version',
  '1.36',
  '--authorization-mode',
  'RBAC',
  '--stages',
  resolve('test/e2e/stages.yaml'),
]

type Role = 'serial' | 'realistic' | 'dual-stack' | 'ordinary'

/**
 * Serial specs have clusters of four nodes. Of six, a surge of 20% is two pods, and a spec expects one; and a spec about
 * preemption needs 15 seconds for each node, and has 79.
 */
const flagsOf: Readonly<Record<Role, readonly string[]>> = {
  serial: [...flags, '--nodes', '4'],
  realistic: [...flags, '--nodes', '6', '--pack', 'realistic'],
  'dual-stack': [...flags, '--nodes', '4', '--service-cluster-ip-range', '10.96.0.0/16,fd00:10:96::/112'],
  ordinary: [...flags, '--nodes', '6'],
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    failed: { type: 'boolean', default: false },
    clusters: { type: 'string', default: '4' },
    workers: { type: 'string', default: '5' },
    output: { type: 'string', default: '.berth/e2e' },
  },
})
const folder = resolve(values.output)
const failedFile = join(folder, 'failed.txt')

/** The specs of specs.txt that the arguments select, with their places in the suite. */
function wantedOf(all: readonly Spec[]): readonly Spec[] {
  const names = parseSpecNames(readFileSync(resolve('test/e2e/specs.txt'), 'utf8'))
  const failedBefore =
    values.failed && existsSync(failedFile) ? parseSpecNames(readFileSync(failedFile, 'utf8')) : undefined
  const patterns = positionals.map((text) => new RegExp(text))
  const byName = new Map(all.map((spec) => [spec.name, spec]))
  return names
    .filter((name) => failedBefore?.includes(name) ?? true)
    .filter((name) => patterns.length === 0 || patterns.some((pattern) => pattern.test(name)))
    .map((name) => {
      const spec = byName.get(name)
      if (spec === undefined) throw new Error(`specs.txt: the suite has no spec "${name}"`)
      return spec
    })
}

type Queues = Readonly<Record<Role, Batch[]>>

function queuesOf(wanted: readonly Spec[], all: readonly Spec[]): Queues {
  const realistic = parseSpecNames(readFileSync(resolve('test/e2e/realistic.txt'), 'utf8'))
  const roleOf = (spec: Spec): Role =>
    isSerial(spec)
      ? 'serial'
      : realistic.includes(spec.name)
        ? 'realistic'
        : spec.name.includes('[Feature:IPv6DualStack]')
          ? 'dual-stack'
          : 'ordinary'
  const batchesOf = (role: Role) =>
    planBatches(
      wanted.filter((spec) => roleOf(spec) === role),
      all,
      role === 'realistic' ? 1 : 4,
    )
  return {
    serial: [...batchesOf('serial')],
    realistic: [...batchesOf('realistic')],
    'dual-stack': [...batchesOf('dual-stack')],
    ordinary: [...batchesOf('ordinary')],
  }
}

/**
 * Serial specs have every second cluster for themselves, until all of them have run; one more has the realistic pace, and
 * one has two IP families.
 */
function rolesOf(queues: Queues): readonly Role[] {
  const count = Math.min(Number(values.clusters), queues.serial.length + queues.ordinary.length)
  const roles = Array.from(
    { length: count },
    (_, at): Role => (at % 2 === 0 && queues.serial.length > 0 ? 'serial' : 'ordinary'),
  )
  const special = (['realistic', 'dual-stack'] as const).filter((role) => queues[role].length > 0)
  return [...roles, ...special]
}

let batches = 0

interface Running {
  readonly role: Role
  readonly cluster: UpProcess
}

/** Retries failed specs before they count, because processes on a shared machine may be too slow. */
async function runTwice(wanted: readonly Spec[], all: readonly Spec[], running: readonly Running[]) {
  const first = await runAll(queuesOf(wanted, all), running)
  const failed = new Set(first.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name))
  if (failed.size === 0) return { results: first, again: 0 }
  process.stderr.write(`${failed.size} specs failed and are tried again\n`)
  const second = await runAll(
    queuesOf(
      wanted.filter(({ name }) => failed.has(name)),
      all,
    ),
    running,
  )
  const passed = second.filter(({ outcome }) => outcome === 'passed').length
  return { results: [...first.filter(({ name }) => !failed.has(name)), ...second], again: passed }
}

async function runAll(queues: Queues, running: readonly Running[]): Promise<readonly SpecResult[]> {
  const results: SpecResult[] = []
  const drain = async (queue: Batch[], cluster: UpProcess) => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      batches++
      const found = await runBatch(batch, cluster.kubeconfig, folder, `batch-${batches}`)
      results.push(...found)
      for (const { name, outcome, seconds } of found)
        process.stderr.write(`${outcome.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${name}\n`)
    }
  }
  const workers = Array.from({ length: Number(values.workers) })
  await Promise.all(
    running.map(async ({ role, cluster }) => {
      if (role === 'serial') await drain(queues.serial, cluster)
      const shared = queues[role === 'serial' ? 'ordinary' : role]
      await Promise.all(workers.map(() => drain(shared, cluster)))
    }),
  )
  return results
}

async function main(): Promise<number> {
  const why = missingSuite()
  if (why !== undefined) {
    process.stdout.write(`skipped: ${why}\n`)
    return 0
  }
  buildSuite()
  const started = performance.now()
  const all = parseListedSpecs(listedSpecs())
  const wanted = wantedOf(all)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const queues = queuesOf(wanted, all)
  const running = await Promise.all(
    rolesOf(queues).map(async (role, at): Promise<Running> => {
      const cluster = await startUp(join(folder, `cluster-${at + 1}`), flagsOf[role])
      addRuntimeHandler(cluster.kubeconfig)
      return { role, cluster }
    }),
  )
  const stop = () => Promise.all(running.map(({ cluster }) => cluster.stop()))
  const { results, again } = await runTwice(wanted, all, running).finally(stop)
  return report(results, again, (performance.now() - started) / 1000)
}

function report(results: readonly SpecResult[], again: number, seconds: number): number {
  const failed = results.filter(({ outcome }) => outcome !== 'passed').sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, outcome, message } of failed)
    process.stdout.write(`${outcome}: ${name}\n    ${message.slice(0, 400).replaceAll('\n', '\n    ')}\n`)
  writeFileSync(failedFile, failed.map(({ name }) => `${name}\n`).join(''))
  const elapsed = `${Math.floor(seconds / 60)}m${Math.round(seconds % 60)}s`
  for (const line of summaryOf(results, elapsed)) process.stdout.write(`${line}\n`)
  if (again > 0) process.stdout.write(`${again} of the passed specs passed on the second attempt\n`)
  return failed.length === 0 ? 0 : 1
}

process.setMaxListeners(0)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.exitCode = await main()
