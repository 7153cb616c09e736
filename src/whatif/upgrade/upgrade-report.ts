import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Store } from '../../store/contract.ts'
import type { Forecast, ForecastNote } from '../report/forecast.ts'
import type { ClusterInput } from '../snapshot/found-cluster.ts'
import { type FoundComponent, refusedGates } from '../snapshot/found-control-plane.ts'
import { changedOutcomes, restarts } from './changed-outcomes.ts'
import { changedRollouts } from './changed-rollouts.ts'
import { changedPendingMessages, type PendingMessage } from './pending-messages.ts'
import { removedFields } from './removed-fields.ts'
import { touchedBy } from './touched-changes.ts'

export type FindingKind = 'restart' | 'rollout' | 'pods' | 'removed' | 'message' | 'gate'

/** One difference that an upgrade of the control plane makes in this cluster. */
export interface UpgradeFinding {
  readonly kind: FindingKind
  readonly what: string
  /** The text of a message in the release of the cluster. */
  readonly before?: string
  /** The text of the message in the new release. */
  readonly after?: string
  /** The difference for each object. */
  readonly details?: readonly string[]
  /** The objects that make the difference relevant, for example `statefulsets/default/db`. */
  readonly objects: readonly string[]
}

/** The differences in a cluster after an upgrade of its control plane. */
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

/** A run under one of the releases. */
export interface UpgradeRun {
  /** With the gates that the control plane sets. */
  readonly release: KubernetesRelease
  readonly forecast: Forecast
  readonly messages: readonly PendingMessage[]
}

export interface UpgradeQuestion {
  readonly found: Pick<ClusterInput, 'cluster' | 'kubernetes'>
  /** The runs of the same steps under both releases. */
  readonly before: UpgradeRun
  readonly after: UpgradeRun
  readonly notes: readonly ForecastNote[]
}

/** Reports only differences: between the two forecasts, and changes that affect objects of the cluster. */
export function reportUpgrade({ found, before, after, notes }: UpgradeQuestion): UpgradeReport {
  const { store } = found.cluster
  const [{ release: from }, { release: to }] = [before, after]
  const findings = [
    ...restarts(before.forecast, after.forecast),
    ...changedRollouts(before.forecast, after.forecast),
    ...changedOutcomes(before.forecast, after.forecast, (pod) => isPending(store, pod)),
    ...refusedByComponents(found.kubernetes.components ?? [], to),
    ...removedFields(store, from, to),
    ...changedPendingMessages(before.messages, after.messages),
    ...touchedBy(store, from, to),
  ]
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'UpgradeReport',
    from: `v${from.version}`,
    to: `v${to.version}`,
    seconds: after.forecast.seconds,
    isSame: findings.length === 0,
    findings,
    notes,
  }
}

/** A component of the new release does not start with an unknown gate. */
function refusedByComponents(
  components: readonly FoundComponent[],
  release: KubernetesRelease,
): readonly UpgradeFinding[] {
  const found = new Map<string, string[]>()
  for (const { component, pod, why } of refusedGates(components, release)) {
    const what = `${component} v${release.version} does not start: ${why}`
    found.set(what, [...(found.get(what) ?? []), `pods/${pod}`])
  }
  return [...found].map(([what, objects]) => ({ kind: 'removed', what, objects }))
}

function isPending(store: Store, pod: string): boolean {
  const found = store.get('pods', pod) as Pod | undefined
  return found !== undefined && !found.spec.nodeName
}
