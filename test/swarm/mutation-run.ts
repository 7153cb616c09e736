import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Mutation, mutations } from './mutations.ts'

export interface MutationOptions {
  /** Stories per mutation. */
  readonly runs: number
  /** Part of the name of mutations. */
  readonly only: string | undefined
}

/** Applies the mutations one by one to a bundle of the swarm, and reports which of them it finds. */
export async function testMutations({ runs, only }: MutationOptions): Promise<number> {
  const root = rootOf()
  const folder = join(root, `node_modules/.cache/berth-mutations-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const chosen = mutations.filter(({ name }) => only === undefined || name.includes(only))
  let found = 0
  try {
    for (const [at, mutation] of chosen.entries()) {
      const file = join(folder, `${at}.mjs`)
      await bundleMutated(root, mutation, file)
      const said = await runBundle(file, runs, mutation.part)
      if (said !== undefined) found++
      console.log(
        `${said === undefined ? 'NOT FOUND' : 'found'}: ${mutation.name}${said === undefined ? '' : ` (${said})`}`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const share = Math.round((100 * found) / Math.max(1, chosen.length))
  console.log(`${found} of ${chosen.length} mutations found within ${runs} stories each (${share}%)`)
  return share >= 95 ? 0 : 1
}

/** The bundle is in the cache of the project, or this file is in its folder. */
function rootOf(): string {
  const here = fileURLToPath(new URL('.', import.meta.url))
  return here.includes('/node_modules/') ? here.slice(0, here.indexOf('/node_modules/')) : join(here, '../..')
}

async function bundleMutated(root: string, { edits }: Mutation, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['test/swarm/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutation',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const edit = edits.find(({ file }) => path === join(root, file))
            if (edit === undefined) return undefined
            return { contents: mutated(readFileSync(path, 'utf8'), edit.search, edit.replace), loader: 'ts' }
          })
        },
      },
    ],
  })
}

export function mutated(text: string, search: string, replace: string): string {
  if (text.split(search).length !== 2) throw new Error(`must occur once: ${search}`)
  return text.replace(search, () => replace)
}

/** A story takes about one second of CPU time. A run that takes more than this limit never ends. */
const mostCpuSecondsPerRun = 5

/**
 * The broken invariant; undefined if all stories keep all invariants. A run without an end counts as found: the CPU time is
 * limited and not the time, because other work on the machine must not look like a bug.
 */
function runBundle(file: string, runs: number, part: string): Promise<string | undefined> {
  const limited = `ulimit -t ${runs * mostCpuSecondsPerRun} && exec "$@"`
  const swarm = [process.execPath, file, '--runs', String(runs), '--only', part, '--no-shrink']
  const child = spawn('sh', ['-c', limited, 'swarm', ...swarm], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  // A run that waits forever uses no CPU time.
  const timer = setTimeout(() => child.kill(), runs * 120_000)
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      clearTimeout(timer)
      const line = text.split('\n').find((one) => one.startsWith('seed '))
      if (code === 0) resolve(undefined)
      else if (code === 1) resolve((line ?? 'the swarm crashes').slice(0, 140))
      else if (code === null) resolve('no end')
      else reject(new Error(`the swarm ended with ${code}: ${text.slice(-500)}`))
    })
  })
}
