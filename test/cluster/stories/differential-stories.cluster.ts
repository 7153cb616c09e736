import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from '../real-parts.ts'
import { type Round, randomRounds } from './random-story.ts'
import { RealSide, seenByBerth } from './two-clusters.ts'

// Runs random stories on the real components and on berth. After each round, both must have the same facts.
// BERTH_STORIES=50 plays more, BERTH_STORIES_FIRST=7 starts with another one.

const reason = missing()
if (reason !== undefined) process.stderr.write(`skipped: ${reason}\n`)

const count = Number(process.env['BERTH_STORIES'] ?? 4)
const first = Number(process.env['BERTH_STORIES_FIRST'] ?? 1)
const seeds = Array.from({ length: count }, (_, at) => `story-${first + at}`)
/** The maximum time until the real components are idle. */
const restSeconds = 60

describe.skipIf(reason !== undefined)(
  `random stories under Kubernetes ${clusterRelease.minor} and berth${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let real: RealSide

    beforeAll(async () => {
      buildParts()
      cluster = await startRealCluster()
      real = await RealSide.start(cluster)
    })
    afterAll(async () => {
      await real?.close()
      await cluster?.close()
    })

    it.each(seeds)('%s ends with the same facts on both sides', { timeout: 1_800_000, retry: 0 }, async (seed) => {
      const rounds = randomRounds(seed)
      const difference = await differs(rounds)
      if (difference === undefined) return
      const [small, why] = await shrunk(rounds, difference)
      expect(`${small.map(({ what }) => what).join('; ')}\n${why}`).toBe('')
    })

    async function differs(rounds: readonly Round[]): Promise<string | undefined> {
      return real.differs(rounds, await seenByBerth(rounds), restSeconds)
    }

    /** Leaves out one round after the other, as long as both sides still differ. */
    async function shrunk(rounds: readonly Round[], why: string): Promise<readonly [readonly Round[], string]> {
      let best = rounds
      let reasonOfBest = why
      for (let at = rounds.length - 2; at >= 0; at--) {
        const fewer = best.filter((_, index) => index !== at)
        const difference = await differs(fewer)
        if (difference === undefined) continue
        best = fewer
        reasonOfBest = difference
      }
      return [best, reasonOfBest]
    }
  },
)
