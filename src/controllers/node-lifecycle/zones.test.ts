import { describe, expect, it } from 'vitest'
import { defaultSettings } from './options.ts'
import {
  countsForDisruption,
  decideDisruption,
  evictionRateIn,
  type ZoneState,
  zoneKeyOf,
  zoneStateOf,
} from './zones.ts'

const labeled = (labels?: Record<string, string>) => ({ metadata: { name: 'a1', ...(labels && { labels }) } })

describe('zones', () => {
  it.each([
    ['no labels', undefined, ''],
    ['zone and region', { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r' }, 'r:\u0000:a'],
    ['only a zone', { 'topology.kubernetes.io/zone': 'a' }, ':\u0000:a'],
    [
      'deprecated labels take precedence',
      { 'topology.kubernetes.io/zone': 'a', 'failure-domain.beta.kubernetes.io/zone': 'b' },
      ':\u0000:b',
    ],
  ])('the zone key of a node: %s', (_, labels, expected) => {
    expect(zoneKeyOf(labels)).toBe(expected)
  })

  it('ignores nodes with the exclusion label, whatever its value is', () => {
    expect(countsForDisruption(labeled({ 'node.kubernetes.io/exclude-disruption': 'false' }))).toBe(false)
    expect(countsForDisruption(labeled({}))).toBe(true)
  })
})

describe('the state of a zone', () => {
  it.each([
    [0, 5, 'Normal'],
    [2, 3, 'Normal'],
    [3, 3, 'FullDisruption'],
    [1, 1, 'FullDisruption'],
    [3, 5, 'PartialDisruption'],
    [3, 6, 'Normal'],
    [11, 20, 'PartialDisruption'],
    [10, 20, 'Normal'],
  ] as const)('%i of %i silent: %s', (unhealthy, size, expected) => {
    expect(zoneStateOf({ size, unhealthy }, 0.55)).toBe(expected)
  })

  const rate = (state: ZoneState, size: number, fullDisruptionStops = false) =>
    evictionRateIn(state, size, defaultSettings, { fullDisruptionStops })

  it('sets the eviction rate by the state of the zone', () => {
    expect(rate('Normal', 3)).toBe(0.1)
    expect(rate('PartialDisruption', 50)).toBe(0)
    expect(rate('PartialDisruption', 51)).toBe(0.01)
    expect(rate('FullDisruption', 3)).toBe(0.1)
    expect(rate('FullDisruption', 3, true)).toBe(0)
    expect(rate('Initial', 3)).toBeUndefined()
  })
})

describe('disruption of all zones', () => {
  const states = (...list: readonly ZoneState[]) => new Map(list.map((state, i) => [`zone-${i}`, state]))
  it.each([
    [
      'one zone becomes silent and another stays ready',
      ['Normal', 'Normal'],
      ['FullDisruption', 'Normal'],
      'judge-zones',
    ],
    [
      'the last zone becomes silent',
      ['FullDisruption', 'Normal'],
      ['FullDisruption', 'FullDisruption'],
      'enter-master-disruption',
    ],
    ['all zones are silent from the start', ['Initial'], ['FullDisruption'], 'enter-master-disruption'],
    ['all zones stay silent', ['FullDisruption'], ['FullDisruption'], 'unchanged'],
    ['one zone recovers', ['FullDisruption', 'FullDisruption'], ['Normal', 'FullDisruption'], 'exit-master-disruption'],
    ['the cluster has no nodes', [], [], 'unchanged'],
  ] as const)('disruption of all zones: %s', (_, before, after, expected) => {
    expect(decideDisruption(states(...before), states(...after)).kind).toBe(expected)
  })
})
