import type { ForecastNote } from './forecast.ts'
import type { ForecastFacts } from './verdict.ts'

type AnswerFacts = Pick<ForecastFacts, 'caused' | 'workloads' | 'nodes'>

/** Marks the kinds that are missing in the input and could change this answer. */
export function judgedNotes(notes: readonly ForecastNote[], facts: AnswerFacts): readonly ForecastNote[] {
  return notes.map((note) => (note.kind === 'missing' && couldChange(note, facts) ? { ...note, matters: true } : note))
}

function couldChange({ about }: ForecastNote, { caused, workloads, nodes }: AnswerFacts): boolean {
  const isAffected = caused.podsDeleted > 0 || workloads.some(({ created }) => created > 0)
  switch (about) {
    // Only the time at which a silent node becomes NotReady depends on Leases.
    case 'Lease':
      return nodes.some(({ before, isReady }) => before !== undefined && before.isReady !== isReady)
    case 'PodDisruptionBudget':
      return caused.podsDeleted > 0
    case 'DaemonSet':
      return isAffected || nodes.some(({ state }) => state === 'added')
    default:
      return isAffected
  }
}
