// The real ports of the CLI: files, streams, signals and time.

import { existsSync, fstatSync, readFileSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { lookupTable } from '../base/lookup-table.ts'
import { type Files, type Ports, wrongQuestion } from './command.ts'
import type { CommandOutline } from './command-outlines.ts'
import type { TextSink } from './output.ts'

/** The folder with the executables for envtest: next to dist/, or above src/ without a build. */
export function envtestFolder(): string {
  const places = ['../bin/envtest', '../../bin/envtest'].map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return places.find((place) => existsSync(place)) ?? (places[0] as string)
}

/** The outlines of all commands, which the build writes next to the code; undefined without a build. */
export function builtOutlines(): readonly CommandOutline[] | undefined {
  for (const place of ['./commands.json.gz', '../commands.json.gz']) {
    try {
      const packed = readFileSync(fileURLToPath(new URL(place, import.meta.url)))
      return JSON.parse(gunzipSync(packed).toString()) as readonly CommandOutline[]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return undefined
}

export function realPorts(): Ports {
  return {
    stdout: sinkOf(process.stdout, 1),
    stderr: sinkOf(process.stderr, 2),
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    files: realFiles,
    readStdin,
    interruption,
  }
}

function sinkOf(stream: NodeJS.WriteStream, descriptor: number): TextSink {
  // A reader that closes the pipe early (`berth … | head`) is not an error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY === true,
    isFile: isRegularFile(descriptor),
    get columns() {
      return stream.columns
    },
  }
}

function isRegularFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

const realFiles: Files = {
  async kindOf(path) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw explained(path, error)
    })
    if (found === undefined) return 'absent'
    return found.isDirectory() ? 'folder' : 'file'
  },
  list: async (path) => (await orExplained(path, readdir(path))).sort(),
  readText: (path) => orExplained(path, readFile(path, 'utf8')),
  writeText: (path, text) => orExplained(path, writeFile(path, text)),
}

async function orExplained<Value>(path: string, operation: Promise<Value>): Promise<Value> {
  return operation.catch((error: NodeJS.ErrnoException) => {
    throw explained(path, error)
  })
}

const reasons = lookupTable<string>({
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of this path is a file, not a directory',
  EISDIR: 'this is a directory, not a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'no space is left on the device',
  EROFS: 'the file system is read-only',
  ERR_STRING_TOO_LONG: 'the file is too large to be read at once',
})

function explained(path: string, error: NodeJS.ErrnoException): Error {
  return wrongQuestion(`${path}: ${reasons[error.code ?? ''] ?? error.message}`)
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

let interrupted: AbortController | undefined

function interruption(): AbortSignal {
  if (interrupted !== undefined) return interrupted.signal
  const controller = new AbortController()
  interrupted = controller
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCode)
      controller.abort(new Error(`interrupted by ${signal}`))
    })
  }
  return controller.signal
}
