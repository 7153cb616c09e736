// Every npm script starts here, so that a fresh clone needs only Node: installs the packages of the lockfile if they are
// missing, builds what is stale, and runs the job. Plain JavaScript without dependencies, because it runs before they exist.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (...parts) => join(root, ...parts)
const require = createRequire(import.meta.url)

const jobs = {
  start: async (args) => (await build()) || node([at('bin/berth'), 'up', '--demo', ...args]),
  // A broken build fails the job, but the tests still run.
  test: async (args) => Math.max(await build(), await vitest(args)),
  'test:cluster': async (args) => (await build()) || cluster(args),
  'test:console': async (args) => (await build()) || vitest(['--config', 'vitest.console.config.ts', ...args]),
  typecheck: () => typecheck(),
  lint: (args) => node([at('node_modules/@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', ...args]),
  // --single: also the command as one file.
  build: async (args) => (await build({ clean: true })) || (args.includes('--single') ? singleFile() : 0),
  check: () => check(),
  pack: async () => (await build({ clean: true })) || declarations(),
  // For tests: the types of the package in another folder.
  declarations: ([folder]) => declarations(folder),
  conformance: (args) => runTypeScript('test/conformance/main.ts', args),
  robustness: async (args) => (await build()) || runTypeScript('test/robustness/main.ts', args),
  'test:envtest': async (args) => (await build()) || runTypeScript('test/envtest/main.ts', args),
  'test:e2e': async (args) => (await build()) || runTypeScript('test/e2e/main.ts', args),
  bench: (args) => runTypeScript('bench/main.ts', args),
  generate: (args) => generate(args),
  // Real components and a real autoscaler, in real time; see test/traces/README.md.
  record: (args) => runTypeScript('test/cluster/recordings/record.ts', args),
  swarm: (args) => runTypeScript('test/swarm/main.ts', args),
  budgets: async (args) => (await build()) || runTypeScript('test/budgets/main.ts', args),
}

async function main([job, ...args]) {
  if (job === undefined || !Object.hasOwn(jobs, job)) {
    return fail(`there is no job '${job ?? ''}'; the jobs are ${Object.keys(jobs).join(', ')}`)
  }
  return (await install()) || jobs[job](args)
}

/** Installs the packages of the lockfile, unless node_modules is up to date. */
async function install() {
  const lock = readFileSync(at('package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  const stamp = at('node_modules/.berth-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return 0
  if (!installedAsLocked(JSON.parse(lock.toString()))) {
    say('installing dependencies from package-lock.json')
    // Not `npm ci`: it refuses a lockfile without the optional packages of other platforms. With --no-save npm also installs
    // the locked versions and does not change the lockfile.
    // No package needs its install script: native code is in prebuilt optional packages.
    const code = await npm(['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
    if (code !== 0) return fail('the installation failed: the first run needs the npm registry, later ones do not')
  }
  writeFileSync(stamp, hash)
  return 0
}

/** Detects a node_modules that was installed with npm directly, by the hidden lockfile in it. */
function installedAsLocked(lock) {
  const hidden = at('node_modules/.package-lock.json')
  if (!existsSync(hidden)) return false
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages
  return Object.entries(lock.packages).every(
    ([path, wanted]) => path === '' || wanted.optional || installed[path]?.version === wanted.version,
  )
}

async function build(options = {}) {
  const { buildPackage } = await import('./build.mjs')
  try {
    for (const line of await buildPackage(root, options)) say(line)
    return 0
  } catch (error) {
    return fail(error.errors === undefined ? error.message : 'the build failed, see above')
  }
}

async function singleFile() {
  const { buildSingleFile } = await import('./single-file.mjs')
  say(`built ${await buildSingleFile(root)}`)
  return 0
}

async function runTypeScript(entry, args) {
  if (!existsSync(at(entry))) return fail(`${entry} does not exist yet`)
  const { bundleTypeScript } = await import('./build.mjs')
  try {
    return await node(['--enable-source-maps', await bundleTypeScript(root, entry), ...args])
  } catch (error) {
    return fail(error.errors === undefined ? error.message : `${entry} could not be bundled, see above`)
  }
}

async function typecheck() {
  const web = existsSync(at('web/tsconfig.json')) ? await tsc(['--noEmit', '-p', 'web/tsconfig.json']) : 0
  return (await tsc(['--noEmit', '-p', 'tsconfig.json'])) || web
}

/** All steps of CI. Every step runs even if an earlier one failed, so that one run shows all failures. */
async function check() {
  const steps = { typecheck: [], lint: [], test: [], build: [] }
  const failed = []
  for (const [step, args] of Object.entries(steps)) {
    say(`check: ${step}`)
    if ((await jobs[step](args)) !== 0) failed.push(step)
  }
  return failed.length === 0 ? 0 : fail(`check failed: ${failed.join(', ')}`)
}

/** Writes the tables of a Kubernetes release from the sources of that release. Needs Go. */
function generate(args) {
  return run('go', ['run', '-C', at('scripts/generate'), '.', '--into', at('src/api/releases'), ...args], {})
}

/** The types of the package, in `folder`. */
async function declarations(folder = at('dist/types')) {
  const code = await tsc(['-p', 'tsconfig.types.json', '--outDir', folder])
  if (code !== 0) return code
  const { pruneDeclarations } = await import('./prune-declarations.mjs')
  const { exports } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace('./dist/types/', '')],
  )
  pruneDeclarations(folder, entries)
  return 0
}

/** Suites that need a real cluster or a browser have their own configurations, so that `npm test` does not need them. */
function vitest(args) {
  return node([at('node_modules/vitest/vitest.mjs'), 'run', ...args])
}

/** `--release 1.34` selects the release of the real components and of berth. */
function cluster(args) {
  const at = args.indexOf('--release')
  if (at >= 0) process.env.BERTH_CLUSTER_RELEASE = args[at + 1] ?? ''
  const rest = at < 0 ? args : args.toSpliced(at, 2)
  return vitest(['--config', 'vitest.cluster.config.ts', ...rest])
}

function tsc(args) {
  return node([join(dirname(require.resolve('typescript/package.json')), 'bin/tsc'), ...args])
}

function npm(args) {
  const script = process.env.npm_execpath
  return script?.endsWith('.js')
    ? node([script, ...args])
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { shell: process.platform === 'win32' })
}

function node(args) {
  return run(process.execPath, args, {})
}

function run(command, args, options) {
  const env = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env, ...options })
  const forward = (signal) => {
    // A terminal sends Ctrl-C to the whole process group; forwarding it would send it twice.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  return new Promise((resolve) => {
    const done = (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward)
      resolve(code)
    }
    child.on('error', (error) => done(fail(`${command}: ${error.message}`)))
    child.on('exit', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function fail(line) {
  say(`bootstrap: ${line}`)
  return 1
}

process.exitCode = await main(process.argv.slice(2))
