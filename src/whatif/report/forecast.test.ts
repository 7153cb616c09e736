import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { condense } from '../facts/timeline.ts'
import { forecast } from '../run/forecast.ts'
import { rangeOfSeeds } from '../run/seeds.ts'
import {
  budget,
  deployment,
  dumpOf,
  lossTolerated,
  node,
  pod,
  priorityClass,
  runScenario,
} from '../run/story.fixture.ts'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { answerLines } from './answer-lines.ts'
import { buildForecast } from './build-forecast.ts'
import { diffForecasts } from './diff.ts'
import type { Forecast } from './forecast.ts'
import { forecastPage } from './report-page.ts'

const { zoneA, zoneB } = createScenarioNodes()
// test/browser tests the built browser code.
const code = { script: "document.title += '</script>'", style: 'body { margin: 0 }' }
const forecastOf = async (story: object, seed = '1'): Promise<Forecast> =>
  buildForecast(await runScenario(story, { seed }))

const outage = {
  cluster: [
    ...zoneA(2),
    ...zoneB(2),
    budget('web', 3),
    deployment('web', 4, { tolerations: lossTolerated(3) }),
    pod('solo', { on: 'a1', tolerations: lossTolerated(5) }),
  ],
  steps: [{ at: '10s', silence: { node: 'a1' } }],
}

