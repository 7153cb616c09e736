// Runs suites of other projects, unmodified, with the executables of `berth envtest`, and prints passed and failed by
// package. Needs Go; the modules are downloaded. `npm run test:envtest -- [--suite NAME] [PACKAGE…]`; with
// KUBEBUILDER_ASSETS=DIR, the executables in that folder are used, for a comparison with the real ones.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

interface Suite {
  readonly name: string
  readonly module: string
  readonly version: string
  /** Its packages that start a control plane, by their path. */
  readonly packages: readonly string[]
  /** A file that its own build makes with kustomize, and the folder that it is made from. */
  readonly kustomized?: { readonly from: string; readonly to: string }
  /** Folders of CRDs that its own build copies from the modules it needs. */
  readonly copied?: readonly { readonly module: string; readonly from: string; readonly to: string }[]
  /** The controllers beside the API server; none is envtest exactly. Absent: those that run by default. */
  readonly controllers?: string
}

const suites: readonly Suite[] = [
  {
    name: 'controller-runtime',
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.24.1',
    packages: [
      'pkg/builder',
      'pkg/cache',
      'pkg/client',
      'pkg/client/apiutil',
      'pkg/cluster',
      'pkg/controller',
      'pkg/controller/controllerutil',
      'pkg/envtest',
      'pkg/handler',
      'pkg/internal/controller',
      'pkg/internal/recorder',
      'pkg/internal/testing/controlplane',
      'pkg/manager',
      'pkg/manager/internal/integration',
      'pkg/metrics/filters',
      'pkg/reconcile',
      'pkg/source',
      'pkg/webhook',
    ],
  },
  {
    name: 'jobset',
    module: 'sigs.k8s.io/jobset',
    version: 'v0.10.1',
    // Its specs remove the finalizers of deleted Jobs themselves.
    controllers: '',
    packages: ['test/integration/controller', 'test/integration/webhook'],
  },
  {
    name: 'karpenter',
    module: 'sigs.k8s.io/karpenter',
    version: 'v1.14.1',
    controllers: '',
    packages: [
      'pkg/apis/v1',
      'pkg/apis/v1alpha1',
      'pkg/controllers/node/health',
      'pkg/controllers/node/hydration',
      'pkg/controllers/node/termination',
      'pkg/controllers/nodeclaim/consistency',
      'pkg/controllers/nodeclaim/expiration',
      'pkg/controllers/nodeclaim/garbagecollection',
      'pkg/controllers/nodeclaim/lifecycle',
      'pkg/controllers/nodepool/counter',
      'pkg/controllers/nodepool/readiness',
      'pkg/controllers/nodepool/validation',
      'pkg/controllers/static/provisioning',
      'pkg/utils/node',
      'pkg/utils/pdb',
      'pkg/utils/pod',
    ],
  },
  {
    name: 'kueue',
    module: 'sigs.k8s.io/kueue',
    version: 'v0.19.2',
    controllers: '',
    kustomized: { from: 'config/components/crd', to: 'config/components/crd/_output/crds-with-webhooks.yaml' },
    copied: [{ module: 'sigs.k8s.io/jobset', from: 'config/components/crd/bases', to: 'dep-crds/jobset-operator' }],
    // Those that need CRDs of no other project than JobSet.
    packages: [
      'controller/concurrentadmission',
      'controller/core',
      'controller/dra',
      'controller/failurerecovery',
      'controller/jobframework/setup',
      'controller/jobs/job',
      'controller/jobs/jobset',
      'controller/jobs/pod',
      'controller/jobs/statefulset',
      'conversion',
      'scheduler',
      'scheduler/delayedadmission',
      'scheduler/excluderesources',
      'scheduler/fairsharing',
      'scheduler/inadmissible',
      'scheduler/podsready',
      'scheduler/quotacheckstrategy',
      'scheduler/resourcetransformations',
      'webhook/core',
    ].map((name) => `test/integration/singlecluster/${name}`),
  },
]

const cacheOf = ({ name, version }: Suite): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth-cluster', `${name}-${version}`)
const assets = process.env['KUBEBUILDER_ASSETS'] ?? resolve('bin/envtest')

/** The module itself is read-only, and its suites write files. */
function unpack(suite: Suite): void {
  const cache = cacheOf(suite)
  if (existsSync(join(cache, 'go.mod'))) return
  const wanted = `${suite.module}@${suite.version}`
  const listed = spawnSync('go', ['mod', 'download', '-json', wanted], { encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(`go mod download ${wanted}: ${listed.stderr}`)
  const { Dir } = JSON.parse(listed.stdout) as { readonly Dir: string }
  mkdirSync(cache, { recursive: true })
  cpSync(Dir, cache, { recursive: true })
  spawnSync('chmod', ['-R', 'u+w', cache])
  // The module does not say which of its files are programs.
  spawnSync('find', [cache, '-name', '*.sh', '-exec', 'chmod', '+x', '{}', '+'])
}

function copyCrds(suite: Suite): void {
  const cwd = cacheOf(suite)
  for (const { module, from, to } of suite.copied ?? []) {
    if (existsSync(join(cwd, to))) continue
    const listed = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd, encoding: 'utf8' })
    if (listed.status !== 0) throw new Error(`go list ${module}: ${listed.stderr}`)
    cpSync(join(listed.stdout.trim(), from), join(cwd, to), { recursive: true })
  }
}

function kustomize(suite: Suite): void {
  if (suite.kustomized === undefined) return
  const { from, to } = suite.kustomized
  const file = join(cacheOf(suite), to)
  if (existsSync(file)) return
  const made = spawnSync('kubectl', ['kustomize', join(cacheOf(suite), from)], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (made.status !== 0) throw new Error(`kubectl kustomize ${from}: ${made.stderr}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, made.stdout)
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

function run(suite: Suite, name: string): Count {
  const cwd = cacheOf(suite)
  const { controllers } = suite
  const chosen = controllers === undefined ? {} : { BERTH_CONTROLLERS: controllers }
  const env = { ...process.env, ...chosen, KUBEBUILDER_ASSETS: assets }
  const args = ['test', '-v', '-count=1', '-timeout=20m', `./${name}/`]
  const { stdout, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const output = `${stdout}${stderr}`
  writeFileSync(join(cwd, `${name.replaceAll('/', '-')}.log`), output)
  return countIn(output)
}

const line = (name: string, { passed, failed }: Count): string =>
  `${name.padEnd(48)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`

function runSuite(suite: Suite, only: readonly string[]): Count {
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
  process.stdout.write(`${line(`${suite.name} ${suite.version}`, { passed, failed })} (output in ${cacheOf(suite)})\n`)
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
