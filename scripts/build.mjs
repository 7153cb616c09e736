// Bundles with esbuild: the package into dist/, and single TypeScript programs into a cache, to run them.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build as esbuild } from 'esbuild'
import { buildDescriptions } from './descriptions.mjs'

const commandEntries = {
  cli: 'src/cli/main.ts',
  'search-worker': 'src/cli/search-worker.ts',
  'survival-worker': 'src/cli/survival-worker.ts',
  'webhook-worker': 'src/cli/webhook-worker.ts',
}
const libraryEntries = {
  index: 'src/index.ts',
  matchers: 'src/matchers/matchers.ts',
  vitest: 'src/matchers/vitest.ts',
  jest: 'src/matchers/jest.ts',
}

/**
 * Builds the stale parts of dist/ and returns their names. Without `clean`, chunks of earlier builds stay, because a running
 * process may still import them.
 */
export async function buildPackage(root, { clean = false } = {}) {
  const dist = join(root, 'dist')
  if (clean) rmSync(dist, { recursive: true, force: true })
  const stampFile = join(dist, '.stamp.json')
  const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {}
  const built = []

  const code = hashTree(root, ['src', 'package.json', 'scripts/build.mjs'])
  if (stamp.code !== code) {
    writeOutputs(await bundle(root, { ...commandEntries, ...libraryEntries }, 'dist'))
    // Another address for each build: a process that builds again loads the new code.
    const { outlines } = await import(`${pathToFileURL(join(dist, 'cli.js'))}?${code}`)
    const contents = gzipSync(JSON.stringify(await outlines()), { level: 9 })
    writeOutputs([{ path: join(dist, 'commands.json.gz'), contents }])
    stamp.code = code
    built.push('built dist/')
  }

  const descriptions = hashTree(root, ['node_modules/kubernetes-models/package.json', 'scripts/descriptions.mjs'])
  if (stamp.descriptions !== descriptions) {
    buildDescriptions(root, join(dist, 'descriptions.json.gz'))
    stamp.descriptions = descriptions
    built.push('built dist/descriptions.json.gz')
  }

  if (existsSync(join(root, 'web/vite.config.ts'))) {
    const console = hashTree(root, ['web', 'src/api', 'package.json', 'scripts/build.mjs'])
    if (stamp.console !== console) {
      await buildPages(root)
      stamp.console = console
      built.push('built dist/console/, dist/report/ and dist/export/')
    }
  }

  if (built.length > 0) writeFileSync(stampFile, JSON.stringify(stamp))
  return built
}

/** The console, and the code of the two pages that open from disk: entry points for the same components. */
async function buildPages(root) {
  const vite = await import('vite')
  for (const [config, folder] of [
    ['web/vite.config.ts', 'dist/console'],
    ['web/vite.report.config.ts', 'dist/report'],
    ['web/vite.export.config.ts', 'dist/export'],
  ]) {
    await vite.build({
      root: join(root, 'web'),
      configFile: join(root, config),
      logLevel: 'warn',
      build: { outDir: join(root, folder), emptyOutDir: true },
    })
    compressFolder(join(root, folder))
  }
}

/** The package stays small, and the console serves these files compressed. */
function compressFolder(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name)
    if (!/\.(js|css)$/.test(path)) continue
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
    rmSync(path)
  }
}

/**
 * Bundles one TypeScript program and returns the JavaScript file. The folder is named by its content and moved into place
 * atomically, so that several processes can do this at the same time.
 */
export async function bundleTypeScript(root, entry) {
  const cache = join(root, 'node_modules/.cache/berth')
  const slug = entry.replace(/\.ts$/, '').replaceAll(/[^a-z0-9]+/gi, '-')
  const outputs = await bundle(root, { main: entry }, 'node_modules/.cache/berth/bundle')
  const hash = createHash('sha256')
  for (const file of outputs) hash.update(file.path).update(file.contents)
  const folder = join(cache, `${slug}-${hash.digest('hex').slice(0, 16)}`)
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`
    writeOutputs(outputs.map((file) => ({ ...file, path: join(draft, relative(join(cache, 'bundle'), file.path)) })))
    try {
      renameSync(draft, folder)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (!existsSync(folder)) throw error
    }
    forgetOldBundles(cache, slug, folder)
  }
  return join(folder, 'main.js')
}

/** The command with its packages, except those with native code. Modules of packages may call `require`. */
export async function bundleForOneFile(root) {
  return bundle(root, { ...commandEntries, index: libraryEntries.index }, 'dist', {
    packages: 'bundle',
    external: ['lmdb', 'esbuild'],
    sourcemap: false,
    banner: {
      js: "import { createRequire as berthRequire } from 'node:module'; const require = berthRequire(import.meta.url);",
    },
  })
}

async function bundle(root, entryPoints, outdir, more = {}) {
  const result = await esbuild({
    absWorkingDir: root,
    entryPoints,
    outdir,
    entryNames: '[name]',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    // Keeps the package small, and positions in stack traces useful.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    write: false,
    logLevel: 'warning',
    ...more,
  })
  return result.outputFiles.map(({ path, contents }) => ({ path, contents }))
}

/** Writes entry points last, so that the chunks of a new entry point already exist. */
function writeOutputs(files) {
  const isChunk = (path) => basename(dirname(path)) === 'chunks'
  for (const { path, contents } of [...files].sort((a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)))) {
    mkdirSync(dirname(path), { recursive: true })
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, contents)
    renameSync(draft, path)
  }
}

function forgetOldBundles(cache, slug, keep) {
  const dayMs = 24 * 60 * 60 * 1000
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name)
    if (!name.startsWith(`${slug}-`) || folder === keep) continue
    const madeAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
    if (madeAt !== undefined && Date.now() - madeAt > dayMs) rmSync(folder, { recursive: true, force: true })
  }
}

/** A hash of names and contents, so that a checkout or a touched file does not count as a change. */
function hashTree(root, paths) {
  const hash = createHash('sha256')
  const visit = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`)
    } else if (!path.endsWith('.test.ts')) {
      hash.update(`${path}\0`).update(readFileSync(join(root, path)))
    }
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}
