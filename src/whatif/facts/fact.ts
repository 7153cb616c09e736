/** What a trace tells, one thing at a time. */
export type FactKind =
  | 'created'
  | 'deleted'
  | 'ready'
  | 'tainted'
  | 'untainted'
  | 'cordoned'
  | 'uncordoned'
  | 'podCIDR'
  | 'bound'
  | 'unschedulable'
  | 'gated'
  | 'nominated'
  | 'disruption'
  | 'notReady'
  | 'terminating'
  | 'gone'
  | 'started'
  | 'ended'
  | 'recovered'
  | 'step'

/** Something that happened, with what a report needs to know beyond the trace. */
export interface Fact {
  /** Milliseconds since the beginning. */
  readonly atMs: number
  readonly what: FactKind
  readonly about: 'Pod' | 'Node' | 'Step'
  /** `namespace/name` of a pod, the name of a node, the kind of a step. */
  readonly key: string
  readonly uid: string
  /** Pods of a workload go by this name in traces: their own differ from run to run. */
  readonly group?: string
  readonly detail?: unknown
  /** The controller that did it; absent for steps of the scenario. */
  readonly by?: string
}

/** One line of a trace, as recordings of the real components have it. */
export interface TraceLine {
  /** Seconds. */
  readonly t: number
  readonly what: string
  readonly object: string
  readonly detail?: unknown
}

// Facts that berth records for its reports but that no trace has.
const ownFacts: ReadonlySet<FactKind> = new Set(['started', 'ended', 'recovered'])

export function traceOf(facts: readonly Fact[]): readonly TraceLine[] {
  return facts.filter(({ what }) => !ownFacts.has(what)).map(lineOf)
}

export function formatTrace(facts: readonly Fact[]): string {
  return traceOf(facts)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}

function lineOf({ atMs, what, about, key, group, detail }: Fact): TraceLine {
  const t = Math.round(atMs / 10) / 100
  const object = about === 'Step' ? key : about === 'Node' ? `node/${key}` : `pod/${group ?? nameIn(key)}`
  return detail === undefined ? { t, what, object } : { t, what, object, detail }
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