describe('the answer of a forecast', () => {
  it('reports what breaks and for how long, what moves, and a remedy, in at most five lines', async () => {
    const { answer, reason } = await forecastOf(outage)
    expect(reason).toBe('default/solo is lost')
    expect(answer.lines).toEqual([
      'Fewer ready pods: default/solo (none ready from 18.3s to the end) and 1 more.',
      expect.stringMatching(/^2 pods are deleted from 21\.4s to 23\.4s \(evicted by taint\); 1 moves and 5 are new: /),
      'To do: before the change, recreate the pods without a controller on other nodes.',
    ])
    expect(answer).toMatchObject({ deleted: 2, replaced: 1, lost: 1, pending: 0, budgetsBroken: [] })
  })

  it('marks the nodes that also change without the steps', async () => {
    const { items } = (await dumpOf([node('a1'), node('a2')])) as { items: KubeObject[] }
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }
    const cluster = items.map((item) =>
      item.kind === 'Node' && item.metadata.name === 'a2' ? { ...item, spec: { taints: [taint] } } : item,
    )
    const { nodes } = must(await forecast({ cluster, steps: [{ at: '0s', cordon: { node: 'a1' } }], until: '5m' }))
    expect(nodes.map(({ node: name, taints, changesAnyway }) => [name, taints.length, changesAnyway])).toEqual([
      ['a1', 1, undefined],
      ['a2', 0, true],
    ])
  })

  it('names the worst of many workloads with complete numbers, and gives a remedy for the same workload', async () => {
    const apps = ['cart', 'checkout', 'search'].flatMap((name) => [
      deployment(name, 4, { on: 'a1', tolerations: lossTolerated(3), grace: 1 }),
      budget(name, 3),
    ])
    const { answer, workloads } = await forecastOf({
      cluster: [...zoneA(2), ...apps],
      steps: [{ at: '10s', fail: { node: 'a1' } }],
    })
    const [worst] = workloads
    const [first, ...rest] = answer.lines
    expect(first).toMatch(/^3 workloads are below their budgets; the worst: \S+ \(none ready from \S+ to the end\)\.$/)
    expect(first).toContain(`default/${worst?.name}`)
    expect(rest.at(-1)).toContain(`default/${worst?.name};`)
  })

  it('reports how long a workload is below its budget, not how long it has fewer pods than before', async () => {
    const facts = await forecastOf({
      cluster: [...zoneA(2), budget('web', 2), deployment('web', 2)],
      steps: [{ at: '10s', taint: { node: 'a1', taint: 'gone:NoExecute' } }],
      until: '30s',
    })
    const workloads = facts.workloads.map((web) => ({
      ...web,
      lowestReady: { count: 1, at: 10 },
      recovered: 25,
      timeUnavailable: 11,
      timeBelowBudget: 7,
    }))
    expect(answerLines({ ...facts, workloads })[0]).toBe(
      'Below the disruption budget: default/web (1 of 2 ready at 10s, for 7s).',
    )
  })

  it('reports why pods remain pending, and for how long a disruption budget is violated', async () => {
    const { answer, budgets, pods } = await forecastOf({
      cluster: [
        node('a1', { cpu: '1' }),
        node('a2', { cpu: '1' }),
        budget('web', 2),
        deployment('web', 2, { cpu: '800m' }),
      ],
      steps: [{ at: '10s', taint: { node: 'a1', taint: 'gone:NoExecute' } }],
      until: '30s',
    })
    expect(answer.lines).toEqual([
      'Below the disruption budget: default/web (1 of 2 ready at 10s, not recovered).',
      'Pending at the end: 1 of default/web: Insufficient cpu, untolerated taint(s).',
      '1 pod is deleted at 10s (evicted by taint); no pods move.',
      'To do: drain instead; evictions by a NoExecute taint ignore disruption budgets.',
    ])
    expect(budgets).toEqual([{ budget: 'default/web', from: 10, healthy: 1, desired: 2, before: false }])
    expect(pods.find(({ pending }) => pending !== undefined)?.pending).toContain('1 Insufficient cpu')
  })

  it('counts the pods that are placed on failed nodes before the failure is known', async () => {
    const lost = lossTolerated(3)
    const { answer } = await forecastOf({
      cluster: [...zoneA(1), ...zoneB(1)],
      steps: [
        { at: '10s', fail: { node: 'a1' } },
        { at: '11s', apply: [deployment('web', 2, { on: 'a1', tolerations: lost })] },
      ],
      until: '20s',
    })
    expect(answer).toMatchObject({ landed: [{ node: 'a1', pods: 2 }], unstarted: 2 })
  })

  it('shortens a long line by omitting nodes and details of causes, not numbers', async () => {
    const facts = await forecastOf(outage)
    const answer = {
      ...facts.answer,
      causes: { evicted: 81, 'garbage-collected (node deleted)': 24 },
      landed: [{ node: 'a2', pods: 103 }],
      firstDeletion: 60,
      lastDeletion: 580,
    }
    const upgraded = { ...facts, answer, caused: { ...facts.caused, podsDeleted: 105, podsMoved: 95 } }
    const line = (width: number) => answerLines(upgraded, width).find((each) => each.includes('are deleted'))
    expect(line(120)).toBe(
      '105 pods are deleted from 1m0s to 9m40s (81 evicted, 24 garbage-collected); 95 move and 8 are new: a2 (103).',
    )
    expect(line(100)).toBe(
      '105 pods are deleted from 1m0s to 9m40s (81 evicted, 24 garbage-collected); 95 move and 8 are new.',
    )
    const dead = { ...upgraded, answer: { ...answer, unstarted: 12 } }
    expect(answerLines(dead, 160).find((each) => each.includes('are deleted'))).toContain(
      '; 95 move and 8 are new (12 to nodes that are not ready): a2 (103).',
    )
    const far = {
      ...answer,
      landed: ['a2', 'a3'].map((node) => ({ node: `${node}.${'rack-'.repeat(20)}1`, pods: 50 })),
    }
    expect(answerLines({ ...upgraded, answer: far }, 120).find((each) => each.includes('are deleted'))).toBe(
      '105 pods are deleted from 1m0s to 9m40s (81 evicted, 24 garbage-collected: node deleted); 95 move and 5 are new.',
    )
    expect(line(80)).toBe('105 pods are deleted from 1m0s to 9m40s; 95 move and 8 are new.')
  })

  it('reports one time if the first and the last deletion round to the same time', async () => {
    const facts = await forecastOf(outage)
    const answer = { ...facts.answer, firstDeletion: 351.1, lastDeletion: 351.4 }
    expect(answerLines({ ...facts, answer }).find((each) => each.includes('are deleted'))).toContain(' at 5m51s ')
  })

  it('reports the number of workloads with pods that remain pending', async () => {
    const facts = await forecastOf(outage)
    const pending = [{ reason: 'Insufficient cpu', count: 2 }]
    const workloads = ['cart', 'checkout', 'search'].flatMap((name) =>
      facts.workloads.slice(0, 1).map((entry) => ({ ...entry, name, pending })),
    )
    expect(answerLines({ ...facts, workloads }, 90).find((each) => each.startsWith('Pending'))).toBe(
      'Pending at the end: 6 pods of 3 workloads; 2 of default/cart: Insufficient cpu.',
    )
  })

  it('reports that nothing happens without steps', async () => {
    const forecast = await forecastOf({ cluster: zoneA(1) })
    expect(forecast.answer.lines).toEqual(['No pods are deleted.'])
  })

  it('counts requested resources and room for more pods', async () => {
    const { before, after } = await forecastOf({ cluster: [...zoneA(2), deployment('web', 4, { cpu: '1' })] })
    expect(before.cpu).toEqual({ requested: 0, allocatable: 8000 })
    expect(after).toMatchObject({ cpu: { requested: 4000, allocatable: 8000 }, room: 4, fragmentation: 0 })
    expect(after.pods.running).toBe(4)
  })
})

