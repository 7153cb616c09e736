import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { strategyOf, unavailableOf } from './upgrade-strategy.ts'

const percent = (value: number) => ({ kind: 'percent', percent: value }) as const

describe('the presets of upgrades', () => {
  it.each([
    // Amazon EKS User Guide, "Understand each phase of node updates".
    ['eks', { maxUnavailable: 1, surgePerZone: 2, surgesFirst: true, minutes: 15, onTimeout: 'fail', soakMinutes: 1 }],
    // GKE documentation, "Node upgrade strategies".
    ['gke', { maxSurge: 1, maxUnavailable: 0, minutes: 60, onTimeout: 'force', soakMinutes: 0 }],
    // AgentPoolUpgradeSettings of the AKS API.
    ['aks', { maxSurge: '10%', maxUnavailable: 0, minutes: 30, onTimeout: 'fail', releasesFailed: true }],
    // Karpenter documentation, "Disruption".
    ['karpenter', { maxSurge: '10%', maxUnavailable: 0, minutes: undefined, skipsUnevictable: true }],
    // Kubernetes documentation, "Upgrading kubeadm clusters".
    ['kubeadm', { maxSurge: 0, maxUnavailable: 1, minutes: undefined, inPlace: true, refusesBarePods: true }],
    // Cluster API reference, "MachineDeployment".
    ['cluster-api', { maxSurge: 1, maxUnavailable: 0, minutes: undefined, onTimeout: 'fail' }],
  ] as const)('%s has the documented defaults', (preset, facts) => {
    const strategy = must(strategyOf({ preset }))
    const portion = (each: typeof strategy.maxSurge) => (each.kind === 'count' ? each.count : `${each.percent}%`)
    expect({
      ...strategy,
      maxSurge: portion(strategy.maxSurge),
      maxUnavailable: portion(strategy.maxUnavailable),
      minutes: strategy.drainTimeoutMs === undefined ? undefined : strategy.drainTimeoutMs / 60_000,
      soakMinutes: strategy.soakMs / 60_000,
    }).toMatchObject(facts)
  })

  it('eks has at most 100 unavailable nodes', () => {
    const strategy = must(strategyOf({ preset: 'eks', maxUnavailable: percent(33) }))
    expect([100, 1000].map((size) => unavailableOf(strategy, size))).toEqual([33, 100])
  })

  it('aks rounds unavailable nodes up, other presets round down', () => {
    const unavailable = (preset: 'aks' | 'cluster-api') =>
      unavailableOf(must(strategyOf({ preset, maxUnavailable: percent(15) })), 10)
    expect([unavailable('aks'), unavailable('cluster-api')]).toEqual([2, 1])
  })

  it('aks drains a tenth of the blue nodes at a time and waits 15 minutes, gke drains one node without waiting', () => {
    const green = (preset: 'aks' | 'gke', more = {}) => {
      const { blueGreen, soakMs } = must(strategyOf({ preset, blueGreen: true, ...more }))
      return { ...blueGreen, soakMs }
    }
    const hour = 3_600_000
    expect(green('aks')).toEqual({ batch: percent(10), poolSoakMs: hour, soakMs: hour / 4 })
    expect(green('gke')).toEqual({ batch: { kind: 'count', count: 1 }, poolSoakMs: hour, soakMs: 0 })
    expect(green('aks', { soakMs: 0 }).soakMs).toBe(0)
  })
})
