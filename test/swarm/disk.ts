import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import type { StoreWrite } from '../../src/store/contract.ts'
import { findDamage } from '../../src/store/journal/check.ts'
import { type DurableStore, openStore } from '../../src/store/journal/open-store.ts'
import { BrokenInvariant, hold } from './broken-invariant.ts'
import {
  reordered,
  tornData,
  tornHeader,
  transactionOf,
  trimmed,
  truncated,
  withFlippedBits,
  withLostData,
  withLostPage,
} from './disk-image.ts'
import type { PartRun } from './swarm-run.ts'

/** The acknowledged content after a write, and the file at that time. */
interface Point {
  readonly text: string
  readonly image: Buffer
}

const faultVariable = 'BERTH_TEST_JOURNAL_FAULTS'
const rounds = 24

/**
 * A store on a disk that is slow, full, or fails, and that crashes with torn, reordered or lost writes, flipped bits and read
 * errors. After a crash, a reliable disk has every acknowledged write. With an unreliable disk, the
 * journal is rejected, or its content was acknowledged at some time.
 */
export async function runDisk(seed: string): Promise<PartRun> {
  // Flushes of a file system in memory cost nothing.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-swarm-disk-'))
  const before = process.env[faultVariable]
  process.env[faultVariable] = join(folder, 'faults')
  const story = new DiskStory(folder, createRandom(seed).stream('disk'))
  try {
    await story.run()
    return { faults: story.faults }
  } catch (error) {
    const message = error instanceof BrokenInvariant ? error.message : `no error: ${(error as Error).message}`
    return { broken: message, faults: story.faults }
  } finally {
    if (before === undefined) delete process.env[faultVariable]
    else process.env[faultVariable] = before
    rmSync(folder, { recursive: true, force: true })
  }
}

class DiskStory {
  readonly faults: Record<string, number> = {}
  private readonly folder: string
  private readonly random: RandomStream
  private readonly clock = new VirtualClock(0)
  private readonly maxLogBytes: number
  private dirs = 0
  private names = 0
  /** The revision that watchers have seen. */
  private shown = 0

  constructor(folder: string, random: RandomStream) {
    this.folder = folder
    this.random = random
    this.maxLogBytes = random.pick([4_000, 40_000, 10_000_000])
  }

  async run(): Promise<void> {
    const dir = this.newDir()
    const store = await this.open(dir)
    store.watch((changes) => {
      for (const { revision } of changes) {
        hold('watches', revision === this.shown + 1, () => `revision ${revision} follows ${this.shown}`)
        this.shown = revision
      }
    })
    try {
      const points: Point[] = []
      for (let round = 0; round < rounds; round++) {
        points.push(await this.round(store, dir, points.at(-1)))
        const [last, next] = points.slice(-2) as [Point, Point?]
        if (next !== undefined && round % 3 === 0) await this.crash(last, next, points)
      }
    } finally {
      this.setFault(undefined)
      await store.close()
    }
    const again = await this.open(dir)
    hold('acknowledged writes', contentOf(again) === contentOf(store), () => 'the reopened store differs')
    await again.close()
  }

  /** A group of writes, with a disk that may fail. */
  private async round(store: DurableStore, dir: string, last: Point | undefined): Promise<Point> {
    const fault = this.random.pick([
      undefined,
      undefined,
      'before delay 1',
      'after delay 1',
      'before fail',
      'after fail',
      'before full',
    ])
    this.setFault(fault)
    const committed = store.commit(this.writes(store))
    hold('writes', committed.ok, () => 'a write is refused although the disk works')
    const wanted = contentOf(store)
    const isAcknowledged = await store.durable().then(
      () => true,
      () => false,
    )
    const fails = fault !== undefined && !fault.includes('delay')
    hold('acknowledged writes', isAcknowledged !== fails, () => `with ${fault}, acknowledged: ${isAcknowledged}`)
    if (fails) await this.endOutage(store, last?.text ?? '')
    const isThere = !fails || fault === 'after fail'
    const text = contentOf(store)
    hold('acknowledged writes', text === (isThere ? wanted : (last?.text ?? '')), () => `${fault}: the content differs`)
    hold('watches', this.shown === store.durableRevision, () => `${this.shown} is shown of ${store.durableRevision}`)
    return { text, image: trimmed(readFileSync(join(dir, 'journal.mdb'))) }
  }

  /** While the disk fails, writes are rejected, and writes that are not on disk are not shown. */
  private async endOutage(store: DurableStore, before: string): Promise<void> {
    hold('failed writes', contentOf(store) === before, () => 'a failed write is visible')
    hold('failed writes', !store.commit(this.writes(store)).ok, () => 'a write is accepted while the disk fails')
    this.setFault(undefined)
    this.clock.advanceTo(this.clock.now() + 1_000)
    while (store.trouble !== undefined) await new Promise(setImmediate)
  }

  private setFault(fault: string | undefined): void {
    const file = process.env[faultVariable] as string
    if (fault === undefined) rmSync(file, { force: true })
    else {
      writeFileSync(file, fault)
      this.count(faultNames[fault] ?? fault)
    }
  }

