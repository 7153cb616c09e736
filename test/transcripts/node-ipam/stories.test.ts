import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { storiesIn, tell } from './story.ts'

const here = dirname(fileURLToPath(import.meta.url))

// What comes of each story is in the file beside it. Rewrite the files with `vitest run --update`, and read the difference.
describe('stories of node-ipam', () => {
  it.each(storiesIn(here))('%s', async (name) => {
    await expect(tell(here, name)).toMatchFileSnapshot(join(here, `${name}.trace`))
  })
})
