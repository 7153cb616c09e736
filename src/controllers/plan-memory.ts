import type { Call, Outcome } from '../api/call.ts'
import { isNamespaceTerminating, type Note } from './note.ts'

/** A call, and what is told of its outcome. */
export interface PlannedCall {
  readonly call: Call
  /** A function where it says what only the outcome does: the name that the server gave. */
  readonly onSuccess?: Note | ((name: string) => Note)
  readonly onFailure?: (why: string) => Note
}

interface Memory {
  readonly plan: ReadonlyMap<Call, PlannedCall>
  notes: Note[]
}

/** What is to be told of an object, from its calls to their outcomes and from those to its next reconciliation. */
export class PlanMemory {
  private readonly memories = new Map<string, Memory>()

  /** The notes that are due, and only once. */
  takeNotes(key: string): readonly Note[] {
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

  /** Whether there is anything to tell of these outcomes. */
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

function noteOf({ call, onSuccess, onFailure }: PlannedCall, outcome: Outcome): Note | undefined {
  // What was to be deleted and is gone is told as deleted by those who ordered it.
  if (outcome.ok || (call.verb === 'delete' && outcome.status.reason === 'NotFound')) {
    if (typeof onSuccess !== 'function') return onSuccess
    return onSuccess(outcome.ok && outcome.kind === 'object' ? outcome.object.metadata.name : '')
  }
  if (outcome.status.reason === 'AlreadyExists' || isNamespaceTerminating(outcome)) return undefined
  return onFailure?.(outcome.status.message ?? '')
}
