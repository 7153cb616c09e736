import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unexplained } from './diff-known.ts'
import { compare, plant } from './diff-run.ts'
import { askOurs, askReal, likeBerth } from './diff-servers.ts'
import { compareTables } from './diff-tables.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])
const cases = Number(process.env['DIFF_CASES'] ?? 2000)
const seedNames = (process.env['DIFF_SEEDS'] ?? 'one,two,three').split(',')

describe.skipIf(reason !== undefined)(
  `the same requests to both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let client: ReturnType<typeof askReal>
    const ours = askOurs()
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: likeBerth })
      client = askReal(real.kubeconfig)
      await plant(client.ask)
      await plant(ours)
    })
    afterAll(async () => {
      client?.close()
      await real?.close()
    })

    it.each(seedNames)(
      'both API servers give the same answers to creations, updates, patches and applies (seed %s)',
      async (seed) => {
        const report = await compare({ real: client.ask, ours, seed, cases })
        expect(report.cases).toBe(cases)
        expect(unexplained(report)).toEqual([])
      },
    )

    it('both API servers print the same tables', async () => {
      const report = await compareTables({ real: client.ask, ours, seed: 'tables', rounds: 8 })
      expect(report.cases).toBeGreaterThan(200)
      expect(unexplained(report)).toEqual([])
    })
  },
)
