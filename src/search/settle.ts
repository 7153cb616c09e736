import type { JsonObject } from '../api/objects/meta.ts'
import { must } from '../base/result.ts'
import { type SettledObjects, settledObjects } from '../whatif/run/settled-objects.ts'
import { readScenario } from '../whatif/scenario/scenario.ts'
import { planOfScenario } from '../whatif/scenario/scenario-plan.ts'
import { noFiles, type SearchInput, withWebhooks } from './search-base.ts'

/** Runs the steps and lets the cluster settle. */
export async function settle(input: SearchInput, steps: readonly JsonObject[]): Promise<SettledObjects> {
  const { document, objects, seed } = input
  const { expect: _, ...rest } = document
  const scenario = must(await readScenario({ ...rest, cluster: objects, steps, until: '15m0s' }, noFiles))
  return settledObjects(withWebhooks(planOfScenario(scenario).plan, input), seed)
}
