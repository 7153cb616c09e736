import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ToolError } from '../../mcp/answer.ts'
import type { ReadSource } from '../../mcp/workspace.ts'
import { SnapshotReader } from '../../whatif/snapshot/snapshot-lines.ts'
import { type ClusterSource, foundIn, linesOfLive } from '../cluster-input.ts'
import { type CommandContext, CommandError } from '../command.ts'

/**
 * Takes a snapshot of the live cluster, then discards the connection and its credentials. Forks never have them.
 * With a path, the snapshot is also saved, so that the session can be repeated.
 */
export async function readLive(
  context: CommandContext<ClusterSource>,
  saveTo: string | undefined,
): Promise<ReadSource> {
  const reader = new SnapshotReader()
  const hash = createHash('sha256')
  const lines = async function* () {
    for await (const line of linesOfLive(context)) {
      reader.line(line.trimEnd())
      yield line
    }
  }
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  const sink = saveTo === undefined ? nowhere() : createWriteStream(saveTo, { mode: 0o600, flags: 'wx' })
  try {
    await pipeline(Readable.from(lines()), createGzip(), hashed, sink)
    const input = foundIn(reader, 'the cluster')
    return {
      source: 'live cluster',
      hash: hash.digest('hex'),
      input,
      ...(saveTo === undefined ? {} : { path: saveTo }),
    }
  } catch (error) {
    if (error instanceof CommandError) throw new ToolError(error.message)
    throw error
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
