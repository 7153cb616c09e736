import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/**
 * A `.story` file, read line by line:
 *
 *     # A title, in comments.
 *     set node-monitor-grace-period 20s      a flag
 *     compare eviction-retries               run again with these fixes; without names, with improved behavior
 *     node a1 zone=east                      any other line: what the cluster has, or what happens
 */
export interface StoryFile {
  readonly title: readonly string[]
  readonly settings: Readonly<Record<string, string>>
  /** Undefined: the story runs once. */
  readonly compare: readonly string[] | undefined
  readonly lines: readonly (readonly string[])[]
}

export function readStoryFile(text: string): StoryFile {
  const title: string[] = []
  const settings: Record<string, string> = {}
  const lines: (readonly string[])[] = []
  let compare: readonly string[] | undefined
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/)
    const [first = '', second = '', ...rest] = words
    if (first === '') continue
    if (first === '#') title.push(line.trim().slice(2))
    else if (first === 'set') settings[second] = rest.join(' ')
    else if (first === 'compare') compare = [...(compare ?? []), ...words.slice(1)]
    else lines.push(words)
  }
  return { title, settings, compare, lines }
}

/**
 * Tests every story of a folder: `tell` runs it and returns what happened, which `NAME.trace` next to `NAME.story` has.
 * `vitest run --update` rewrites the traces; review the difference.
 */
export function describeStories(folder: string, tell: (story: StoryFile, name: string) => string): void {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.story'))
    .map((file) => file.slice(0, -'.story'.length))
    .sort()
  describe('the trace of a story', () => {
    it.each(names)('the trace of a story is unchanged for %s', async (name) => {
      const story = readStoryFile(readFileSync(join(folder, `${name}.story`), 'utf8'))
      await expect(tell(story, name)).toMatchFileSnapshot(join(folder, `${name}.trace`))
    })
  })
}
