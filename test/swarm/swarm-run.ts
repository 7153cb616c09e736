import { runApply } from './apply.ts'
import { runConnection } from './connection.ts'
import { runDisk } from './disk.ts'
import { runLeaders } from './leaders.ts'
import { play } from './play.ts'
import { makeStory, type SwarmStory } from './story.ts'
import { SwarmCoverage } from './swarm-coverage.ts'

export interface SwarmOptions {
  readonly seed: string
  /** The number of the first story. */
  readonly first: number
  readonly runs: number
  /** Continues after a broken invariant. */
  readonly goesOn: boolean
  /** One part alone. */
  readonly only?: string | undefined
}

export interface SwarmFailure {
  readonly seed: string
  readonly broken: string
  /** To be shrunk. */
  readonly story?: SwarmStory
}

export type SwarmCounts = Readonly<Record<string, number>>

/** A run of some part of berth that is not a story, with its own faults. */
export interface PartRun {
  readonly broken?: string
  /** The number of faults of each kind. */
  readonly faults: SwarmCounts
}

/** Which parts run with which stories, so that one command covers all of them. */
const parts: Readonly<Record<string, { readonly every: number; readonly run: (seed: string) => Promise<PartRun> }>> = {
  apply: { every: 5, run: runApply },
  connection: { every: 5, run: runConnection },
  disk: { every: 10, run: runDisk },
  leaders: { every: 10, run: runLeaders },
}

/** One story in this number is played twice and must end the same way. */
const repeatEvery = 20

export async function runSwarm(
  options: SwarmOptions,
  say: (line: string) => void,
): Promise<{ readonly coverage: SwarmCoverage; readonly failures: readonly SwarmFailure[] }> {
  const coverage = new SwarmCoverage()
  const failures: SwarmFailure[] = []
  const { first, runs, only } = options
  for (let number = first; number < first + runs; number++) {
    const seed = `${options.seed}-${number}`
    if (only === undefined || only === 'stories') await playStory(seed, number % repeatEvery === 0, coverage, failures)
    for (const [name, { every, run }] of Object.entries(parts)) {
      if (only === undefined ? number % every !== 0 : only !== name) continue
      const { broken, faults } = await run(seed)
      coverage.add(`${name}: runs`)
      coverage.addAll(faults, `${name}: `)
      if (broken !== undefined) failures.push({ seed, broken: `${name}: ${broken}` })
    }
    if (failures.length > 0 && !options.goesOn) break
    if (number % 100 === 0) say(`${number - first + 1} stories, ${failures.length} failures`)
  }
  coverage.add('total: invariants broken', failures.length)
  return { coverage, failures }
}

async function playStory(seed: string, isRepeated: boolean, coverage: SwarmCoverage, failures: SwarmFailure[]) {
  const story = makeStory(seed)
  const played = await play(story)
  coverage.takeStory(story)
  coverage.add('total: stories')
  coverage.add('total: virtual minutes', Math.round(played.atMs / 60_000))
  coverage.add('total: instants', played.instants)
  coverage.add('total: changes', played.changes)
  coverage.addAll(played.steps, 'step: ')
  coverage.addAll(played.reached)
  if (played.broken !== undefined) failures.push({ seed, broken: played.broken, story })
  if (!isRepeated) return
  coverage.add('total: stories played twice')
  if ((await play(story)).end !== played.end)
    failures.push({ seed, broken: 'determinism: two runs of one story end differently' })
}

export function mergedCounts(all: readonly SwarmCounts[]): SwarmCoverage {
  const coverage = new SwarmCoverage()
  for (const counts of all) coverage.addAll(counts)
  return coverage
}