  /** The machine stops between two acknowledged states, and the journal is opened with what the disk has. */
  private async crash(last: Point, next: Point, points: readonly Point[]): Promise<void> {
    const { random } = this
    // Otherwise log entries were moved to the table, and the images are more than one flush apart.
    const isOneTransaction = transactionOf(next.image) === transactionOf(last.image) + 1
    switch (random.int(isOneTransaction ? 9 : 4)) {
      case 0: {
        const older = random.pick(points)
        const from = points.indexOf(older)
        await this.judge('lost flushes', reordered(older.image, next.image, random), points.slice(from), 'may refuse')
        return
      }
      case 1:
        await this.judge('flipped bits', withFlippedBits(next.image, random), [next], 'may refuse')
        return
      case 2:
        await this.judge('truncated files', truncated(next.image, random), [next], 'may refuse')
        return
      case 3:
        this.readError(next.image)
        return
      case 4:
        await this.judge('torn writes', tornData(last.image, next.image, random), [last], 'must open')
        return
      case 5:
        await this.judge('torn headers', tornHeader(last.image, next.image, random), [last, next], 'must open')
        return
      case 6:
        await this.judge('lost pages', withLostPage(last.image, next.image, random), [last, next], 'may refuse')
        return
      case 7:
        await this.judge('lost data', withLostData(last.image, next.image), [last, next], 'may refuse')
        return
      default:
        await this.judge('reordered writes', reordered(last.image, next.image, random), [last, next], 'may refuse')
    }
  }

  /** Opens an image: its content is one of those that are allowed, it can be written, and the next start has all of it. */
  private async judge(
    what: string,
    image: Buffer,
    allowed: readonly Point[],
    refusal: 'may refuse' | 'must open',
  ): Promise<void> {
    this.count(what)
    const dir = this.newDir()
    mkdirSync(dir)
    const file = join(dir, 'journal.mdb')
    writeFileSync(file, image)
    try {
      const store = await this.open(dir)
      const text = contentOf(store)
      const isKnown = allowed.some((point) => point.text === text)
      hold('silent corruption', isKnown, () => `${what}: the content was never acknowledged, or is too old`)
      store.commit(this.writes(store))
      const after = contentOf(store)
      await store.close()
      const again = await this.open(dir)
      hold('acknowledged writes', contentOf(again) === after, () => `${what}: writes after the recovery are lost`)
      await again.close()
      this.count(`${what}: opened`)
    } catch (error) {
      if (error instanceof BrokenInvariant) throw error
      const { message } = error as Error
      const isRefused = refusal === 'may refuse' && message.includes('is damaged')
      hold('recovery', isRefused, () => `${what}: ${message.replace(dir, 'DIR')}`)
      hold('recovery', readFileSync(file).equals(image), () => `${what}: a refused journal was changed`)
      this.count(`${what}: refused`)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }

  /** A page that cannot be read is an error, not an empty page. */
  private readError(image: Buffer): void {
    this.count('read errors')
    const fails = this.random.int(4)
    let reads = 0
    const read = (offset: number, length: number) => {
      if (reads++ === fails) throw new Error('EIO: i/o error, read')
      return image.subarray(offset, offset + length)
    }
    let said: unknown
    try {
      said = findDamage({ size: image.length, read })
    } catch (error) {
      said = (error as Error).message
    }
    hold('read errors', reads <= fails || String(said).includes('EIO'), () => 'a read error is ignored')
  }

  private writes(store: DurableStore): readonly StoreWrite[] {
    const { random } = this
    const known = store.list('configmaps').map(({ metadata }) => metadata.name)
    return Array.from({ length: 1 + random.int(6) }, (): StoreWrite => {
      const at = random.int(known.length + 1)
      const [name] = known.splice(at, 1)
      const text = 'x'.repeat(random.pick([1, 200, 200, 3_000, 20_000])) + String(random.int(1_000_000))
      if (name === undefined) {
        const fresh = `c${this.names++}`
        return { kind: 'create', resource: 'configmaps', key: `a/${fresh}`, object: configMap(fresh, text) }
      }
      const at2 = { resource: 'configmaps', key: `a/${name}` } as const
      return random.int(3) === 0
        ? { kind: 'delete', ...at2 }
        : { kind: 'update', ...at2, object: configMap(name, text) }
    })
  }

  private open(dir: string): Promise<DurableStore> {
    return openStore({ dir, clock: this.clock, maxLogBytes: this.maxLogBytes })
  }

  private newDir(): string {
    return join(this.folder, `dir-${this.dirs++}`)
  }

  private count(what: string): void {
    this.faults[what] = (this.faults[what] ?? 0) + 1
  }
}

const faultNames: Readonly<Record<string, string>> = {
  'before delay 1': 'slow disks',
  'after delay 1': 'slow flushes',
  'before fail': 'failed writes',
  'after fail': 'failures after the data was written',
  'before full': 'full disks',
}

const configMap = (name: string, text: string): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'a' }, data: { text } }) as KubeObject

function contentOf(store: DurableStore): string {
  return store
    .list('configmaps')
    .map((object) => JSON.stringify(object))
    .join('\n')
}
