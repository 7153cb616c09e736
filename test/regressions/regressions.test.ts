import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { play } from '../swarm/play.ts'
import type { SwarmStory } from '../swarm/story.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))

// The longest story takes ten seconds of CPU time.
const timeout = 300_000

/** Stories that the swarm found and shrank. Each failed before the fix that its commit contains. */
describe('stories of the swarm', () => {
  it.each(files)('%s keeps every invariant', { timeout }, async (file) => {
    const story = JSON.parse(readFileSync(`${folder}${file}`, 'utf8')) as SwarmStory
    expect((await play(story)).broken).toBeUndefined()
  })
})
