import type { KubeObject } from '../../api/objects/meta.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import type { Load } from '../../autoscalers/horizontal-pod-autoscaler/load.ts'
import type { Settings } from '../../controlplane/settings.ts'
import type { WebhookSettings } from '../../controlplane/webhook-answers.ts'
import type { Store } from '../../store/contract.ts'
import type { Expectation } from './expectation.ts'
import type { HollowSettings } from './scenario.ts'
import type { PlannedStep } from './step.ts'

/** The state of a running cluster at one time. */
export interface FoundCluster {
  /** The store is read-only: a run works on a fork. */
  readonly store: Store
  readonly takenAtMs: number
}

/** The input of a run: a cluster, the steps, and the length of the forecast. */
export interface ForecastPlan {
  /** The question as text. */
  readonly title: string
  readonly settings: Settings
  readonly hollow: HollowSettings
  /** Absent: no autoscaler acts. */
  readonly autoscaling?: Autoscaling
  /** The load of workloads, for the Horizontal Pod Autoscaler. */
  readonly load?: readonly Load[]
  /** Absent: the cluster has only the objects of `create`. */
  readonly found?: FoundCluster
  /** The steps between `found` and the start of the forecast. They are not part of the forecast. */
  readonly history?: { readonly steps: readonly PlannedStep[]; readonly lengthMs: number }
  /**
   * Default: events are not recorded. Events use the random numbers of other objects, so uids differ if events are
   * recorded.
   */
  readonly events?: 'record'
  /** Nodes exist, Ready and untainted, before the start. All other objects are created at the start. */
  readonly create: readonly KubeObject[]
  /** Time between the creation of these objects and the start. Absent: the run starts with the creation. */
  readonly settleMs?: number
  readonly steps: readonly PlannedStep[]
  readonly untilMs: number
  /** The run ends this time after the end of an upgrade of nodes, if that is before `untilMs`. */
  readonly afterUpgradeMs?: number
  readonly expect: readonly Expectation[]
  /** How webhooks are answered. Default: they are not answered, and their failurePolicy decides. */
  readonly webhooks?: WebhookSettings
  /** Controllers that must not run, because objects that they need are missing. */
  readonly without?: readonly string[]
}

/** The plan for the same cluster and time without the steps. `elapsedMs`: the length of the run with the steps. */
export function baselineOf(plan: ForecastPlan, elapsedMs = plan.untilMs): ForecastPlan {
  return { ...plan, steps: [], expect: [], untilMs: elapsedMs }
}
