import type { KubeObject } from '../../api/objects/meta.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { buildForecast } from '../report/build-forecast.ts'
import type { Forecast } from '../report/forecast.ts'
import { Rehearsal } from '../run/rehearsal.ts'
import { StepError } from '../run/step-runner.ts'
import { NoClusterError } from '../snapshot/found-cluster.ts'
import { readScenario, scenarioApiVersion } from './scenario.ts'
import { planOfScenario } from './scenario-plan.ts'

/** A question to a cluster, in the words of a scenario file. */
export interface Question {
  /** What `kubectl get -o json` gave, or manifests. */
  readonly cluster: readonly KubeObject[]
  /** `[{ at: '0s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]` */
  readonly steps: readonly object[]
  /** How far to look: `1h`. */
  readonly until: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly hollow?: object
  readonly expect?: object
  readonly name?: string
  readonly seed?: string
}

/** What the cluster would do. For programs: `berth simulate` is the same for people. */
export async function forecast({ name = 'forecast', seed = '1', ...story }: Question): Promise<Result<Forecast>> {
  const document = { apiVersion: scenarioApiVersion, kind: 'Scenario', metadata: { name }, ...story }
  const scenario = await readScenario(document, async (file) => {
    throw new StepError(`${file}: objects are given here, not files`)
  })
  if (!scenario.ok) return scenario
  try {
    const { plan, notes } = planOfScenario(scenario.value)
    return done(buildForecast(new Rehearsal(plan, { seed }).finish(), { notes }))
  } catch (error) {
    if (error instanceof StepError || error instanceof NoClusterError) return failed(error.message)
    throw error
  }
}
