// Expectations about the ready pods of workloads, compared with the run without the steps.

import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import type { WorkloadHistory } from '../facts/workload-watch.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { type Expectation, type ExpectedWorkload, selectsWorkload } from '../scenario/expectation.ts'
import { span } from './phrases.ts'

interface Violation {
  readonly atMs: number
  readonly text: string
}

export function tooFewReady(
  { workload, count }: Extract<Expectation, { readonly kind: 'minReady' }>,
  forecastRun: ForecastRun,
  baseline: ForecastRun | undefined,
): Violation | undefined {
  const found = historiesOf(workload, forecastRun)
  if (found.length === 0) return { atMs: 0, text: `${textOf(workload)} not found` }
  const anyway = new Map(
    baseline === undefined ? [] : historiesOf(workload, baseline).map((one) => [one.workload.id, lowestOf(one)]),
  )
  for (const history of found) {
    const lowest = lowestOf(history)
    const without = anyway.get(history.workload.id) ?? Number.POSITIVE_INFINITY
    if (lowest >= count || lowest >= without) continue
    const { namespace, name } = history.workload
    return {
      atMs: history.lowest?.atMs ?? 0,
      text: `${namespace}/${name} has ${lowest} ready, at least ${count} expected`,
    }
  }
  return undefined
}

function historiesOf(workload: ExpectedWorkload, { recorder, elapsedMs }: ForecastRun): readonly WorkloadHistory[] {
  return recorder.workloads.all(elapsedMs).filter((history) => selectsWorkload(workload, history.workload))
}

/** A workload that was never complete has no lowest number. Its number at the end counts instead. */
function lowestOf({ lowest, ready }: WorkloadHistory): number {
  return lowest?.count ?? ready
}

export function unavailableTooLong(
  { workload, maxMs }: Extract<Expectation, { readonly kind: 'maxUnavailableTime' }>,
  workloads: readonly WorkloadEntry[],
): Violation | undefined {
  const late = workloads
    .filter((entry) => selectsWorkload(workload, entry) && entry.timeUnavailable * 1000 > maxMs)
    // Pods of a DaemonSet belong to their nodes: a failed node is not an outage of the DaemonSet.
    .filter(({ kind }) => kind !== 'DaemonSet' || workload.kind === 'daemonset')
    .toSorted((a, b) => b.timeUnavailable - a.timeUnavailable)[0]
  if (late === undefined) return undefined
  const time = span(late.timeUnavailable * 1000)
  return {
    atMs: late.lowestReady.at * 1000,
    text: `${late.namespace}/${late.name} has too few ready pods for ${time}, at most ${span(maxMs)} allowed`,
  }
}

function textOf({ kind, name, namespace }: ExpectedWorkload): string {
  return `${kind === undefined ? 'workload' : kind} ${namespace ?? '*'}/${name ?? '*'}`
}
