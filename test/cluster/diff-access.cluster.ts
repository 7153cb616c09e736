import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isKnown } from './access-known.ts'
import { compareAccess, plantObjects, type Report, type Servers } from './access-run.ts'
import { askOurs, askReal, tokenFile } from './access-servers.ts'
import { likeBerth } from './diff-servers.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()

/** Another seed, or more requests: `BERTH_ACCESS_SEED=mine BERTH_ACCESS_ROUNDS=60 npm run test:cluster -- diff-access`. */
const seeds = process.env['BERTH_ACCESS_SEED']?.split(',') ?? ['one', 'two', 'three']
const rounds = Number(process.env['BERTH_ACCESS_ROUNDS'] ?? 5)
const requestsPerRound = 250

function unexplained({ differences }: Report): readonly string[] {
  return [...differences]
    .map(([text, { count, seed, question }]) => `${count}× ${text} [${seed}: ${JSON.stringify(question)}]`)
    .filter((text) => !isKnown(text))
}

describe.skipIf(reason !== undefined)(
  `access and options on both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let cluster: RealCluster
    let client: ReturnType<typeof askReal>
    let servers: Servers
    const folder = mkdtempSync(join(tmpdir(), 'berth-access-'))
    beforeAll(async () => {
      buildParts()
      const tokens = join(folder, 'tokens.csv')
      writeFileSync(tokens, tokenFile)
      cluster = await startRealCluster({
        controllers: 'clusterrole-aggregation-controller',
        apiServer: { ...likeBerth, 'authorization-mode': 'RBAC', 'token-auth-file': tokens },
      })
      await cluster.start('kube-controller-manager')
      client = askReal(cluster.url, readFileSync(join(cluster.folder, 'ca.crt'), 'utf8'))
      servers = { real: client.ask, ours: askOurs() }
      await plantObjects(servers)
    })
    afterAll(async () => {
      client?.close()
      await cluster?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it.each(seeds)('are answered alike (seed %s)', { timeout: 1_800_000 }, async (seed) => {
      const report = await compareAccess({ servers, seed, rounds, requestsPerRound })
      process.stderr.write(
        `${seed}: ${report.requests} requests, ${[...report.byCode]
          .sort()
          .map(([code, n]) => `${n}×${code}`)
          .join(' ')}\n`,
      )
      expect(unexplained(report)).toEqual([])
      expect(report.requests).toBe(rounds * requestsPerRound)
    })
  },
)
