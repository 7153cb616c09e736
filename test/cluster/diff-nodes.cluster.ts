import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSigningKey } from '../../src/apiserver/tokens/signing-keys.ts'
import { createRandom } from '../../src/base/random.ts'
import { tokenSettings } from '../../src/controlplane/identity.ts'
import { shown } from './access-run.ts'
import {
  type AccessAsk,
  type AccessQuestion,
  administratorToken,
  askOurs,
  askReal,
  tokenFileOf,
  user,
} from './access-servers.ts'
import { likeBerth } from './diff-servers.ts'
import { plantedObjects } from './node-objects.ts'
import { nodeRequest } from './node-requests.ts'
import { buildParts, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])
const seeds = process.env['BERTH_NODES_SEED']?.split(',') ?? ['one', 'two', 'three']
const requests = Number(process.env['BERTH_NODES_REQUESTS'] ?? 1000)

const users = [
  user('system:node:n1', 'system:nodes'),
  user('system:node:n3', 'system:nodes'),
  user('system:node:', 'system:nodes'),
  user('system:node:n1b'),
]
/** Most requests are of the node that has pods. */
const tokens = [...Array<string>(6).fill(users[0]!.token), ...users.map(({ token }) => token)]

const administrator = { authorization: `Bearer ${administratorToken}`, 'content-type': 'application/json' }

async function plant(ask: AccessAsk): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>()
  for (const { path, object } of plantedObjects) {
    const { name } = (object as { readonly metadata: { readonly name: string } }).metadata
    const made = await ask({ method: 'POST', path, headers: administrator, body: JSON.stringify(object) })
    const at = `${path}/${name}`
    const found = made.code === 409 ? await ask({ method: 'GET', path: at, headers: administrator }) : made
    if (found.code >= 300) throw new Error(`${at}: ${JSON.stringify(found.body)}`)
    uids.set(at, found.body.metadata.uid)
  }
  return uids
}

const filled = (question: AccessQuestion, uids: ReadonlyMap<string, string>): AccessQuestion =>
  typeof question.body === 'string'
    ? { ...question, body: question.body.replace(/\{\{([^}]*)\}\}/g, (_, path: string) => uids.get(path) ?? 'none') }
    : question

/** Upstream adds a diff of two Go structs to one message. */
const compared = (text: string): string =>
  text.replace(/(status\.quantity and status\.conditions).*/s, '$1').replace(/system:node:n1b/g, 'n1b')

describe.skipIf(reason !== undefined)(
  `requests of nodes on both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-nodes-'))
    let cluster: RealCluster
    let real: ReturnType<typeof askReal>
    let ours: AccessAsk
    let uids: { readonly real: ReadonlyMap<string, string>; readonly ours: ReadonlyMap<string, string> }
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      const file = join(folder, 'tokens.csv')
      writeFileSync(file, tokenFileOf(users))
      cluster = await startRealCluster({
        apiServer: {
          ...likeBerth,
          'authorization-mode': 'Node,RBAC',
          'enable-admission-plugins': 'NodeRestriction',
          'token-auth-file': file,
        },
      })
      real = askReal(cluster.url, readFileSync(join(cluster.folder, 'ca.crt'), 'utf8'))
      const settings = tokenSettings({}, newSigningKey())
      ours = askOurs({
        ...{ authorizationModes: ['Node', 'RBAC'], tokens: users, restrictsNodes: true },
        registryOptions: { restrictsNodes: true },
        serviceAccounts: { settings, now: () => Date.now(), newId: () => 'an-id' },
      })
      uids = { real: await plant(real.ask), ours: await plant(ours) }
      const path = '/apis/storage.k8s.io/v1/volumeattachments/attached-n1'
      const headers = { authorization: `Bearer ${users[0]!.token}` }
      const seen = async () => (await real.ask({ method: 'GET', path, headers })).code
      await eventually('the real server knows the objects', seen, (code) => code === 200, 60)
    })
    afterAll(async () => {
      real?.close()
      await cluster?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    it.each(seeds)('both API servers give nodes the same answers (seed %s)', { timeout: 1_200_000 }, async (seed) => {
      const differences = new Map<string, number>()
      const byCode = new Map<number, number>()
      for (let i = 0; i < requests; i++) {
        const question = nodeRequest(createRandom(`${seed}/${i}`).stream('request'), tokens)
        const [a, b] = await Promise.all([real.ask(filled(question, uids.real)), ours(filled(question, uids.ours))])
        byCode.set(a.code, (byCode.get(a.code) ?? 0) + 1)
        const [wanted, given] = [compared(shown(question, a)), compared(shown(question, b))]
        if (wanted === given) continue
        const key = `${question.method} ${question.path} real ${wanted} | ours ${given} [${question.body ?? ''}]`
        differences.set(key, (differences.get(key) ?? 0) + 1)
      }
      process.stderr.write(
        `${seed}: ${[...byCode]
          .sort()
          .map(([code, n]) => `${n}×${code}`)
          .join(' ')}\n`,
      )
      expect([...differences].map(([text, count]) => `${count}× ${text}`)).toEqual([])
    })
  },
)
