import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { buildForecast } from '../report/build-forecast.ts'
import { readScenario } from '../scenario/scenario.ts'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { deployment, dumpOf, lossTolerated, node, pod, runScenario, told } from './story.fixture.ts'

const { zoneA, zoneB } = createScenarioNodes()

const untimed = (lines: readonly string[]) => lines.map((line) => line.slice(line.indexOf(' ') + 1))

describe('steps for faults', () => {
  it('ends a failure after its time', async () => {
    const { recorder } = await runScenario({
      cluster: zoneA(3),
      steps: [{ at: '5s', fail: { node: 'a1', for: '20s' } }],
    })
    expect(untimed(told(recorder.facts, 'ready'))).toEqual(['a1 ready Unknown', 'a1 ready True'])
  })

  it('repeats a failure', async () => {
    const { recorder } = await runScenario({
      cluster: zoneA(3),
      steps: [{ at: '5s', silence: { node: 'a1', for: '12s', every: '15s', times: 3 } }],
    })
    expect(untimed(told(recorder.facts, 'ready')).filter((line) => line === 'a1 ready Unknown')).toHaveLength(3)
  })

  it('pauses a controller, which keeps its state and continues later', async () => {
    const { recorder } = await runScenario({
      cluster: zoneA(1),
      steps: [
        { at: '5s', pause: { controller: 'scheduler', for: '20s' } },
        { at: '10s', apply: pod('p') },
      ],
    })
    expect(told(recorder.facts, 'bound')).toEqual(['25s p bound a1'])
  })

  it('does not mark nodes Unknown after an outage of the API server, because controllers restart', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(3), ...zoneB(3), pod('p', { on: 'a1', tolerations: lossTolerated(1) })],
      steps: [{ at: '5s', outage: { for: '20s' } }],
    })
    expect(told(recorder.facts, 'ready', 'tainted', 'terminating')).toEqual([])
  })

  it('creates nothing during an outage of the API server', async () => {
    const { recorder } = await runScenario({
      cluster: [...zoneA(2), deployment('web', 1)],
      steps: [
        { at: '10s', outage: { for: '20s' } },
        { at: '15s', scale: { target: 'deployment/web', replicas: 2 } },
      ],
    })
    expect(told(recorder.facts, 'created', 'bound').slice(2)).toEqual(['30s web-* created', '30s web-* bound a2'])
  })

  it('sets the clock for timestamps', async () => {
    const forecastRun = await runScenario({
      cluster: zoneA(1),
      steps: [
        { at: '5s', clock: { by: '-1h' } },
        { at: '10s', apply: pod('p') },
      ],
    })
    const created = forecastRun.cluster.store.get('pods', 'default/p')?.metadata.creationTimestamp
    expect(Date.parse(created ?? '') - forecastRun.startMs).toBe(10_000 - 3_600_000)
  })

  it('adds no node while the cloud has no capacity', async () => {
    const size = { cpu: '4', memory: '8Gi', pods: '110' }
    const story = (lasts: object) => ({
      autoscaling: {
        clusterAutoscaler: {
          nodeGroups: [
            { name: 'web', max: 3, template: { metadata: {}, status: { capacity: size, allocatable: size } } },
          ],
        },
      },
      cluster: [node('a1', { cpu: '1' })],
      until: '20m',
      steps: [
        { at: '0s', stockOut: { nodeGroup: 'web', ...lasts } },
        { at: '5s', apply: pod('p', { cpu: '2' }) },
      ],
    })
    const forever = await runScenario(story({}))
    expect(told(forever.recorder.facts, 'bound')).toEqual([])
    const aWhile = await runScenario(story({ for: '1m' }))
    expect(told(aWhile.recorder.facts, 'bound')).toHaveLength(1)
  })

  it('rejects a repetition without a duration', async () => {
    const document = {
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'Scenario',
      until: '1m',
      steps: [{ at: '0s', fail: { node: 'a', times: 2 } }],
    }
    expect(await readScenario(document, async () => [])).toEqual({
      ok: false,
      message: 'steps[0].fail.for: is required with every and times',
    })
  })
})

describe('expectations about states that last', () => {
  const expectations = async (story: object, expectAll: object) => {
    const dump = (await dumpOf([...zoneA(3), deployment('web', 2), deployment('big', 2, { cpu: '1500m' })])) as {
      items: object[]
    }
    const forecastRun = await runScenario({
      config: {},
      hollow: {},
      until: '1h',
      cluster: dump.items,
      expect: expectAll,
      ...story,
    })
    return buildForecast(forecastRun).expectations.map(({ holds, violation }) => (holds ? 'met' : violation?.text))
  }

  it('reports the first workload with fewer ready pods than required, and the duration', async () => {
    const steps = [{ at: '10s', fail: { zone: 'zone-a', for: '5m' } }]
    expect(await expectations({ steps }, { workloadsAvailable: true })).toEqual([
      expect.stringMatching(/^default\/(web|big) has 0 of 2 ready for \d+m\d+s; at least 1 required$/),
    ])
    expect(await expectations({ steps }, { workloadsAvailable: { for: '10m' } })).toEqual(['met'])
  })

  it('reports a pod that is pending for too long, at any time', async () => {
    const steps = [
      { at: '0s', cordon: { zone: 'zone-a' } },
      { at: '10s', apply: pod('p') },
      { at: '15m', uncordon: { zone: 'zone-a' } },
    ]
    expect(await expectations({ steps }, { noPodPending: { for: '10m' } })).toEqual([
      expect.stringContaining('default/p is pending for 10m0s: 0/3 nodes are available'),
    ])
    expect(await expectations({ steps }, { noPodPending: { for: '20m' } })).toEqual(['met'])
  })

  it('reports a pod that stays Terminating on a Ready node', async () => {
    const stuck = { ...(pod('p') as { metadata: object }), metadata: { name: 'p', finalizers: ['example.com/hold'] } }
    const steps = [
      { at: '0s', apply: stuck },
      { at: '1m', delete: 'pod/default/p' },
    ]
    expect(await expectations({ steps }, { noPodStuck: true })).toEqual([
      expect.stringMatching(/^default\/p is Terminating for 10m0s on a\d, which is Ready$/),
    ])
  })
})

it('reads expectations in the form that the search writes', async () => {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    until: '1h',
    steps: [{ at: '0s', remove: { node: 'a' } }],
    expect: { workloadsAvailable: true, noPodPending: { for: '10m' }, noPodStuck: { for: '5m' } },
  }
  expect(must(await readScenario(document, async () => [])).steps[0]?.step.kind).toBe('remove')
})
