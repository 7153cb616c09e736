import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { storiesIn, tell } from './tell.ts'

const here = dirname(fileURLToPath(import.meta.url))

// The result of each story is in the file next to it. `vitest run --update` rewrites the files; review the difference.
describe('stories of node-lifecycle', () => {
  it.each(storiesIn(here))('%s', async (name) => {
    await expect(tell(here, name)).toMatchFileSnapshot(join(here, `${name}.trace`))
  })
})
