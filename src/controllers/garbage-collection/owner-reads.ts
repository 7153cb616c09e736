import type { GetCall, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Answer, Ask } from '../../runtime/controller.ts'

/** An owner as a reference names it: its key and its uid. */
export interface OwnerPlace {
  /** Equal for references to the same owner. */
  readonly id: string
  readonly uid: string
  readonly read: GetCall
}

export type OwnerAnswer = KubeObject | 'absent'

/** The reads of one item. Their answers are kept until all have arrived. */
interface ItemReads {
  readonly answers: Map<string, OwnerAnswer>
  left: number
  failed: boolean
}

interface OwnerRead {
  readonly place: OwnerPlace
  readonly items: Set<string>
}

export interface FinishedReads {
  readonly item: string
  /** A read was not answered, so the state of that owner is unknown. */
  readonly failed: boolean
}

const readTimeoutMs = 30_000
// Upstream has 20 workers. A read must not wait long behind others, because its deadline counts from the time of the
// ask.
const readsAtATime = 100

/** Reads owners that are not in the view, a limited number at a time, and collects the answers for each item. */
export class OwnerReads {
  private readonly ownerReads = new Map<string, ItemReads>()
  /** By the id of the owner: a read is shared by all items that need it. */
  private readonly reads = new Map<string, OwnerRead>()
  private readonly waiting: OwnerRead[] = []
  private readonly asked = new Map<number, OwnerRead>()

  /** Requests more owners for an item. */
  ask(item: string, places: readonly OwnerPlace[]): void {
    const itemReads = this.ownerReads.get(item) ?? { answers: new Map(), left: 0, failed: false }
    this.ownerReads.set(item, itemReads)
    for (const place of places) {
      let read = this.reads.get(place.id)
      if (read === undefined) {
        read = { place, items: new Set() }
        this.reads.set(place.id, read)
        this.waiting.push(read)
      }
      if (read.items.has(item)) continue
      read.items.add(item)
      itemReads.left++
    }
  }

  answerTo(item: string, place: string): OwnerAnswer | undefined {
    return this.ownerReads.get(item)?.answers.get(place)
  }

  /** Drops the answers of the item. */
  end(item: string): void {
    this.ownerReads.delete(item)
  }

  /** The reads to start now. */
  next(nextId: () => number, now: number): Ask[] {
    const count = Math.min(this.waiting.length, readsAtATime - this.asked.size)
    if (count <= 0) return []
    return this.waiting.splice(0, count).map((read) => {
      const id = nextId()
      this.asked.set(id, read)
      return { id, deadlineAt: now + readTimeoutMs, request: { kind: 'read', call: read.place.read } }
    })
  }

  /** Returns the items that now have all their answers. `absent` is called with owners that do not exist. */
  take({ id, outcome }: Answer, absent: (place: OwnerPlace) => void): readonly FinishedReads[] {
    const read = this.asked.get(id)
    if (read === undefined) return []
    this.asked.delete(id)
    this.reads.delete(read.place.id)
    const answer = answerOf(outcome, read.place.uid)
    if (answer === 'absent') absent(read.place)
    const finished: FinishedReads[] = []
    for (const item of read.items) {
      const itemReads = this.ownerReads.get(item)
      if (itemReads === undefined) continue
      itemReads.left--
      if (answer === undefined) itemReads.failed = true
      else itemReads.answers.set(read.place.id, answer)
      if (itemReads.left === 0) finished.push({ item, failed: itemReads.failed })
    }
    return finished
  }
}

function answerOf(outcome: Answer['outcome'], uid: string): OwnerAnswer | undefined {
  const read = outcome.kind === 'ok' ? (outcome.value as Outcome) : undefined
  if (read === undefined) return undefined
  if (read.ok) return read.kind === 'object' && read.object.metadata.uid === uid ? read.object : 'absent'
  return read.status.reason === 'NotFound' ? 'absent' : undefined
}
