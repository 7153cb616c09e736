import type { Call, Outcome } from '../api/call.ts'
import { type EventNote, isNamespaceTerminating } from './event-note.ts'

/** A call, and the events to record after its outcome. */
export interface PlannedCall {
  readonly call: Call
  /** A function if the text depends on the outcome: the server generates the name. */
  readonly onSuccess?: EventNote | ((name: string) => EventNote)
  readonly onFailure?: (why: string) => EventNote
}

interface PendingCalls {
  readonly plan: ReadonlyMap<Call, PlannedCall>
  notes: EventNote[]
}

/** Events of an object that wait for the outcomes of its calls, and then for its next reconciliation. */
export class PendingNotes {
  private readonly memories = new Map<string, PendingCalls>()

  /** Returns the notes that are due, and clears them. */
  takeNotes(key: string): readonly EventNote[] {
    const memory = this.memories.get(key)
    if (memory === undefined || memory.notes.length === 0) return []
    const { notes } = memory
    memory.notes = []
    return notes
  }

  remember(key: string, planned: readonly PlannedCall[]): readonly Call[] {
    this.memories.set(key, { plan: new Map(planned.map((one) => [one.call, one])), notes: [] })
    return planned.map(({ call }) => call)
  }

  /** Returns whether any event depends on these outcomes. */
  settle(key: string, results: readonly { readonly call: Call; readonly outcome: Outcome }[]): boolean {
    const memory = this.memories.get(key)
    if (memory === undefined) return false
    for (const { call, outcome } of results) {
      const planned = memory.plan.get(call)
      const note = planned === undefined ? undefined : noteOf(planned, outcome)
      if (note !== undefined) memory.notes.push(note)
    }
    return memory.notes.length > 0
  }

  forget(key: string): void {
    this.memories.delete(key)
  }
}

function noteOf({ call, onSuccess, onFailure }: PlannedCall, outcome: Outcome): EventNote | undefined {
  // The deletion of a missing object is reported as a deletion.
  if (outcome.ok || (call.verb === 'delete' && outcome.status.reason === 'NotFound')) {
    if (typeof onSuccess !== 'function') return onSuccess
    return onSuccess(outcome.ok && outcome.kind === 'object' ? outcome.object.metadata.name : '')
  }
  if (outcome.status.reason === 'AlreadyExists' || isNamespaceTerminating(outcome)) return undefined
  return onFailure?.(outcome.status.message ?? '')
}
