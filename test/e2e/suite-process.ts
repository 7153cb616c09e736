import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Batch } from './spec-plan.ts'
import { parseJUnit, type SpecResult } from './spec-results.ts'
import { endWithThisProcess } from './up-process.ts'

/** The release whose suite is run; test/cluster/go.mod has the same. */
const version = 'v1.36.4'
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth-cluster', version)
const program = join(cache, 'e2e.test')
/** Specs call kubectl, and expect that of their release. */
const kubectl = join(cache, 'kubectl')

/** A spec reads the version that kubectl prints, which a build without flags does not have. */
function hasKubectl(): boolean {
  if (!existsSync(kubectl)) return false
  const { stdout } = spawnSync(kubectl, ['version', '--client'], { encoding: 'utf8' })
  return stdout.includes(`Client Version: ${version}\n`)
}

/** The reason why the suite cannot run here, or undefined. */
export function missingSuite(): string | undefined {
  if (existsSync(program) && hasKubectl()) return undefined
  if (spawnSync('go', ['version']).status !== 0) return `Go is not installed, and ${cache} has no e2e.test and kubectl`
  const asked = spawnSync('go', ['mod', 'download', `k8s.io/kubernetes@${version}`], { encoding: 'utf8' })
  return asked.status === 0 ? undefined : `the Go module k8s.io/kubernetes ${version} is not available: ${asked.stderr}`
}

/** Builds the suite and kubectl from the Go module into the cache, unless they are there; the first time takes minutes. */
export function buildSuite(): void {
  if (existsSync(program) && hasKubectl()) return
  process.stderr.write(`building the e2e suite and kubectl of Kubernetes ${version} into ${cache}\n`)
  // Its own module: the suite needs more modules than test/cluster lists.
  const cwd = join(cache, 'e2e-module')
  mkdirSync(cwd, { recursive: true })
  const own = readFileSync(resolve('test/cluster/go.mod'), 'utf8')
  const replaced = own.match(/^\tk8s\.io\/\S+ => k8s\.io\/\S+ \S+$/gm) ?? []
  const text = `module berth.dev/test/e2e\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes ${version}\n\nreplace (\n${replaced.join('\n')}\n)\n`
  writeFileSync(join(cwd, 'go.mod'), text)
  writeFileSync(
    join(cwd, 'tools.go'),
    'package tools\n\nimport (\n\t_ "k8s.io/kubernetes/cmd/kubectl"\n\t_ "k8s.io/kubernetes/test/e2e"\n)\n',
  )
  const env = { ...process.env, GOFLAGS: '-mod=mod' }
  const go = (...args: readonly string[]) => execFileSync('go', args, { cwd, env, stdio: 'inherit' })
  // Vet would check each of 2,000 packages of others, which takes as long as to compile them.
  if (!existsSync(program)) go('test', '-c', '-vet=off', '-o', program, 'k8s.io/kubernetes/test/e2e')
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version) ?? []
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  if (!hasKubectl()) go('build', '-ldflags', flags.join(' '), '-o', kubectl, 'k8s.io/kubernetes/cmd/kubectl')
}

/** The nodes of the suite's own clusters have the runtime handler `test-handler`. */
export function addRuntimeHandler(kubeconfig: string): void {
  const args = ['annotate', 'nodes', '--all', 'berth.dev/runtime-handlers=test-handler']
  execFileSync(kubectl, ['--kubeconfig', kubeconfig, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The output of `--list-tests`. */
export function listedSpecs(): string {
  return execFileSync(program, ['--list-tests'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Runs the specs of a batch in one process; a spec without a report counts as failed. */
export async function runBatch(
  batch: Batch,
  kubeconfig: string,
  folder: string,
  id: string,
): Promise<readonly SpecResult[]> {
  const reports = join(folder, id)
  mkdirSync(reports, { recursive: true })
  const log = join(folder, `${id}.log`)
  const code = await run(argsOf(batch, kubeconfig, reports), log)
  const xml = readdirSync(reports).filter((file) => file.endsWith('.xml'))
  const found = new Map(
    xml.flatMap((file) => parseJUnit(readFileSync(join(reports, file), 'utf8'))).map((result) => [result.name, result]),
  )
  rmSync(reports, { recursive: true, force: true })
  return batch.specs.map(
    ({ name }) =>
      found.get(name) ?? {
        name,
        outcome: 'failed',
        seconds: 0,
        message: `no report; the suite ended with ${code}, see ${log}`,
      },
  )
}

function argsOf(batch: Batch, kubeconfig: string, reports: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectl}`,
    '--provider=skeleton',
    '--dump-logs-on-failure=false',
    `--report-dir=${reports}`,
    '--ginkgo.no-color',
    '--ginkgo.v',
    '--ginkgo.timeout=20m',
    ...batch.focusFiles.map((value) => `--ginkgo.focus-file=${value}`),
    // Without any, the suite skips all specs of optional features.
    ...(batch.skip.length === 0 ? ['^$'] : batch.skip).map((value) => `--ginkgo.skip=${value}`),
  ]
}

function run(args: readonly string[], log: string): Promise<number | string> {
  const out = openSync(log, 'w')
  const child = spawn(program, args, { stdio: ['ignore', out, out] })
  endWithThisProcess(child)
  closeSync(out)
  return new Promise((done) => {
    child.on('error', (error) => done(error.message))
    child.on('exit', (code, signal) => done(code ?? signal ?? 0))
  })
}
