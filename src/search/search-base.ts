import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import { must } from '../base/result.ts'
import type { Store } from '../store/contract.ts'
import { findLoops } from '../whatif/facts/loops.ts'
import { PodTally } from '../whatif/facts/pod-tally.ts'
import { RequiredWorkloads, WorkloadAvailability } from '../whatif/facts/workload-availability.ts'
import { type BaselineFacts, baselineFacts } from '../whatif/report/baseline-facts.ts'
import type { ForecastNote, Loop } from '../whatif/report/forecast.ts'
import { counted } from '../whatif/report/phrases.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { quietTimeOf } from '../whatif/run/quiet-time.ts'
import type { Expectation } from '../whatif/scenario/expectation.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import { readScenario } from '../whatif/scenario/scenario.ts'
import { planOfScenario } from '../whatif/scenario/scenario-plan.ts'
import { type FaultScope, faultScopeOf } from './fault-scope.ts'

/** The input of a search: plain data, which can be sent to other threads. */
export interface SearchInput {
  /** A scenario without `cluster` and `steps`. */
  readonly document: JsonObject
  readonly objects: readonly KubeObject[]
  readonly seed: string
  /** How webhooks are answered. `live` cannot be sent to other threads, so the search then runs in one thread. */
  readonly webhooks?: NonNullable<ForecastPlan['webhooks']>
}

/** The cluster before any fault. Every case runs on a fork of its store. */
export interface SearchBase {
  readonly input: SearchInput
  readonly plan: ForecastPlan
  readonly store: Store
  readonly notes: readonly ForecastNote[]
  readonly scope: FaultScope
  readonly workloads: RequiredWorkloads
  readonly tally: PodTally
  /** The time without changes after which no further change can happen. */
  readonly quietMs: number
  /** Expectations that each case checks, and those about the availability of workloads. */
  readonly expect: readonly Expectation[]
  readonly availability: readonly Extract<Expectation, { readonly kind: 'workloadsAvailable' }>[]
  /** The run without a fault. */
  readonly baseline: Baseline
}

export interface Baseline {
  readonly run: ForecastRun
  readonly facts: BaselineFacts
  readonly loops: readonly Loop[]
  /** Workloads with a shortage, and paths of expectations that are not met, without any fault. */
  readonly short: ReadonlySet<string>
  readonly broken: ReadonlySet<string>
}

/**
 * Problems without a fault, which do not count in any case: workloads that are short of pods, expectations, and pending
 * pods.
 */
export function ignoredBy({ baseline: { short, broken }, tally }: SearchBase): readonly string[] {
  const { pending } = tally.states
  return [
    ...[...short].map((workload) => `${workload} is short of ready pods`),
    ...[...broken].map((path) => `${path} is not met`),
    ...(pending === 0 ? [] : [`${counted(pending, 'pod')} ${pending === 1 ? 'is' : 'are'} pending at the start`]),
  ]
}

/** The cluster has no objects, or only manifests. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError'
}

export async function createSearchBase(input: SearchInput): Promise<SearchBase> {
  const scenario = must(await readScenario({ ...input.document, cluster: input.objects }, noFiles))
  const { plan: written, notes } = planOfScenario(scenario)
  const plan = withWebhooks(written, input)
  const { found } = plan
  if (found === undefined) throw new NotSettledError('the objects are manifests')
  const { store } = found
  const workloads = new RequiredWorkloads(store)
  const tally = new PodTally(store.list('pods') as readonly Pod[])
  const isAvailability = (one: Expectation): one is SearchBase['availability'][number] =>
    one.kind === 'workloadsAvailable'
  const expect = plan.expect.filter((one) => !isAvailability(one))
  const baseline = baselineOf({ ...plan, expect }, input.seed, workloads)
  return {
    input,
    plan,
    store,
    notes,
    scope: faultScopeOf(store, plan, workloads.all),
    workloads,
    tally,
    quietMs: quietMsOf(plan),
    expect: expect.filter(({ path }) => !baseline.broken.has(path)),
    availability: plan.expect.filter(isAvailability),
    baseline,
  }
}

/** The plan of a scenario with the answers of webhooks, which a scenario does not contain. */
export function withWebhooks(plan: ForecastPlan, { webhooks }: Pick<SearchInput, 'webhooks'>): ForecastPlan {
  return webhooks === undefined ? plan : { ...plan, webhooks }
}

export async function noFiles(file: string): Promise<never> {
  throw new Error(`${file}: a search has no files`)
}

function baselineOf(plan: ForecastPlan, seed: string, workloads: RequiredWorkloads): Baseline {
  const availability = new WorkloadAvailability(workloads)
  const run = ForecastRun.start(plan, { seed, observe: (changes, atMs) => availability.take(changes, atMs) }).finish()
  availability.judge()
  return {
    run,
    facts: baselineFacts(run),
    loops: findLoops(run.recorder, run.elapsedMs),
    short: new Set(availability.shortages.map(({ workload }) => workload.name)),
    broken: new Set(run.expectations().flatMap(({ holds, path }) => (holds ? [] : [path]))),
  }
}

// The time for the longest timer of Cluster Autoscaler (v1.36, --scale-down-unready-time) and another minute.
const autoscalerMs = 21 * 60_000

function quietMsOf({ autoscaling, ...plan }: ForecastPlan): number {
  const withoutMs = quietTimeOf(plan)
  return autoscaling === undefined ? withoutMs : Math.max(withoutMs, autoscalerMs)
}
