import type { KubeObject } from '../../api/objects/meta.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import { ForecastRun } from './forecast-run.ts'

/** A cluster after some time. */
export interface SettledObjects {
  /** As `kubectl get -o json` would print them. */
  readonly objects: readonly KubeObject[]
  /** Set if every pod that should run is ready. */
  readonly isWell: boolean
}

/** Runs a plan. The objects at its end are the cluster of another plan. */
export function settledObjects(plan: ForecastPlan, seed = '1'): SettledObjects {
  // Kubelets write their Leases, so that the kubelets are known to be alive in the new cluster.
  const run = ForecastRun.start(plan, { seed, heartbeats: 'written', statuses: 'stored' }).finish()
  const { store } = run.cluster
  return {
    objects: store.resources().flatMap((resource) => store.list(resource)),
    isWell: run.recorder.wellAgainMs !== undefined,
  }
}