describe('a drain', () => {
  const cluster = [...zoneA(3), budget('db', 2), deployment('db', 2), deployment('web', 3)]

  it('reports drained nodes in the order of the drain', async () => {
    const { drains, answer } = await forecastOf({
      cluster: [...zoneA(3), deployment('web', 3)],
      steps: [{ at: '5s', drain: { nodes: ['a1', 'a2'], oneByOne: true } }],
    })
    expect(drains?.drained.map(({ node: name }) => name)).toEqual(['a1', 'a2'])
    expect(answer.lines[0]).toBe('Drained: a1 at 7s, a2 at 9s.')
  })

  it('reports pods that a disruption budget blocks, and drains other nodes in the meantime', async () => {
    const { drains } = await forecastOf({
      cluster,
      steps: [{ at: '5s', drain: { nodes: ['a1', 'a2', 'a3'], oneByOne: true } }],
      until: '10m',
    })
    expect(drains?.drained.length).toBeGreaterThanOrEqual(1)
    expect(drains?.open.length).toBeGreaterThanOrEqual(1)
    expect(drains?.blocked[0]?.why).toBe('The disruption budget db needs 2 healthy pods and has 2 currently')
  })

  it('refuses to drain a pod without a controller unless forced, as kubectl does', async () => {
    const story = (force: boolean) => ({
      cluster: [...zoneA(2), pod('solo', { on: 'a1' })],
      steps: [{ at: '5s', drain: { node: 'a1', force } }],
    })
    const refused = await forecastOf(story(false))
    expect(refused.drains?.blocked[0]?.why).toBe('declares no controller (use --force to override)')
    expect(refused.answer.deleted).toBe(0)
    expect((await forecastOf(story(true))).answer).toMatchObject({ deleted: 1, lost: 1 })
  })
})

describe('loops', () => {
  it('detects a loop if a pod is placed, evicted and placed again', async () => {
    const tolerations = [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }]
    const { loops, reason } = await forecastOf({
      cluster: [node('a1'), deployment('web', 1, { tolerations })],
      steps: [{ at: '5s', taint: { node: 'a1', taint: 'gone:NoExecute' } }],
    })
    expect(loops.map(({ kind }) => kind)).toEqual(['place-evict', 'unsettled'])
    expect(loops[0]?.text).toMatch(/^default\/web-\* is placed on a1 and evicted again, \d+ times since 10s/)
    expect(reason).toBe('2 loops detected')
  })

  it('detects no loop in a long eviction of pods that existed at the start', async () => {
    const old = Array.from({ length: 9 }, (_, i) => `a${i + 1}`)
    const { loops, answer } = await forecastOf({
      cluster: [...old.map((name) => node(name)), node('spare', { cpu: '32' }), deployment('web', 10)],
      steps: [
        { at: '5s', cordon: { nodes: old } },
        ...old.map((name, i) => ({ at: `${10 + 5 * i}s`, taint: { node: name, taint: 'gone:NoExecute' } })),
      ],
      until: '52s',
    })
    expect(answer.deleted).toBeGreaterThanOrEqual(6)
    expect(answer.lastDeletion).toBeGreaterThan(48)
    expect(loops).toEqual([])
  })

  it('detects no loop in an ordinary outage', async () => {
    expect((await forecastOf(outage)).loops).toEqual([])
  })
})

