import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStory } from './story.ts'
import { StoryCluster } from './story-cluster.ts'
import { createTrace } from './trace.ts'

/** The stories in a folder: `NAME.story` next to `NAME.trace`, its result. */
export function storiesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.story'))
    .map((file) => file.slice(0, -'.story'.length))
    .sort()
}

/** Runs a story in virtual time: with upstream behavior and, if it compares, again with the fixes it names. */
export function tell(folder: string, name: string): string {
  const story = readStory(readFileSync(join(folder, `${name}.story`), 'utf8'))
  const told = (heading: string, fixes: readonly string[]): readonly string[] => {
    let cluster: StoryCluster | undefined
    const trace = createTrace(() => cluster?.elapsed() ?? 0)
    cluster = new StoryCluster(story, fixes, trace)
    cluster.run()
    return [`## ${heading}`, ...trace.lines, '']
  }
  const lines = [...story.title.map((line) => `# ${line}`), '', ...told('as upstream has it', [])]
  if (story.compare.length > 0) lines.push(...told(`with ${story.compare.join(', ')}`, story.compare))
  return lines.join('\n')
}
