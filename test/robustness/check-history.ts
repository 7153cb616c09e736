import type { History, Read, SeenObject, Watch, WatchedEvent, Write } from './history.ts'

/** The known data of one change of a key. */
interface Version {
  readonly revision: number
  readonly key: string
  /** Absent for a deletion. */
  readonly value?: string
  readonly write?: Write
}

/**
 * Compares the answers to clients with a store in which writes happen one after the other, each with a larger revision,
 * and in which nothing is lost. Returns the contradictions.
 *
 * The revisions make the order of the writes known, so each key is checked as a register without a search: the effects
 * of writes without an answer are known if a reader saw them; otherwise they are allowed but not required.
 */
export function checkHistory(history: History): readonly string[] {
  const problems: string[] = []
  const log = new Log(history, problems)
  for (const write of history.writes) checkWrite(write, log, problems)
  checkRealTime(history, log, problems)
  for (const read of history.reads) checkRead(read, log, problems)
  for (const watch of history.watches) checkWatch(watch, log, problems)
  return [...new Set(problems)]
}

/** All versions that any client received. */
class Log {
  private readonly byRevision = new Map<number, Version>()
  private readonly byKey = new Map<string, Version[]>()
  private readonly deletes = new Map<string, Write[]>()
  private readonly writes = new Map<string, Write>()
  private readonly revisions: readonly number[]
  private readonly problems: string[]

  constructor({ writes, reads, watches }: History, problems: string[]) {
    this.problems = problems
    for (const write of writes) {
      if (write.value !== undefined) this.writes.set(write.value, write)
      if (write.kind === 'delete' && write.result !== 'refused') this.add(this.deletes, write.key, write)
    }
    for (const { revision, key, value } of writes) {
      if (revision !== undefined && value !== undefined) this.note({ revision, key, value }, 'an answer')
    }
    for (const { objects } of reads) for (const object of objects) this.note(object, 'a read')
    for (const { events } of watches) for (const event of events) this.noteEvent(event)
    for (const versions of this.byKey.values()) versions.sort((a, b) => a.revision - b.revision)
    this.revisions = [...this.byRevision.keys()].sort((a, b) => a - b)
  }

  /** Versions of a key in their order. */
  of(key: string): readonly Version[] {
    return this.byKey.get(key) ?? []
  }

  keys(): Iterable<string> {
    return this.byKey.keys()
  }

  /** The last known version of a key up to a revision. */
  at(key: string, revision: number): Version | undefined {
    return this.of(key).findLast((version) => version.revision <= revision)
  }

  between(from: number, to: number): readonly Version[] {
    return this.revisions
      .filter((revision) => revision > from && revision <= to)
      .map((revision) => this.byRevision.get(revision) as Version)
  }

  /** Whether the key may have been deleted after a revision, by a request that was sent before an instant. */
  mayBeDeleted(key: string, after: number, before: number): boolean {
    const seen = this.of(key).some(({ revision, value }) => value === undefined && revision > after)
    return seen || (this.deletes.get(key) ?? []).some(({ askedAt }) => askedAt < before)
  }

  private noteEvent({ type, revision, key, value }: WatchedEvent): void {
    if (type === 'BOOKMARK' || key === undefined) return
    this.note(type === 'DELETED' || value === undefined ? { revision, key } : { revision, key, value }, 'a watch')
  }

  private note(seen: Omit<Version, 'write'>, where: string): void {
    const known = this.byRevision.get(seen.revision)
    if (known !== undefined) {
      if (known.key === seen.key && known.value === seen.value) return
      const [one, other] = [known, seen].map(({ key, value }) => `${key}=${value ?? 'deleted'}`)
      this.problems.push(`revision ${seen.revision} is ${one} and, in ${where}, ${other}`)
      return
    }
    const write = seen.value === undefined ? undefined : this.writes.get(seen.value)
    const name = `${seen.key}=${seen.value} of revision ${seen.revision}`
    if (seen.value !== undefined && (write === undefined || write.key !== seen.key)) {
      this.problems.push(`${name}, in ${where}, was never written`)
    } else if (write?.result === 'refused') {
      this.problems.push(`${name}, in ${where}, was refused`)
    }
    const version = write === undefined ? seen : { ...seen, write }
    this.byRevision.set(seen.revision, version)
    this.add(this.byKey, seen.key, version)
  }

  private add<T>(map: Map<string, T[]>, key: string, value: T): void {
    const list = map.get(key)
    if (list === undefined) map.set(key, [value])
    else list.push(value)
  }
}

