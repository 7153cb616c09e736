import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApiServer } from '../../src/apiserver/api-server.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { issueCertificates, whoAmI } from './access-certificates.ts'
import { isKnown } from './access-known.ts'
import { type AccessReport, compareAccess, plantObjects, type Servers } from './access-run.ts'
import { administratorToken, askOurs, askReal, tokenFile, users } from './access-servers.ts'
import { likeBerth } from './diff-servers.ts'
import { buildParts, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()

/** Another seed, or more requests: `BERTH_ACCESS_SEED=mine BERTH_ACCESS_ROUNDS=60 npm run test:cluster -- diff-access`. */
const seeds = process.env['BERTH_ACCESS_SEED']?.split(',') ?? ['one', 'two', 'three']
const rounds = Number(process.env['BERTH_ACCESS_ROUNDS'] ?? 5)
const requestsPerRound = 250

function unexplained({ differences }: AccessReport): readonly string[] {
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

    it('both API servers authenticate the same callers by certificate and token', async () => {
      const ca = {
        cert: readFileSync(join(cluster.folder, 'ca.crt'), 'utf8'),
        key: readFileSync(join(cluster.folder, 'ca.key'), 'utf8'),
      }
      const identities = issueCertificates(folder, ca)
      const own = createCredentials({
        now: Date.now(),
        hosts: ['localhost', '127.0.0.1'],
        adminToken: administratorToken,
      })
      const clock = new RealClock()
      const server = await startApiServer({
        ...{ clock, log: silentLogger, metrics: new MetricRegistry(), host: '127.0.0.1', port: 0, tokens: users },
        registry: createRegistry({ store: createStore(), clock, random: createRandom('certificates') }),
        credentials: { ...own, caCertificate: ca.cert },
        authorizationModes: ['RBAC'],
      })
      const real: Record<string, unknown> = {}
      const ours: Record<string, unknown> = {}
      for (const [name, identity] of [['none', undefined] as const, ...Object.entries(identities)]) {
        for (const token of [undefined, users[1]?.token, 'nope']) {
          const key = `certificate ${name}, token ${token}`
          real[key] = await whoAmI(cluster.url, ca.cert, identity, token)
          ours[key] = await whoAmI(server.url, own.caCertificate, identity, token)
        }
      }
      await server.close()
      expect(ours).toEqual(real)
      expect(real).toMatchObject({
        'certificate expired, token undefined': { code: 401 },
        'certificate of another authority, token undefined': { code: 401 },
        'certificate valid, token nope': { code: 201, says: { username: 'ann' } },
        'certificate without a common name, token undefined': { code: 403 },
      })
    })

    it.each(seeds)('both API servers give the same answers (seed %s)', { timeout: 1_800_000 }, async (seed) => {
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
