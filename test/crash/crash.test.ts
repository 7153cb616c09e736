import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { openStore } from '../../src/store/journal/open-store.ts'
import { replay, type State, stateOf } from './workload.ts'

const kills = 30
const seed = process.env['CRASH_SEED'] ?? String(process.pid)
const folder = mkdtempSync(join(tmpdir(), 'berth-crash-'))
// Next to the packages, so that the bundle finds lmdb.
const bundles = fileURLToPath(new URL(`../../node_modules/.cache/berth-crash-${process.pid}/`, import.meta.url))
const writer = join(bundles, 'writer.mjs')

beforeAll(async () => {
  mkdirSync(bundles, { recursive: true })
  await build({
    entryPoints: [fileURLToPath(new URL('writer.ts', import.meta.url))],
    outfile: writer,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(bundles, { recursive: true, force: true })
})

interface Run {
  readonly child: ChildProcess
  /** All lines that it printed. */
  readonly lines: string[]
  readonly ended: Promise<void>
}

function start(command: string, args: readonly string[], onLine: (line: string) => void = () => {}): Run {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const errors: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    lines.push(line)
    onLine(line)
  })
  child.stderr?.on('data', (data) => errors.push(String(data)))
  // `close` is emitted after both pipes were read completely, so no output is missed.
  const ended = once(child, 'close').then(([code]) => {
    if (code !== null && code !== 0) throw new Error(`the writer ended with ${code}: ${errors.join('')}`)
  })
  return { child, lines, ended }
}

/** The highest number after a word in the output. */
function highest(lines: readonly string[], word: string): number {
  const said = lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.slice(word.length + 1)))
  return Math.max(0, ...said)
}

/** Kills a writer after some acknowledgements, or after some milliseconds, when it may not even have opened. */
async function writeAndKill(dir: string, when: { readonly acknowledgements: number } | { readonly ms: number }) {
  let heard = 0
  const run = start(process.execPath, [writer, dir], (line) => {
    if ('acknowledgements' in when && line.startsWith('ack') && ++heard === when.acknowledgements) {
      run.child.kill('SIGKILL')
    }
  })
  const timer = 'ms' in when ? setTimeout(() => run.child.kill('SIGKILL'), when.ms) : undefined
  await run.ended
  clearTimeout(timer)
  return run.lines
}

describe('a process that is killed while it writes', () => {
  it(`loses no acknowledged write and leaves no gap, ${kills} times (CRASH_SEED=${seed})`, {
    timeout: 120_000,
  }, async () => {
    const draws = createRandom(seed).stream('crash')
    const dir = join(folder, 'killed')
    const state: State = new Map()
    let revision = 0
    for (let kill = 1; kill <= kills; kill++) {
      const when = kill % 3 === 0 ? { ms: 20 + draws.int(350) } : { acknowledgements: 1 + draws.int(150) }
      const lines = await writeAndKill(dir, when)
      const told = Math.max(highest(lines, 'acknowledged'), highest(lines, 'shown'), revision)
      const store = await openStore({ dir })
      const found = { revision: store.revision, state: stateOf(store) }
      await store.close()
      const story = `CRASH_SEED=${seed}, kill ${kill}: ${told} told, ${found.revision} found`
      expect(found.revision, story).toBeGreaterThanOrEqual(told)
      // Transactions are whole, so the journal ends where one of them does.
      expect(replay(state, revision, found.revision), story).toBe(found.revision)
      expect([...found.state].sort(), story).toEqual([...state].sort())
      revision = found.revision
    }
    expect(revision).toBeGreaterThan(kills)
  })
})

describe('a process whose disk is full', () => {
  it.skipIf(process.platform === 'win32')(
    'turns read-only, says why, and keeps what it acknowledged',
    { timeout: 60_000 },
    async () => {
      const dir = join(folder, 'full')
      // The maximum file size of the process, in blocks of 512 bytes, simulates the size of the disk.
      const run = start('sh', ['-c', `ulimit -f 5000 && exec "$0" "$@"`, process.execPath, writer, dir])
      await run.ended
      const ending = run.lines.slice(-3)
      expect(ending[0]).toMatch(/^failed the journal cannot be written: .+/)
      expect(ending[1]).toMatch(/^refused read-only the journal cannot be written: /)
      expect(ending[2]).toBe('closed')
      const acknowledged = highest(run.lines, 'acknowledged')
      expect(acknowledged).toBeGreaterThan(0)
      const store = await openStore({ dir })
      const found = { revision: store.revision, state: stateOf(store) }
      await store.close()
      expect(found.revision).toBeGreaterThanOrEqual(Math.max(acknowledged, highest(run.lines, 'shown')))
      const state: State = new Map()
      expect(replay(state, 0, found.revision)).toBe(found.revision)
      expect([...found.state].sort()).toEqual([...state].sort())
    },
  )
})
