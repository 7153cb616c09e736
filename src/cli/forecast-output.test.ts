import { describe, expect, it } from 'vitest'
import type { Forecast } from '../whatif/report/forecast.ts'
import { forecastText } from './forecast-output.ts'
import { plainPalette } from './output.ts'

const size = { pods: 1, cpu: { requested: 0, allocatable: 1000 }, memory: { requested: 0, allocatable: 1 } }
const kept = { state: 'kept', isReady: true, isCordoned: false, taints: [], ...size }
const total = { ...size, nodes: 12, nodesReady: 12, pods: { running: 1 }, room: 1 }
const forecast = {
  verdict: 'BLOCKED',
  reason:
    '15 of 20 nodes are not upgraded: it fails at ip-10-0-2-96 by the disruption budget payments/payments-gateway',
  nodes: Array.from({ length: 12 }, (_, at) => ({
    ...kept,
    node: `n${String(at).padStart(2, '0')}`,
    before: { ...kept, isCordoned: at < 8 },
    isCordoned: at >= 4,
  })),
  answer: { lines: [], landed: [], causes: {}, budgetsBroken: [] },
  baseline: { podsDeleted: 0, podsMoved: 0, podsPending: 3, workloadsBelowBudget: 0 },
  caused: { podsDeleted: 0, podsMoved: 0, podsPending: 0, workloadsBelowBudget: 0 },
  expectations: [],
  loops: [],
  notes: [],
  workloads: [],
  timeline: [],
  pods: [],
  before: total,
  after: total,
  seconds: 60,
  seed: '1',
} as unknown as Forecast

describe('the text of a forecast', () => {
  it('breaks a long verdict into lines instead of cutting names and numbers', () => {
    const [first, second] = forecastText(forecast, { palette: { ...plainPalette, width: 80 } }).split('\n')
    expect([first, second]).toEqual([
      'BLOCKED: 15 of 20 nodes are not upgraded: it fails at ip-10-0-2-96 by the',
      '  disruption budget payments/payments-gateway.',
    ])
  })

  it('the text of --brief is one line, which is cut only in a terminal', () => {
    const line = `BLOCKED: ${forecast.reason}.`
    expect(forecastText(forecast, { brief: true })).toBe(`${line}\n`)
    expect(forecastText(forecast, { brief: true, palette: { ...plainPalette, width: 40 } })).toBe(
      `${line.slice(0, 39)}…\n`,
    )
  })

  it('omits nodes that also change without the steps', () => {
    const nodes = forecast.nodes.map((entry, at) => (at < 4 ? { ...entry, changesAnyway: true } : entry))
    const text = forecastText({ ...forecast, nodes } as never)
    expect(text.match(/^n\d+ +(?=cordoned)/gm)?.map((name) => name.trim())).toEqual(['n08', 'n09', 'n10', 'n11'])
    expect(text).not.toContain('uncordoned')
  })

  it('counts the nodes of omitted rows, and the pods that are pending anyway', () => {
    const groups = ['added', 'removed', 'kept'].flatMap((state) =>
      Array.from({ length: 9 }, (_, at) => ({ ...kept, state, node: `${state}-${at}`, before: { ...kept } })),
    )
    const landed = groups.map(({ node }) => ({ node, pods: 1 }))
    const text = forecastText({ ...forecast, nodes: groups, answer: { ...forecast.answer, landed } } as never)
    expect(text).toContain('… and 7 more nodes: -o wide')
    expect(text).toContain('Also without the change: 3 pods remain pending.')
  })
})
