import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../base/log.ts'
import { lockDirectory } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-lock-'))
const program = join(folder, 'lock.mjs')
const newDir = () => mkdtempSync(join(folder, 'dir-'))

beforeAll(async () => {
  await build({
    stdin: {
      contents: `
        import { lockDirectory } from './lock.ts'
        try {
          lockDirectory(process.argv[2])
          console.log('locked')
          setInterval(() => {}, 1000)
        } catch (error) {
          console.log(error.message)
        }`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inNamespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const canUnshare = spawnSync(inNamespace[0] as string, [...inNamespace.slice(1), 'true']).status === 0

/** Locks in another process. `said` is the first line of its output. */
async function lockElsewhere(dir: string, prefix: readonly string[] = []) {
  const args = [...prefix.slice(1), ...(prefix.length > 0 ? [process.execPath] : []), program, dir]
  const child = spawn(prefix[0] ?? process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return { said: String(line).trim(), kill }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

describe('the lock of a data directory', () => {
  it.skipIf(!canUnshare)(
    'excludes a process of another process namespace from a locked data directory (needs unshare)',
    async () => {
      const dir = newDir()
      const holder = await lockElsewhere(dir, inNamespace)
      try {
        expect(holder.said).toBe('locked')
        expect(() => lockDirectory(dir)).toThrow(`${dir} is in use by another process`)
        const other = await lockElsewhere(dir, inNamespace)
        expect(other.said).toContain(`${dir} is in use by `)
      } finally {
        await holder.kill()
      }
    },
  )

  it('releases the lock of a data directory when its process is killed', async () => {
    const dir = newDir()
    const holder = await lockElsewhere(dir)
    expect(holder.said).toBe('locked')
    expect(() => lockDirectory(dir)).toThrow(`${dir} is in use by process `)
    await holder.kill()
    lockDirectory(dir).release()
  })

  it.skipIf(process.platform !== 'linux')(
    'releases the lock of a data directory even if a child process has a copy of the file',
    async () => {
      const dir = newDir()
      const lock = lockDirectory(dir)
      const path = join(dir, 'journal.lock')
      const descriptor = readdirSync('/proc/self/fd').find((each) => targetOf(`/proc/self/fd/${each}`) === path)
      const child = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', Number(descriptor)] })
      lock.release()
      lockDirectory(dir).release()
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  )

  it('gives the lock of a data directory to one of many processes that start at the same time', async () => {
    const dir = newDir()
    const all = await Promise.all(Array.from({ length: 6 }, () => lockElsewhere(dir)))
    await Promise.all(all.map(({ kill }) => kill()))
    expect(all.map(({ said }) => said).filter((line) => line === 'locked')).toHaveLength(1)
  })

  it.skipIf(process.platform !== 'linux')(
    'uses process ids, with a warning, if the kernel cannot lock a data directory',
    async () => {
      const dir = newDir()
      const path = process.env['PATH']
      const warnings: unknown[] = []
      process.env['PATH'] = ''
      try {
        const lock = lockDirectory(dir, {
          ...silentLogger,
          warn: (fields, message) => warnings.push([fields, message]),
        })
        expect(warnings).toEqual([
          [{ dir, why: 'the flock command was not found' }, expect.stringContaining('cannot be locked by the kernel')],
        ])
        expect(() => lockDirectory(dir)).toThrow(`${dir} is in use by process ${process.pid}`)
        lock.release()
      } finally {
        process.env['PATH'] = path
      }
    },
  )
})
