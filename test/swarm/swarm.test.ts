import { describe, expect, it } from 'vitest'
import { play } from './play.ts'
import { shrinkStory } from './shrink-story.ts'
import { makeStory } from './story.ts'

// npm run swarm runs thousands.
const seeds = Array.from({ length: 8 }, (_, at) => `test-${at + 1}`)

describe('the swarm', () => {
  it.each(seeds)('breaks no invariant with seed %s', { timeout: 60_000 }, async (seed) => {
    const { broken, instants } = await play(makeStory(seed))
    expect(broken).toBeUndefined()
    expect(instants).toBeGreaterThan(50)
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
