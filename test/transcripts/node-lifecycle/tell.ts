import type { StoryFile } from '../story-file.ts'
import { readStory } from './story.ts'
import { StoryCluster } from './story-cluster.ts'
import { createTrace } from './trace.ts'

/** Runs a story in virtual time: with upstream behavior and, if it compares, again with the fixes it names. */
export function tell(file: StoryFile): string {
  const story = readStory(file)
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
