import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deviceSeeds } from './diff-device-seeds.ts'
import { isKnown } from './diff-known.ts'
import { learnFrom } from './diff-mutation.ts'
import { compare, plant, type Report } from './diff-run.ts'
import { askOurs, askReal, likeBerth } from './diff-servers.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()
const cases = Number(process.env['DIFF_CASES'] ?? 1500)
const seedNames = (process.env['DIFF_SEEDS'] ?? 'one,two').split(',')

learnFrom(deviceSeeds)

function unexplained({ groups }: Report): readonly string[] {
  return [...groups]
    .filter(([text, group]) => !isKnown(text, group.case))
    .map(([text, { count, seed }]) => `${count}× ${text} [${seed}]`)
}

describe.skipIf(reason !== undefined)(
  `claims, templates, slices and classes on both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let client: ReturnType<typeof askReal>
    const ours = askOurs()
    beforeAll(async () => {
      buildParts()
      real = await startRealCluster({ apiServer: likeBerth })
      client = askReal(real.kubeconfig)
      await plant(client.ask, deviceSeeds)
      await plant(ours, deviceSeeds)
    })
    afterAll(async () => {
      client?.close()
      await real?.close()
    })

    it.each(seedNames)('create, update, patch and apply the same (seed %s)', async (seed) => {
      const report = await compare({ real: client.ask, ours, seed, cases, seeds: deviceSeeds })
      expect(report.cases).toBe(cases)
      expect(unexplained(report)).toEqual([])
    })
  },
)
