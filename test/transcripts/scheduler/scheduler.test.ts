import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { specialOptions } from './special-options.ts'
import { play } from './story.ts'

// Each file is read as a story and compared with its current outcome. `vitest -u` updates it for review.
const folder = fileURLToPath(new URL('.', import.meta.url))
const stories = readdirSync(folder).filter((file) => file.endsWith('.txt'))

describe('scheduler transcripts', () => {
  it.each(stories)('%s', async (file) => {
    const path = `${folder}${file}`
    const text = play(readFileSync(path, 'utf8'), specialOptions(file.replace(/\.txt$/, '')))
    await expect(text).toMatchFileSnapshot(path)
  })
})
