import type { JsonObject } from '../api/objects/meta.ts'
import { must } from '../base/result.ts'
import { noFiles, type SearchInput, withWebhooks } from '../search/search-base.ts'
import { buildForecast } from '../whatif/report/build-forecast.ts'
import type { Forecast } from '../whatif/report/forecast.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { baselineOf } from '../whatif/scenario/forecast-plan.ts'
import { readScenario } from '../whatif/scenario/scenario.ts'
import { planOfScenario } from '../whatif/scenario/scenario-plan.ts'

export interface ReplayedScenario {
  readonly run: ForecastRun
  readonly forecast: Forecast
}

/** The plan that berth simulate runs for the scenario of a case. */
export async function replayOf(input: SearchInput, steps: readonly JsonObject[]): Promise<ReplayedScenario> {
  const { document, objects, seed } = input
  const scenario = must(await readScenario({ ...document, cluster: objects, steps }, noFiles))
  const { plan: written, notes } = planOfScenario(scenario)
  const plan = withWebhooks(written, input)
  const baseline = ForecastRun.start(baselineOf(plan), { seed }).finish()
  const run = ForecastRun.start(plan, { seed }).finish()
  return { run, forecast: buildForecast(run, { notes, baseline }) }
}
