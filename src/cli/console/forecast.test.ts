import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import type { Forecast } from '../../whatif/report/forecast.ts'
import { budget, deployment, dumpOf, node } from '../../whatif/run/story.fixture.ts'
import { findCluster } from '../../whatif/snapshot/found-cluster.ts'
import { runBerth } from '../run-berth.fixture.ts'
import { forecastForConsole } from './forecast.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-console-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function onCommandLine(words: string): Promise<Forecast> {
  const { out } = await runBerth(words, { cwd: folder })
  return JSON.parse(out)
}

describe('a forecast of the console', () => {
  it('the console gives the same forecast of a drain as the command line, with the startup times of the pods', async () => {
    const dump = (await dumpOf([node('a'), node('b'), node('c'), deployment('web', 4), budget('web', 3)])) as {
      items: (KubeObject & { status?: { conditions?: { type: string }[] } })[]
    }
    const items = dump.items.map((item) => {
      const conditions = item.status?.conditions
      if (conditions?.some(({ type }) => type === 'PodScheduled') !== true) return item
      const at = (type: string) => (type === 'PodScheduled' ? '2025-12-31T00:00:00Z' : '2025-12-31T00:00:25Z')
      const aged = conditions.map((each) => ({ ...each, lastTransitionTime: at(each.type) }))
      return { ...item, status: { ...item.status, conditions: aged } }
    })
    writeFileSync(join(folder, 'dump.json'), JSON.stringify({ ...dump, items }))
    const said = await onCommandLine('whatif drain a --from dump.json -o json --for 30m')
    const { cluster } = findCluster({ objects: items })
    const request = { steps: [{ question: 'drain', args: ['a'], options: {} }], seconds: 1800 }
    const watch = { onProgress: () => undefined, isUnwanted: () => false }
    const setup = { settings: defaultSettings, stages: [] }
    const { forecast } = await forecastForConsole(cluster.store, setup, request, cluster.takenAtMs, watch)
    expect(said.drains?.drained).toHaveLength(1)
    expect({ verdict: forecast.verdict, drains: forecast.drains, workloads: forecast.workloads }).toEqual({
      verdict: said.verdict,
      drains: said.drains,
      workloads: said.workloads,
    })
    expect(said.workloads.find(({ name }) => name === 'web')?.timeUnavailable).toBeGreaterThanOrEqual(25)
  })

  it('the autoscaler of a file acts in a forecast of the console, as on the command line', async () => {
    const big = deployment('big', 2, { cpu: '3' })
    const dump = (await dumpOf([node('a'), node('b'), big])) as { items: KubeObject[] }
    writeFileSync(join(folder, 'scaled.json'), JSON.stringify(dump))
    const template = { status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } } }
    const group = { name: 'pool', min: 0, max: 3, boot: '30s', pricePerHour: 0.5, template }
    const document = { clusterAutoscaler: { nodeGroups: [group] } }
    writeFileSync(join(folder, 'groups.yaml'), JSON.stringify(document))
    const said = await onCommandLine('whatif drain a --from scaled.json --autoscaler groups.yaml -o json --for 30m')
    const { cluster } = findCluster({ objects: dump.items })
    const request = { steps: [{ question: 'drain', args: ['a'], options: {} }], seconds: 1800 }
    const watch = { onProgress: () => undefined, isUnwanted: () => false }
    const setup = { settings: defaultSettings, stages: [], autoscaler: { name: 'groups.yaml', document } }
    const { forecast } = await forecastForConsole(cluster.store, setup, request, cluster.takenAtMs, watch)
    expect(said.cost?.perHourAfter).toBe(0.5)
    expect(forecast.verdict).toBe(said.verdict)
    expect(forecast.answer).toContainEqual(expect.stringContaining('cost 0.5 per hour'))
  })
})
