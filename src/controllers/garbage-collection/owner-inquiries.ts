import type { GetCall, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Answer, Ask } from '../../runtime/controller.ts'

/** An owner as a reference names it: its place and its uid. */
export interface OwnerPlace {
  /** Equal for references that name the same owner. */
  readonly id: string
  readonly uid: string
  readonly read: GetCall
}

export type OwnerAnswer = KubeObject | 'absent'

/** What one item has asked. Its answers are kept until all are in, however many there are. */
interface Inquiry {
  readonly answers: Map<string, OwnerAnswer>
  left: number
  failed: boolean
}

interface Read {
  readonly place: OwnerPlace
  readonly items: Set<string>
}

export interface FinishedInquiry {
  readonly item: string
  /** A read got no answer: nothing is known of that owner. */
  readonly failed: boolean
}

const READ_TIMEOUT_MS = 30_000
// As many as upstream's workers look at items at the same time would be 20. A read must not wait long behind others, since its
// deadline counts from when it is asked.
const READS_AT_A_TIME = 100

/** Reads the owners that the view does not show, a limited number at a time, and collects the answers of each item. */
export class OwnerInquiries {
  private readonly inquiries = new Map<string, Inquiry>()
  /** By the id of the place: what several items ask is read once. */
  private readonly reads = new Map<string, Read>()
  private readonly waiting: Read[] = []
  private readonly asked = new Map<number, Read>()

  /** Asks for more owners on behalf of an item. */
  ask(item: string, places: readonly OwnerPlace[]): void {
    const inquiry = this.inquiries.get(item) ?? { answers: new Map(), left: 0, failed: false }
    this.inquiries.set(item, inquiry)
    for (const place of places) {
      let read = this.reads.get(place.id)
      if (read === undefined) {
        read = { place, items: new Set() }
        this.reads.set(place.id, read)
        this.waiting.push(read)
      }
      if (read.items.has(item)) continue
      read.items.add(item)
      inquiry.left++
    }
  }

  answerTo(item: string, place: string): OwnerAnswer | undefined {
    return this.inquiries.get(item)?.answers.get(place)
  }

  /** Forgets what the item has learned. */
  end(item: string): void {
    this.inquiries.delete(item)
  }

  /** The reads to begin now. */
  next(nextId: () => number, now: number): Ask[] {
    const count = Math.min(this.waiting.length, READS_AT_A_TIME - this.asked.size)
    if (count <= 0) return []
    return this.waiting.splice(0, count).map((read) => {
      const id = nextId()
      this.asked.set(id, read)
      return { id, deadlineAt: now + READ_TIMEOUT_MS, request: { kind: 'read', call: read.place.read } }
    })
  }

  /** Gives the items that now have all their answers. `absent` is told of owners that are gone. */
  take({ id, outcome }: Answer, absent: (place: OwnerPlace) => void): readonly FinishedInquiry[] {
    const read = this.asked.get(id)
    if (read === undefined) return []
    this.asked.delete(id)
    this.reads.delete(read.place.id)
    const answer = answerOf(outcome, read.place.uid)
    if (answer === 'absent') absent(read.place)
    const finished: FinishedInquiry[] = []
    for (const item of read.items) {
      const inquiry = this.inquiries.get(item)
      if (inquiry === undefined) continue
      inquiry.left--
      if (answer === undefined) inquiry.failed = true
      else inquiry.answers.set(read.place.id, answer)
      if (inquiry.left === 0) finished.push({ item, failed: inquiry.failed })
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
