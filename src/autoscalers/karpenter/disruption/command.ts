import type { DisruptionReason } from '../../../api/objects/karpenter.ts'
import { offeringsFor } from '../catalog/instance-type.ts'
import type { ClaimPlan } from '../scheduling/claim-template.ts'
import type { SchedulingResults } from '../scheduling/pod-scheduler.ts'
import type { Candidate } from './candidate.ts'

/** Nodes to remove, and their replacements. */
export interface Command {
  readonly candidates: readonly Candidate[]
  readonly replacements: readonly ClaimPlan[]
  readonly results: SchedulingResults | undefined
}

export interface StartedCommand extends Command {
  readonly reason: DisruptionReason
  readonly method: string
}

export function sourcePrice(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { price }) => sum + price, 0)
}

/** Savings per hour. Unknown prices count as 0. */
export function estimatedSavings({ candidates, replacements }: Command, wellKnown: ReadonlySet<string>): number {
  let price = 0
  for (const { types, requirements } of replacements) {
    const [type] = types
    const prices = type === undefined ? [] : offeringsFor(type, requirements, wellKnown).map((each) => each.price)
    if (prices.length > 0) price += Math.min(...prices)
  }
  return sourcePrice(candidates) - price
}

export function commandText(command: StartedCommand, wellKnown: ReadonlySet<string>): string {
  const { candidates, replacements, reason } = command
  const names = candidates.map(({ name }) => name).join(', ')
  const pools = [...new Set(candidates.map(({ pool }) => pool.metadata.name))].join(',')
  const savings = `(savings: $${estimatedSavings(command, wellKnown).toFixed(2)})`
  if (replacements.length === 0) return `${reason}: delete: nodepools=[${pools}]: [${names}] ${savings}`
  const count = `${replacements.length} replacement${replacements.length === 1 ? '' : 's'}`
  return `${reason}: replace: nodepools=[${pools}]: [${names}] -> [${count}] ${savings}`
}
