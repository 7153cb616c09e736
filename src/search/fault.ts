import { formatGoDurationMs } from '../api/go-duration.ts'
import type { JsonObject } from '../api/objects/meta.ts'

/** The target of a fault. */
export interface FaultTarget {
  /** `node-17`, `zone zone-a`, `Deployment shop/checkout`; empty for the control plane. */
  readonly name: string
  /** Targets of the same class have the same consequences. */
  readonly className: string
  /** Nodes that the fault affects. Shrinking reduces their number. */
  readonly nodes: readonly string[]
}

/** One fault at one time. */
export interface Fault {
  /** A name in the table of fault kinds. */
  readonly kind: string
  readonly target: FaultTarget
  readonly atMs: number
  /** Absent: the fault does not end. */
  readonly forMs?: number
}

/** Steps of a scenario, without their time. */
export type StepContent = Readonly<Record<string, JsonObject | string | readonly JsonObject[]>>

/** The faults of one case, in order of time. */
export type Case = readonly Fault[]

/** A step in the form of a scenario file. */
export function stepAt(atMs: number, content: StepContent): JsonObject {
  return { at: formatGoDurationMs(atMs), ...content } as unknown as JsonObject
}

/** A key that is equal for cases with the same consequences. */
export function classKeyOf(faults: Case): string {
  // Two different nodes of one class differ from one node twice.
  const numbers = new Map<string, string>()
  const ordinals = new Map<string, number>()
  const numberOf = ({ className, name }: FaultTarget): string => {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const ordinal = ordinals.get(className) ?? 0
    ordinals.set(className, ordinal + 1)
    const number = `${className}#${ordinal}`
    numbers.set(name, number)
    return number
  }
  return [...faults]
    .sort((a, b) => a.atMs - b.atMs || (a.target.className < b.target.className ? -1 : 1))
    .map(({ kind, target, atMs, forMs }) => `${kind} ${numberOf(target)} ${atMs} ${forMs ?? ''}`)
    .join('\n')
}
