import { describe, expect, it } from 'vitest'
import { defaultSettings, nodeLifecycleFlags, readNodeLifecycleFlags } from './options.ts'

describe('flags', () => {
  it('reads durations as Go does, and numbers', () => {
    const read = readNodeLifecycleFlags({
      'node-monitor-period': '1s',
      'node-monitor-grace-period': '1m30s',
      'node-eviction-rate': 0.5,
      'secondary-node-eviction-rate': '0.1',
      'large-cluster-size-threshold': 20,
      'kube-api-qps': 40,
    })
    expect(read).toEqual({
      ok: true,
      value: {
        nodeMonitorPeriodMs: 1_000,
        nodeMonitorGracePeriodMs: 90_000,
        nodeEvictionRate: 0.5,
        secondaryNodeEvictionRate: 0.1,
        largeClusterSizeThreshold: 20,
      },
    })
  })

  it.each([
    ['node-monitor-period', '5', 'node-monitor-period: time: missing unit in duration "5"'],
    ['node-monitor-period', 5, 'node-monitor-period: 5 is not a duration such as "5s"'],
    ['node-monitor-period', '0s', 'node-monitor-period: must be more than 0'],
    ['node-monitor-grace-period', '-1s', 'node-monitor-grace-period: "-1s" is negative'],
    ['node-eviction-rate', 'fast', 'node-eviction-rate: "fast" is not a number'],
    ['node-eviction-rate', -1, 'node-eviction-rate: -1 is negative'],
    ['large-cluster-size-threshold', 1.5, 'large-cluster-size-threshold: 1.5 is not an integer'],
  ])('%s=%s reports an error', (name, value, message) => {
    expect(readNodeLifecycleFlags({ [name]: value })).toEqual({ ok: false, message })
  })

  it('every setting has a flag', () => {
    const settings = Object.values(nodeLifecycleFlags).map((flag) => flag.setting)
    expect(settings.sort()).toEqual(Object.keys(defaultSettings).sort())
  })
})
