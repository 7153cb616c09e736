import { encodeJson } from '../../base/exact-json.ts'

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

/** One event in a run, with details that reports need and traces do not have. */
export interface Fact {
  /** Milliseconds since the start. */
  readonly atMs: number
  readonly what: FactKind
  readonly about: 'Pod' | 'Node' | 'Step'
  /** `namespace/name` of a pod, the name of a node, the kind of a step. */
  readonly key: string
  readonly uid: string
  /**
   * The name of a pod of a workload, or of a node of an autoscaler, in traces. Generated names differ from run to run.
   */
  readonly group?: string
  readonly detail?: unknown
  /** The controller that made the change; absent for steps of the scenario. */
  readonly by?: string
}

/** One line of a trace, in the format of recordings of the real components. */
export interface TraceLine {
  /** Time in seconds. */
  readonly t: number
  readonly what: string
  readonly object: string
  /** The namespace of a pod. Set only in forecasts: recordings have no namespaces. */
  readonly namespace?: string
  readonly detail?: unknown
}

// Facts for reports only; traces do not have them.
const ownFacts: ReadonlySet<FactKind> = new Set(['started', 'ended', 'recovered'])

/** `namespaces`: lines about pods have their namespace. */
export function traceOf(facts: readonly Fact[], namespaces = false): readonly TraceLine[] {
  const made = new Map(
    facts.flatMap(({ about, key, group }) => (about === 'Node' && group !== undefined ? [[key, group]] : [])),
  )
  return facts
    .filter(({ what }) => !ownFacts.has(what))
    .map((fact) => {
      const isNamespaced = namespaces && fact.about === 'Pod'
      return lineOf(fact, made, isNamespaced ? fact.key.slice(0, fact.key.indexOf('/')) : undefined)
    })
}

export function formatTrace(facts: readonly Fact[]): string {
  return traceOf(facts)
    .map((line) => `${encodeJson(line)}\n`)
    .join('')
}

/** `made`: the nodes of an autoscaler, with the names that represent them. */
function lineOf(
  { atMs, what, about, key, group, detail: given }: Fact,
  made: ReadonlyMap<string, string>,
  namespace: string | undefined,
): TraceLine {
  const detail = typeof given === 'string' && about === 'Pod' ? (made.get(given) ?? given) : given
  const t = Math.round(atMs / 10) / 100
  const object = about === 'Step' ? key : about === 'Node' ? `node/${group ?? key}` : `pod/${group ?? nameIn(key)}`
  if (namespace === undefined) return detail === undefined ? { t, what, object } : { t, what, object, detail }
  return detail === undefined ? { t, what, object, namespace } : { t, what, object, namespace, detail }
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}
