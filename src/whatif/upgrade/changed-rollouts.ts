import { lookupTable } from '../../base/lookup-table.ts'
import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import type { Forecast } from '../report/forecast.ts'
import { span } from '../report/phrases.ts'
import type { UpgradeFinding } from './upgrade-report.ts'

const resources = lookupTable<string>({
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  Job: 'jobs',
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
})

/** Workloads that the same steps affect differently in the two releases. */
export function changedRollouts(before: Forecast, after: Forecast): readonly UpgradeFinding[] {
  const old = new Map(before.workloads.map((entry) => [nameOf(entry), entry]))
  return after.workloads.flatMap((entry): readonly UpgradeFinding[] => {
    const known = old.get(nameOf(entry))
    const differences = known === undefined ? [] : differencesOf(known, entry)
    if (differences.length === 0) return []
    const resource = resources[entry.kind] ?? entry.kind.toLowerCase()
    return [
      {
        kind: 'rollout',
        what: `${nameOf(entry)}: ${differences.join('; ')}`,
        objects: [`${resource}/${entry.namespace}/${entry.name}`],
      },
    ]
  })
}

const nameOf = ({ kind, namespace, name }: WorkloadEntry): string => `${kind} ${namespace}/${name}`

function differencesOf(a: WorkloadEntry, b: WorkloadEntry): readonly string[] {
  const texts: string[] = []
  const compare = (x: string, y: string, say: (then: string, now: string) => string) => {
    if (x !== y) texts.push(say(x, y))
  }
  const ready = ({ lowestReady, replicas }: WorkloadEntry) => `${lowestReady.count} of ${replicas}`
  const since = ({ recovered }: WorkloadEntry) => (recovered === undefined ? 'not at all' : span(recovered * 1000))
  compare(ready(a), ready(b), (then, now) => `at least ${now} pods are ready instead of ${then}`)
  compare(since(a), since(b), (then, now) => `it has all its pods after ${now} instead of ${then}`)
  compare(String(a.deleted), String(b.deleted), (then, now) => `${now} pods are deleted instead of ${then}`)
  return texts
}