/** A write must find the version that it requires, or no object if it requires none. */
function checkWrite(write: Write, log: Log, problems: string[]): void {
  const { kind, key, expect, revision, result } = write
  if (result !== 'done' || revision === undefined) return
  const before = log.of(key).findLast((version) => version.revision < revision)
  const name = `${kind} of ${key} at revision ${revision}`
  if (kind === 'update' && before !== undefined && before.revision !== expect) {
    problems.push(`${name} required revision ${expect} and followed ${before.revision}`)
  }
  if (kind === 'create' && before?.value !== undefined && !log.mayBeDeleted(key, before.revision, write.toldAt ?? 0)) {
    problems.push(`${name} followed revision ${before.revision}, which was never deleted`)
  }
}

/** An answer that was received before another request was sent happened before it. */
function checkRealTime(history: History, log: Log, problems: string[]): void {
  const told: { readonly at: number; readonly revision: number }[] = []
  for (const { toldAt, revision } of history.writes) {
    if (toldAt !== undefined && revision !== undefined) told.push({ at: toldAt, revision })
  }
  for (const { toldAt, objects, revision } of history.reads) {
    told.push({ at: toldAt, revision: revision ?? Math.max(0, ...objects.map((object) => object.revision)) })
  }
  told.sort((a, b) => a.at - b.at)
  const newest: number[] = []
  for (const { revision } of told) newest.push(Math.max(newest.at(-1) ?? 0, revision))
  /** The newest revision that any client received before an instant. */
  const knownBefore = (instant: number) => {
    let [low, high] = [0, told.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((told[middle]?.at ?? 0) < instant) low = middle + 1
      else high = middle
    }
    return newest[low - 1] ?? 0
  }
  for (const { kind, key, askedAt, revision } of history.writes) {
    const known = knownBefore(askedAt)
    if (revision !== undefined && revision <= known) {
      problems.push(`${kind} of ${key} has revision ${revision}, but ${known} was told before it was asked for`)
    }
  }
  for (const { key, askedAt, revision } of history.reads) {
    if (key === undefined && revision !== undefined && revision < knownBefore(askedAt)) {
      problems.push(`a list shows revision ${revision}, but ${knownBefore(askedAt)} was told before it was asked for`)
    }
  }
  for (const { askedAt, toldAt, key, objects } of history.reads) {
    if (key !== undefined) checkFresh({ key, askedAt, toldAt, object: objects[0] }, knownBefore, log, problems)
  }
}

interface Get {
  readonly key: string
  readonly askedAt: number
  readonly toldAt: number
  readonly object: SeenObject | undefined
}

function checkFresh(
  { key, askedAt, toldAt, object }: Get,
  knownBefore: (instant: number) => number,
  log: Log,
  problems: string[],
): void {
  const expected = log.at(key, knownBefore(askedAt))
  if (expected === undefined) return
  if (object === undefined) {
    if (expected.value !== undefined && !log.mayBeDeleted(key, expected.revision, toldAt)) {
      problems.push(`${key} is lost: revision ${expected.revision} was told before, and nothing deleted it`)
    }
  } else if (object.revision < expected.revision) {
    problems.push(`a get of ${key} shows revision ${object.revision}, but ${expected.revision} was told before`)
  }
}

function checkRead({ key, objects, revision, toldAt }: Read, log: Log, problems: string[]): void {
  for (const { write } of objects.map((object) => log.at(object.key, object.revision) ?? { write: undefined })) {
    if (write !== undefined && write.askedAt > toldAt) problems.push(`${write.key} was read before it was written`)
  }
  if (key !== undefined || revision === undefined) return
  const shown = new Map(objects.map((object) => [object.key, object]))
  for (const object of objects) {
    if (object.revision > revision) {
      problems.push(`a list of revision ${revision} shows ${object.key} of revision ${object.revision}`)
    }
  }
  for (const name of log.keys()) {
    const expected = log.at(name, revision)
    const object = shown.get(name)
    if (expected === undefined) continue
    if (object !== undefined && object.revision !== expected.revision) {
      problems.push(`a list of revision ${revision} shows ${name} of ${object.revision}, not of ${expected.revision}`)
    }
    if (object === undefined && expected.value !== undefined && !log.mayBeDeleted(name, expected.revision, toldAt)) {
      problems.push(`a list of revision ${revision} lacks ${name} of revision ${expected.revision}`)
    }
  }
}

/** A watch shows every change after its start, once, in order. */
function checkWatch({ from, events }: Watch, log: Log, problems: string[]): void {
  let last = from
  const shown = new Set<number>()
  for (const { type, revision } of events) {
    const isOrdered = type === 'BOOKMARK' ? revision >= last : revision > last
    if (!isOrdered) problems.push(`a watch from ${from} shows ${type} of revision ${revision} after ${last}`)
    last = Math.max(last, revision)
    if (type !== 'BOOKMARK') shown.add(revision)
  }
  for (const { revision, key } of log.between(from, last)) {
    if (!shown.has(revision)) problems.push(`a watch from ${from} to ${last} lacks revision ${revision} of ${key}`)
  }
}
