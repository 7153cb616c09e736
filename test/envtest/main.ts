// Runs suites of other projects, unmodified, with the executables of `berth envtest`, and prints passed and failed by
// package. Needs Go; the modules are downloaded. `npm run test:envtest -- [--suite NAME] [PACKAGE…]`; with
// KUBEBUILDER_ASSETS=DIR, the executables in that folder are used, for a comparison with the real ones.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { folderOf, kustomized, unpack } from './go-module.ts'
import { type EnvtestSuite, suites } from './suites.ts'

const assets = process.env['KUBEBUILDER_ASSETS'] ?? resolve('bin/envtest')

function copyCrds(suite: EnvtestSuite): void {
  const cwd = folderOf(suite)
  for (const { module, from, to } of suite.copied ?? []) {
    if (existsSync(join(cwd, to))) continue
    const listed = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd, encoding: 'utf8' })
    if (listed.status !== 0) throw new Error(`go list ${module}: ${listed.stderr}`)
    cpSync(join(listed.stdout.trim(), from), join(cwd, to), { recursive: true })
  }
}

function kustomize(suite: EnvtestSuite): void {
  if (suite.kustomized === undefined) return
  const { from, to } = suite.kustomized
  const file = join(folderOf(suite), to)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, kustomized(suite, from))
}

interface Count {
  readonly passed: number
  readonly failed: number
}

const colors = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** Specs of Ginkgo, and tests of Go that are not one of its suites. */
function countIn(output: string): Count {
  let passed = 0
  let failed = 0
  for (const [, ok, wrong] of output.replace(colors, '').matchAll(/(\d+) Passed \| (\d+) Failed/g)) {
    passed += Number(ok)
    failed += Number(wrong)
    // Go reports the suite as a test that passed or failed.
    if (wrong === '0') passed--
    else failed--
  }
  for (const [, verdict] of output.matchAll(/^--- (PASS|FAIL): /gm)) {
    if (verdict === 'PASS') passed++
    else failed++
  }
  // The package does not compile, or its control plane did not start.
  if (passed + failed === 0) failed++
  return { passed, failed }
}

function run(suite: EnvtestSuite, name: string): Count {
  const cwd = folderOf(suite)
  const { controllers } = suite
  const chosen = controllers === undefined ? {} : { BERTH_CONTROLLERS: controllers }
  const env = { ...process.env, ...chosen, KUBEBUILDER_ASSETS: assets }
  // Vet would check every package that the suite imports.
  const args = ['test', '-v', '-vet=off', '-count=1', '-timeout=20m', `./${name}/`]
  const { stdout, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const output = `${stdout}${stderr}`
  writeFileSync(join(cwd, `${name.replaceAll('/', '-')}.log`), output)
  return countIn(output)
}

const line = (name: string, { passed, failed }: Count): string =>
  `${name.padEnd(48)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`

function runSuite(suite: EnvtestSuite, only: readonly string[]): Count {
  unpack(suite)
  kustomize(suite)
  copyCrds(suite)
  let passed = 0
  let failed = 0
  for (const name of only.length === 0 ? suite.packages : only) {
    const count = run(suite, name)
    passed += count.passed
    failed += count.failed
    process.stdout.write(`${line(`${suite.name} ${name}`, count)}\n`)
  }
  process.stdout.write(`${line(`${suite.name} ${suite.version}`, { passed, failed })} (output in ${folderOf(suite)})\n`)
  return { passed, failed }
}

const { values, positionals } = parseArgs({ options: { suite: { type: 'string' } }, allowPositionals: true })
const chosen = suites.filter(({ name }) => values.suite === undefined || name === values.suite)
if (chosen.length === 0) {
  process.stderr.write(`no suite ${values.suite}; known are ${suites.map(({ name }) => name).join(', ')}\n`)
  process.exitCode = 2
} else if (spawnSync('go', ['version']).status !== 0) {
  process.stdout.write('skipped: Go is not installed\n')
} else {
  const failed = chosen.reduce((sum, suite) => sum + runSuite(suite, positionals).failed, 0)
  if (failed > 0) process.exitCode = 1
}
