import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runApply } from './apply.ts'
import { runConnection } from './connection.ts'
import { runDisk } from './disk.ts'
import { runLeaders } from './leaders.ts'
import { mutated } from './mutation-run.ts'
import { mutations } from './mutations.ts'
import { play } from './play.ts'
import { shrinkStory } from './shrink-story.ts'
import { makeStory } from './story.ts'
import { SwarmCoverage } from './swarm-coverage.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// npm run swarm runs thousands.
const seeds = Array.from({ length: 8 }, (_, at) => `test-${at + 1}`)

describe('the mutations of the swarm', () => {
  it.each(mutations)('the mutations of the swarm can be applied: $name', ({ edits }) => {
    expect(edits.length).toBeGreaterThan(0)
    for (const { file, search, replace } of edits) {
      const text = readFileSync(join(root, file), 'utf8')
      expect(mutated(text, search, replace)).not.toBe(text)
    }
  })
})

describe('the swarm', () => {
  it.each(seeds)('breaks no invariant with seed %s', { timeout: 60_000 }, async (seed) => {
    const { broken, instants } = await play(makeStory(seed))
    expect(broken).toBeUndefined()
    expect(instants).toBeGreaterThan(50)
  })

  it.each(seeds.slice(0, 3))('recovers from a bad connection with seed %s', { timeout: 60_000 }, async (seed) => {
    const { broken, faults } = await runConnection(seed)
    expect(broken).toBeUndefined()
    expect(Object.keys(faults).length).toBeGreaterThan(2)
  })

  it.each(seeds.slice(0, 2))('has one leader at a time with seed %s', { timeout: 60_000 }, async (seed) => {
    const { broken, faults } = await runLeaders(seed)
    expect(broken).toBeUndefined()
    expect(Object.keys(faults)).toContain('leaders that lost the lease')
  })

  it.each(seeds.slice(0, 4))('agrees with a model of server-side apply with seed %s', async (seed) => {
    const { broken, faults } = await runApply(seed)
    expect(broken).toBeUndefined()
    expect(faults['conflicts']).toBeGreaterThan(0)
  })

  // For the last four, pages of an earlier transaction would count as the content if the journal did not check its last transaction.
  it.each([...seeds.slice(0, 2), '1-5', '1-17', '1-22', '1-40'])(
    'loses nothing with a bad disk and seed %s',
    {
      timeout: 60_000,
    },
    async (seed) => {
      const { broken, faults } = await runDisk(seed)
      expect(broken).toBeUndefined()
      expect(Object.keys(faults).length).toBeGreaterThan(3)
    },
  )

  it('counts the features and effects of stories', () => {
    const coverage = new SwarmCoverage()
    for (let at = 0; at < 200; at++) coverage.takeStory(makeStory(`cover-${at}`))
    const names = [...coverage.counts.keys()]
    expect(names).toEqual(
      expect.arrayContaining([
        'cluster: release 1.34',
        'cluster: release 1.37',
        'cluster: Cluster Autoscaler',
        'cluster: Karpenter',
        'cluster: HorizontalPodAutoscaler',
        'cluster: gangs',
        'cluster: MultiCIDRRangeAllocator, one range',
        'cluster: RangeAllocator, two ranges',
        'cluster: CloudAllocator, one range',
        'cluster: IPAMFromCluster, one range',
        'cluster: IPAMFromCloud, one range',
        'cluster: range of services',
        'objects: ResourceSlice',
      ]),
    )
    expect(coverage.table('all')).toContain('| cluster: gangs | ')
  })

  it('ends the same way for the same story', { timeout: 60_000 }, async () => {
    const story = makeStory('same')
    expect((await play(story)).end).toBe((await play(story)).end)
  })

  it('reports a broken invariant, and shrinks its story', { timeout: 120_000 }, async () => {
    const story = makeStory('shrunk')
    const endless = {
      ...story,
      objects: [...story.objects, { apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } }],
    }
    const failed = await play(endless as never)
    expect(failed.broken).toContain('no matches for kind "Nothing"')
    const small = await shrinkStory(endless as never, failed.broken ?? '', 60)
    expect([small.steps.length, small.objects.length, small.nodes.length]).toEqual([0, 1, 0])
  })
})
