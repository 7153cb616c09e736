import type { KubeObject } from '../../api/objects/meta.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { buildForecast } from '../report/build-forecast.ts'
import type { Forecast } from '../report/forecast.ts'
import { baselineOf } from '../scenario/forecast-plan.ts'
import { readScenario, scenarioApiVersion } from '../scenario/scenario.ts'
import { planOfScenario } from '../scenario/scenario-plan.ts'
import { NoClusterError } from '../snapshot/sorted-objects.ts'
import { ForecastRun } from './forecast-run.ts'
import { StepError } from './step-runner.ts'

/** A question to a cluster, with the fields of a scenario file. */
export interface ForecastRequest {
  /** Objects from `kubectl get -o json`, or manifests. */
  readonly cluster: readonly KubeObject[]
  /** `[{ at: '0s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]` */
  readonly steps: readonly object[]
  /** Length of the forecast: `1h`. */
  readonly until: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly hollow?: object
  /** Autoscalers besides those that the cluster itself shows. */
  readonly autoscaling?: object
  readonly expect?: object
  readonly name?: string
  readonly seed?: string
}

/** Forecasts the behavior of the cluster. The library form of `berth simulate`. */
export async function forecast({
  name = 'forecast',
  seed = '1',
  ...scenarioFields
}: ForecastRequest): Promise<Result<Forecast>> {
  const common = { apiVersion: scenarioApiVersion, kind: 'Scenario', metadata: { name } }
  // As in `berth whatif`, pods start as fast as they did in the cluster.
  const document = { ...common, hollow: { pack: 'forecast' }, ...scenarioFields }
  const scenario = await readScenario(document, async (file) => {
    throw new StepError(`${file}: files are not supported here; pass the objects`)
  })
  if (!scenario.ok) return scenario
  try {
    const { plan, notes } = planOfScenario(scenario.value)
    const forecastRun = ForecastRun.start(plan, { seed }).finish()
    const baseline = ForecastRun.start(baselineOf(plan, forecastRun.elapsedMs), { seed }).finish()
    return done(buildForecast(forecastRun, { notes, baseline }))
  } catch (error) {
    if (error instanceof StepError || error instanceof NoClusterError) return failed(error.message)
    throw error
  }
}
