import { describe, expect, it } from 'vitest'
import { clusterObjects, takenAtMs } from '../../bench/workloads/large-cluster.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import { ForecastRun } from '../../src/whatif/run/forecast-run.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'

// With every Lease and status written, half an hour is a million writes: BERTH_STEADY_MINUTES=30 is the long run.
const minutes = Number(process.env['BERTH_STEADY_MINUTES'] ?? 1)
const nodes = 5_000
const pods = 50_000

/** Leases of the nodes, by the instant of the last renewal. */
function renewedAt(forecastRun: ForecastRun): readonly number[] {
  return forecastRun.cluster.store
    .list('leases.coordination.k8s.io')
    .map((lease) => Date.parse((lease as { spec?: { renewTime?: string } }).spec?.renewTime ?? ''))
}

describe(`${nodes} hollow nodes with ${pods} pods`, () => {
  const found = findCluster({ objects: clusterObjects(nodes, pods), takenAtMs: takenAtMs })
  const live = (forMinutes: number, heartbeats: 'written' | 'computed') =>
    ForecastRun.start(
      {
        title: 'steady',
        settings: defaultSettings,
        hollow: { stages: packs.forecast },
        found: found.cluster,
        create: [],
        steps: [],
        untilMs: forMinutes * 60_000,
        expect: [],
        without: found.without,
      },
      { heartbeats },
    ).finish()

  it.each([
    [minutes, 'written'],
    [30, 'computed'],
  ] as const)(
    'hollow nodes lose no node and no pod in %i minutes with heartbeats %s',
    { timeout: 1_800_000 },
    (span, heartbeats) => {
      const forecastRun = live(span, heartbeats)
      const { recorder, cluster } = forecastRun
      expect(recorder.facts).toEqual([])
      expect(cluster.store.count('nodes')).toBe(nodes)
      expect(recorder.samples.at(-1)).toMatchObject({ nodes, nodesReady: nodes, pods: { running: pods } })
      expect(recorder.samples.every(({ nodesReady }) => nodesReady === nodes)).toBe(true)
      if (heartbeats === 'computed') return
      const now = cluster.clock.now()
      const oldest = Math.min(...renewedAt(forecastRun))
      expect(now - oldest).toBeLessThanOrEqual(10_000)
    },
  )
})
