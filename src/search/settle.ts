import type { JsonObject } from '../api/objects/meta.ts'
import { must } from '../base/result.ts'
import { type SettledObjects, settledObjects } from '../whatif/run/settled-objects.ts'
import { readScenario } from '../whatif/scenario/scenario.ts'
import { planOfScenario } from '../whatif/scenario/scenario-plan.ts'
import { noFiles, type SearchInput } from './search-base.ts'

/** Runs the steps and lets the cluster settle. */
export async function settle(
  { document, objects, seed }: SearchInput,
  steps: readonly JsonObject[],
): Promise<SettledObjects> {
  const { expect: _, ...rest } = document
  const scenario = must(await readScenario({ ...rest, cluster: objects, steps, until: '15m0s' }, noFiles))
  return settledObjects(planOfScenario(scenario).plan, seed)
}
