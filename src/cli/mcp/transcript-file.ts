import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname, extname, relative, resolve } from 'node:path'
import type { CallRecord } from '../../mcp/protocol/server.ts'
import { transcriptHeader, transcriptLine } from '../../mcp/transcript.ts'
import { wrongQuestion } from '../command.ts'

const mostSessions = 10_000

/**
 * Appends every call to a file that only its owner can read. The first call creates the file, because clients start a server to
 * probe it. A client has one configuration for all sessions, so a later session gets a number: `session-2.jsonl`.
 */
export class TranscriptFile {
  private readonly wanted: string
  private readonly flags: Readonly<Record<string, unknown>>
  private open: { readonly descriptor: number; readonly path: string } | undefined
  private waiting: CallRecord[] = []
  private calls = 0
  private snapshots = 0

  constructor(path: string, flags: Readonly<Record<string, unknown>>) {
    this.wanted = resolve(path)
    this.flags = flags
  }

  /** A call from the command line. Without other calls, it is not a session. */
  prepare(call: CallRecord): void {
    this.waiting.push(call)
  }

  record(call: CallRecord): void {
    const { descriptor, path } = this.file()
    for (const one of [...this.waiting, call]) {
      this.calls++
      writeSync(
        descriptor,
        transcriptLine(this.calls, { ...one, effects: one.effects.map((effect) => placed(effect, path)) }),
      )
    }
    this.waiting = []
  }

  /** The path of the next snapshot of a live cluster. */
  snapshotPath(): string {
    this.snapshots++
    return `${this.file().path}.${this.snapshots}.jsonl.gz`
  }

  close(): void {
    if (this.open !== undefined) closeSync(this.open.descriptor)
  }

  private file(): { readonly descriptor: number; readonly path: string } {
    if (this.open === undefined) {
      this.open = createNew(this.wanted)
      writeSync(this.open.descriptor, transcriptHeader(this.flags))
    }
    return this.open
  }
}

/** The path is relative, because users move a transcript and its snapshot together. */
function placed(effect: CallRecord['effects'][number], transcript: string): CallRecord['effects'][number] {
  if (effect.kind !== 'open' || effect.path === undefined) return effect
  return { ...effect, path: relative(dirname(transcript), effect.path) }
}

function createNew(wanted: string): { readonly descriptor: number; readonly path: string } {
  const ending = extname(wanted)
  const stem = wanted.slice(0, wanted.length - ending.length)
  for (let session = 1; session < mostSessions; session++) {
    const path = session === 1 ? wanted : `${stem}-${session}${ending}`
    try {
      return { descriptor: openSync(path, 'ax', 0o600), path }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST') throw wrongQuestion(`${wanted}: cannot be written: ${code}`)
    }
  }
  throw wrongQuestion(`${wanted}: there are ${mostSessions} sessions already`)
}
