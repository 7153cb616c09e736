import type { KubeObject } from '../../api/objects/meta.ts'
import { formatTime } from '../../api/time.ts'
import { version } from '../../base/version.ts'
import { KnownPartParser } from './known-parts.ts'
import { SharedParts } from './shared-parts.ts'
import { type SnapshotEnd, type SnapshotHeader, snapshotApiVersion } from './snapshot-resources.ts'

/** The file is not a snapshot, or is incomplete. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}

export function headerLine(takenAtMs: number, redacted: boolean, kubernetes?: string): string {
  const header: SnapshotHeader = {
    apiVersion: snapshotApiVersion,
    kind: 'Snapshot',
    takenAt: formatTime(takenAtMs),
    berth: version,
    redacted,
    ...(kubernetes === undefined ? {} : { kubernetes }),
  }
  return `${JSON.stringify(header)}\n`
}

export function endLine(counts: SnapshotEnd['counts'], missing: SnapshotEnd['missing']): string {
  const end: SnapshotEnd = { kind: 'SnapshotEnd', counts, missing }
  return `${JSON.stringify(end)}\n`
}

export interface ReadSnapshot {
  readonly header: SnapshotHeader
  readonly end: SnapshotEnd
  readonly objects: readonly KubeObject[]
}

/** Reads a snapshot line by line. */
export class SnapshotReader {
  private header: SnapshotHeader | undefined
  private end: SnapshotEnd | undefined
  private readonly objects: KubeObject[] = []
  private readonly shared = new SharedParts()
  private readonly parser = new KnownPartParser()
  private lines = 0

  line(text: string): void {
    this.lines++
    if (text === '') return
    const value = this.parse(text)
    if (this.header === undefined) {
      this.header = checkedHeader(value)
      return
    }
    if (this.end !== undefined) throw new SnapshotError(`line ${this.lines}: content after the end of the snapshot`)
    if (value.kind === 'SnapshotEnd') this.end = value as unknown as SnapshotEnd
    else {
      const object = this.shared.take(value)
      this.parser.learn(object)
      this.objects.push(object)
    }
  }

  finish(): ReadSnapshot {
    if (this.header === undefined) throw new SnapshotError('snapshot is empty')
    if (this.end === undefined)
      throw new SnapshotError(`snapshot is incomplete: it ends after ${this.objects.length} objects; take it again`)
    return { header: this.header, end: this.end, objects: this.objects }
  }

  private parse(text: string): KubeObject {
    try {
      return this.parser.parse(text) as KubeObject
    } catch {
      throw new SnapshotError(`line ${this.lines}: invalid JSON; the file may be incomplete`)
    }
  }
}

function checkedHeader(value: unknown): SnapshotHeader {
  const { kind, apiVersion } = value as Partial<SnapshotHeader>
  if (kind !== 'Snapshot') throw new SnapshotError('not a snapshot: the first line is not of kind Snapshot')
  if (apiVersion !== snapshotApiVersion)
    throw new SnapshotError(`unsupported version ${apiVersion}; expected ${snapshotApiVersion}`)
  return value as SnapshotHeader
}
