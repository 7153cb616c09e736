import { expect, it } from 'vitest'
import { defaultSettings } from '../../controlplane/settings.ts'
import { budget, deployment, dumpOf, node } from '../../whatif/run/story.fixture.ts'
import { findCluster } from '../../whatif/snapshot/found-cluster.ts'
import type { SearchProgress, SearchRequest } from '../../wire/console-search.ts'
import { parseDocuments } from '../yaml.ts'
import { searchForConsole } from './search.ts'

async function searched(request: SearchRequest, ...objects: readonly object[]) {
  const { items } = (await dumpOf(objects)) as { items: never[] }
  const { cluster } = findCluster({ objects: items })
  const progress: SearchProgress[] = []
  let seconds = 0
  const now = () => 1000 * seconds++
  const ports = { onProgress: (one: SearchProgress) => void progress.push(one), isUnwanted: () => false, now }
  const result = await searchForConsole(cluster.store, { settings: defaultSettings }, request, ports)
  return { ...result, progress }
}

const request = { kind: 'search', faults: 'realistic', only: ['nodes'], seconds: 10 } as const
const weak = [node('a'), deployment('web', 2), budget('web', 1)]

it('finds a violation with its forecast, and replays its scenario', async () => {
  const { finding, command, progress } = await searched(request, ...weak)
  expect(finding?.story).toMatch(/leaves default\/web with 0 of 2 ready/)
  expect(finding?.nodes).toEqual(['a'])
  expect(finding?.forecast.workloads.map(({ name }) => name)).toContain('web')
  expect(command).toMatch(/^berth search --from dump\.json --only nodes --seed 1 --cases \d+$/)
  expect(progress.map(({ doing }) => doing)).toContain('replaying')
  const scenario = parseDocuments(finding?.scenario ?? '', 'scenario')[0]?.value as Readonly<Record<string, unknown>>
  expect(scenario).toMatchObject({ kind: 'Scenario', cluster: ['dump.json'] })
  const again = await searched({ kind: 'replay', scenario }, ...weak)
  expect(again.finding?.forecast.verdict).toBe(finding?.forecast.verdict)
  expect(again.finding?.violation).toMatch(/^Not met: /)
})

it('rejects a group of faults that does not exist', async () => {
  await expect(searched({ ...request, only: ['moons'] }, ...weak)).rejects.toThrow(
    'only: moons: must be one of nodes, ',
  )
})

it('reports the tried cases if no violation is found', async () => {
  const { finding, lines } = await searched(request, node('a'), node('b'))
  expect(finding).toBeUndefined()
  expect(lines.join('\n')).toMatch(/\d+ cases? of 1h each/)
})
