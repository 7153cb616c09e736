// Runs the suites of controller-runtime, unmodified, with the executables of `berth envtest`, and prints passed and failed
// by package. Needs Go; the module is downloaded. Arguments: packages (default: those that start a control plane).
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const version = 'v0.24.1'
const module = `sigs.k8s.io/controller-runtime@${version}`
const packages = [
  'builder',
  'cache',
  'client',
  'client/apiutil',
  'cluster',
  'controller',
  'controller/controllerutil',
  'envtest',
  'handler',
  'internal/controller',
  'internal/recorder',
  'internal/testing/controlplane',
  'manager',
  'metrics/filters',
  'source',
  'webhook',
]

const cache = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'berth-cluster',
  `controller-runtime-${version}`,
)
const assets = process.env['KUBEBUILDER_ASSETS'] ?? resolve('bin/envtest')

/** The module itself is read-only, and its suites write files. */
function unpack(): void {
  if (existsSync(join(cache, 'go.mod'))) return
  const listed = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(`go mod download ${module}: ${listed.stderr}`)
  const { Dir } = JSON.parse(listed.stdout) as { readonly Dir: string }
  mkdirSync(cache, { recursive: true })
  cpSync(Dir, cache, { recursive: true })
  spawnSync('chmod', ['-R', 'u+w', cache])
  // The module does not say which of its files are programs.
  spawnSync('find', [cache, '-name', '*.sh', '-exec', 'chmod', '+x', '{}', '+'])
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
  return { passed, failed }
}

function run(name: string): Count {
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets }
  const args = ['test', '-v', '-count=1', `./pkg/${name}/`]
  const { stdout, stderr } = spawnSync('go', args, { cwd: cache, env, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const output = `${stdout}${stderr}`
  writeFileSync(join(cache, `${name.replaceAll('/', '-')}.log`), output)
  return countIn(output)
}

if (spawnSync('go', ['version']).status !== 0) {
  process.stdout.write('skipped: Go is not installed\n')
} else {
  unpack()
  const wanted = process.argv.slice(2)
  let failed = 0
  let passed = 0
  for (const name of wanted.length === 0 ? packages : wanted) {
    const count = run(name)
    passed += count.passed
    failed += count.failed
    process.stdout.write(
      `${name.padEnd(32)} ${String(count.passed).padStart(5)} passed ${String(count.failed).padStart(4)} failed\n`,
    )
  }
  process.stdout.write(
    `${'all'.padEnd(32)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed (output in ${cache})\n`,
  )
  if (failed > 0) process.exitCode = 1
}
