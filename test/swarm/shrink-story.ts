import { play } from './play.ts'
import type { SwarmStory } from './story.ts'

/** The name of a broken invariant with the workload or node that it concerns, without random parts of names. */
export function invariantOf(broken: string | undefined): string | undefined {
  if (broken === undefined) return undefined
  const [name, detail = ''] = broken.split(': ')
  return `${name}: ${/\b(?:app-\d+|n\d+)\b/.exec(detail)?.[0] ?? ''}`
}

/** Removes steps, objects and nodes as long as the same invariant is broken for the same object. */
export async function shrinkStory(story: SwarmStory, broken: string, mostRuns = 200): Promise<SwarmStory> {
  const wanted = invariantOf(broken)
  let best = story
  let runs = 0
  const isBroken = async (candidate: SwarmStory) => {
    runs++
    return invariantOf((await play(candidate)).broken) === wanted
  }
  for (const list of ['steps', 'objects', 'nodes'] as const) {
    for (let chunk = Math.ceil(best[list].length / 2); chunk >= 1; chunk = Math.floor(chunk / 2)) {
      for (let at = 0; at < best[list].length && runs < mostRuns; ) {
        const candidate = { ...best, [list]: [...best[list].slice(0, at), ...best[list].slice(at + chunk)] }
        if (await isBroken(candidate)) best = candidate
        else at += chunk
      }
    }
  }
  return { ...best, broken }
}
