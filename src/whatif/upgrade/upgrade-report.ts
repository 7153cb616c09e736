import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Store } from '../../store/contract.ts'
import { diffForecasts, type ObjectRow } from '../report/diff.ts'
import type { Forecast, ForecastNote } from '../report/forecast.ts'
import { removedFields } from './removed-fields.ts'
import { touchedBy } from './touched-changes.ts'

export type FindingKind = 'restart' | 'pods' | 'removed' | 'message' | 'gate'

/** One difference that an upgrade of the control plane makes in this cluster. */
export interface UpgradeFinding {
  readonly kind: FindingKind
  readonly what: string
  /** The objects that make it relevant, for example `statefulsets/default/db`. */
  readonly objects: readonly string[]
}

/** What differs in a cluster after an upgrade of its control plane. */
export interface UpgradeReport {
  readonly apiVersion: 'berth.dev/v1alpha1'
  readonly kind: 'UpgradeReport'
  readonly from: string
  readonly to: string
  readonly seconds: number
  readonly isSame: boolean
  readonly findings: readonly UpgradeFinding[]
  readonly notes: readonly ForecastNote[]
}

export interface UpgradeQuestion {
  readonly store: Store
  readonly from: KubernetesRelease
  readonly to: KubernetesRelease
  /** The same steps, played under both releases. */
  readonly before: Forecast
  readonly after: Forecast
  readonly notes: readonly ForecastNote[]
}

/** Reports only what differs: what happens in the two forecasts, and what the objects of the cluster touch. */
export function reportUpgrade({ store, from, to, before, after, notes }: UpgradeQuestion): UpgradeReport {
  const { objects } = diffForecasts(before, after)
  const findings = [
    ...restartsIn(before, after),
    ...placementsIn(objects, (pod) => isPending(store, pod)),
    ...removedFields(store, from, to),
    ...touchedBy(store, from, to),
  ]
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'UpgradeReport',
    from: `v${from.version}`,
    to: `v${to.version}`,
    seconds: after.seconds,
    isSame: findings.length === 0,
    findings,
    notes,
  }
}

/** Existing pods that only the new release deletes, by owner. */
function restartsIn(before: Forecast, after: Forecast): readonly UpgradeFinding[] {
  // Replacements of a StatefulSet have the names of the pods that they replace.
  const leaving = new Set(before.pods.filter((pod) => !pod.isNew && pod.deleted !== undefined).map(({ pod }) => pod))
  const byOwner = new Map<string, string[]>()
  for (const { pod, isNew, deleted, owner, cause } of after.pods) {
    if (isNew || deleted === undefined || leaving.has(pod)) continue
    const why = `pods of ${owner ?? 'no owner'} restart${cause === undefined ? '' : ` (${cause})`}`
    const pods = byOwner.get(why)
    if (pods === undefined) byOwner.set(why, [`pods/${pod}`])
    else pods.push(`pods/${pod}`)
  }
  return [...byOwner].map(([what, objects]) => ({ kind: 'restart', what, objects }))
}

const changeTexts: Readonly<Partial<Record<ObjectRow['change'], string>>> = {
  moved: 'is placed on another node',
  earlier: 'is deleted earlier',
  later: 'is deleted later',
  'deleted only in A': 'is no longer deleted',
  'placed otherwise': 'has pods on other nodes',
  'pending otherwise': 'is pending in one release only',
}

function isPending(store: Store, pod: string): boolean {
  const found = store.get('pods', pod) as Pod | undefined
  return found !== undefined && !found.spec.nodeName
}

/** Pods that are placed, preempted or replaced differently; restarts are reported by owner. */
function placementsIn(rows: readonly ObjectRow[], startsPending: (pod: string) => boolean): readonly UpgradeFinding[] {
  return rows.flatMap(({ object, change, a, b }): readonly UpgradeFinding[] => {
    const text = changeTexts[change]
    if (text === undefined) return []
    // A forecast leaves out a pod whose status it does not change: it is pending as before.
    if (change === 'pending otherwise' && (a === 'unchanged' || b === 'unchanged') && startsPending(object)) {
      const what = `${object} stays pending, but its condition PodScheduled has another message`
      return [{ kind: 'message' as const, what, objects: [`pods/${object}`] }]
    }
    return [{ kind: 'pods' as const, what: `${object} ${text}: ${a}, then ${b}`, objects: [`pods/${object}`] }]
  })
}
