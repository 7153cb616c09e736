import { describe, expect, it } from 'vitest'
import { buildForecast } from '../report/build-forecast.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import { plannedStep } from '../scenario/question.ts'
import type { Step } from '../scenario/step.ts'
import { ForecastRun } from './forecast-run.ts'
import { quietTimeOf } from './quiet-time.ts'
import { randomCluster } from './random-cluster.fixture.ts'
import { deployment, itemsOf, lossTolerated, node, planOn, pod } from './story.fixture.ts'

async function hourOn(objects: readonly object[], steps: readonly Step[] = []): Promise<ForecastPlan> {
  const planned = steps.map((step) => plannedStep(step))
  return planOn(await itemsOf(objects), planned, 3_600_000)
}

const first = { kind: 'names', names: ['n0'] } as const

describe('a run without further changes', () => {
  it.each([
    ['fail', '5', { kind: 'fail', nodes: first }],
    ['taint', '6', { kind: 'taint', nodes: first, taint: { key: 'gone', effect: 'NoExecute' } }],
    ['drain', '7', { kind: 'drain', nodes: first, options: {} }],
    ['cordon', '8', { kind: 'cordon', nodes: first }],
  ] as const)('a run without further changes ends early with the same forecast: %s', async (_, seed, step) => {
    const roomy = ['x', 'y', 'z'].map((name) => node(name, { cpu: '8' }))
    const plan = await hourOn([...randomCluster(seed), ...roomy], [step])
    const early = ForecastRun.start(plan).finish()
    const full = ForecastRun.start(plan, { quietMs: Number.POSITIVE_INFINITY }).finish()
    expect(early.cluster.clock.now()).toBeLessThan(full.cluster.clock.now())
    expect(early.elapsedMs).toBe(3_600_000)
    expect(buildForecast(early)).toEqual(buildForecast(full))
  })

  it('quiet time is longer than the longest toleration', async () => {
    const apps = [deployment('web', 6, { tolerations: lossTolerated(2_000) })]
    const plan = await hourOn(
      [...['n0', 'n1', 'n2'].map((name) => node(name)), ...apps],
      [{ kind: 'fail', nodes: first }],
    )
    expect(quietTimeOf(plan)).toBe(2_060_000)
    const { facts } = ForecastRun.start(plan).finish().recorder
    expect(facts.some(({ what, atMs }) => what === 'terminating' && atMs > 2_000_000)).toBe(true)
  })

  it('quiet time is infinite if a pod has a deadline or a running time', async () => {
    const timed = pod('timed') as { spec: object }
    Object.assign(timed.spec, { activeDeadlineSeconds: 1_800 })
    expect(quietTimeOf(await hourOn([node('a'), timed]))).toBe(Number.POSITIVE_INFINITY)
    const short = pod('short') as { metadata: object }
    Object.assign(short.metadata, { annotations: { 'berth.dev/run-for': '30m' } })
    expect(quietTimeOf(await hourOn([node('a'), short]))).toBe(Number.POSITIVE_INFINITY)
    expect(quietTimeOf(await hourOn([node('a'), pod('plain')]))).toBe(360_000)
  })
})