describe('expectations', () => {
  const pressed = {
    cluster: [
      node('a1', { cpu: '2' }),
      priorityClass('high', 1000),
      budget('web', 2),
      deployment('web', 2, { cpu: '900m' }),
    ],
    steps: [{ at: '10s', apply: [pod('vip', { cpu: '1', priority: 'high' })] }],
    until: '40s',
  }

  it.each<[string, object, number | undefined, RegExp]>([
    ['noPodPending', { noPodPending: true }, 10, /^default\/\S+ is pending/],
    [
      'noPodPending with a duration',
      { noPodPending: { after: '30s' } },
      30,
      /^default\/web-\S+ is pending: 0\/1 nodes/,
    ],
    ['noPodPending with other pods', { noPodPending: { after: '1s', selector: 'app=other' } }, undefined, /./],
    ['noPodDeleted', { noPodDeleted: { selector: 'app=web' } }, 10, /^default\/web-\S+ is deleted$/],
    ['pdbNeverViolated', { pdbNeverViolated: true }, 10, /^default\/web has 1 healthy pod, 2 desired$/],
    ['pdbNeverViolated with another budget', { pdbNeverViolated: { name: 'db' } }, undefined, /./],
    ['maxEvictionsPerMinute', { maxEvictionsPerMinute: 0 }, 10, /^1 eviction within a minute, at most 0 allowed$/],
    ['maxEvictionsPerMinute, which is met', { maxEvictionsPerMinute: 1 }, undefined, /./],
    ['allRunningWithin', { allRunningWithin: '5s' }, 15, /is not running 5s after the last step$/],
    [
      'maxUnavailable',
      { maxUnavailable: { max: 0, selector: 'app=web' } },
      10,
      /^1 pod is unavailable, at most 0 allowed$/,
    ],
    ['maxUnavailable, which is met', { maxUnavailable: 2 }, undefined, /./],
    ['settlesWithin', { settlesWithin: '20s' }, 20, /^not recovered at the end$/],
  ])('checks the expectation %s', async (_name, expectation, seconds, text) => {
    const { expectations } = await forecastOf({ ...pressed, expect: expectation })
    expect(expectations).toHaveLength(1)
    expect(expectations[0]?.holds).toBe(seconds === undefined)
    if (seconds === undefined) return
    expect(expectations[0]?.violation?.seconds).toBe(seconds)
    expect(expectations[0]?.violation?.text).toMatch(text)
  })
})

describe('several forecasts', () => {
  it('compares runs with different seeds', async () => {
    const story = { cluster: [...zoneA(3)], steps: [{ at: '1s', apply: [deployment('web', 4)] }], until: '10s' }
    const seeds = ['1', '2', '3', '4', '5', '6']
    const range = rangeOfSeeds(await Promise.all(seeds.map((seed) => forecastOf(story, seed))))
    expect(range).toMatchObject({ runs: 6, deleted: [0, 0], pending: [0, 0] })
    expect(range.varying.length).toBeGreaterThan(0)
    expect(range.varying.every(({ fact }) => fact.startsWith('pod/web-* bound'))).toBe(true)
    expect(range.certain + range.varying.length).toBe(range.facts)
  })

  it('compares two forecasts by deletion times, placements and utilization', async () => {
    const quick = await forecastOf(outage)
    const slow = await forecastOf({ ...outage, config: { ...{ 'node-monitor-grace-period': '20s' } } })
    const diff = diffForecasts(quick, slow)
    expect(diff.isSame).toBe(false)
    expect(diff.objects.find(({ object }) => object === 'default/solo')).toMatchObject({ change: 'later' })
    expect(diff.numbers.find(({ what }) => what === 'pods deleted')).toEqual({ what: 'pods deleted', a: '2', b: '2' })
    expect(diffForecasts(quick, quick)).toMatchObject({ isSame: true, objects: [], nodes: [] })
  })
})

describe('output formats', () => {
  it('merges equal events at about the same time in the timeline', () => {
    const rows = condense([
      { t: 1, what: 'tainted', object: 'node/a', detail: 'x:NoExecute' },
      { t: 1, what: 'disruption', object: 'pod/p', detail: 'DeletionByTaintManager' },
      { t: 1.02, what: 'tainted', object: 'node/b', detail: 'x:NoExecute' },
      { t: 1.2, what: 'tainted', object: 'node/c', detail: 'x:NoExecute' },
    ])
    expect(rows).toEqual([
      { seconds: 1, what: 'tainted x:NoExecute', objects: ['node/a', 'node/b'] },
      { seconds: 1.2, what: 'tainted x:NoExecute', objects: ['node/c'] },
    ])
  })

  it('produces byte-identical output in every run', async () => {
    const [one, other] = await Promise.all([forecastOf(outage), forecastOf(outage)])
    expect(JSON.stringify(one)).toBe(JSON.stringify(other))
    expect(forecastPage(one, { code })).toBe(forecastPage(other, { code }))
  })

  it('escapes markup in the HTML report', async () => {
    const forecast = await forecastOf({ cluster: zoneA(1) })
    const page = forecastPage({ ...forecast, question: '</script><script>alert(1)</script>' }, { code })
    expect(page).not.toContain('<script>alert')
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(page).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
  })
})
