import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runConnection } from './connection.ts'
import { mutated } from './mutation-run.ts'
import { mutations } from './mutations.ts'
import { play } from './play.ts'
import { shrinkStory } from './shrink-story.ts'
import { makeStory } from './story.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// npm run swarm runs thousands.
const seeds = Array.from({ length: 8 }, (_, at) => `test-${at + 1}`)

describe('the mutations of the swarm', () => {
  it.each(mutations)('the mutations of the swarm can be applied: $name', ({ file, search, replace }) => {
    const text = readFileSync(join(root, file), 'utf8')
    expect(mutated(text, search, replace)).not.toBe(text)
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
