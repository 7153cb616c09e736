import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { optionsObject, optionsRequest } from './access-options.ts'
import {
  escalationRequest,
  impersonatedRequest,
  rawRequest,
  resourceRequest,
  reviewRequest,
} from './access-requests.ts'
import { markers, type Planted, randomRoles, rbacPath } from './access-roles.ts'
import {
  type AccessAnswer,
  type AccessAsk,
  type AccessQuestion,
  administratorToken,
  namespaces,
  users,
} from './access-servers.ts'
import { eventually } from './real-parts.ts'

export interface AccessDifference {
  count: number
  readonly seed: string
  readonly question: AccessQuestion
  readonly real: AccessAnswer
  readonly ours: AccessAnswer
}

export interface AccessReport {
  readonly requests: number
  readonly byCode: ReadonlyMap<number, number>
  /** Grouped by the request and the difference. */
  readonly differences: ReadonlyMap<string, AccessDifference>
}

const admin = { authorization: `Bearer ${administratorToken}`, 'content-type': 'application/json' }
const asAdmin = (ask: AccessAsk, method: string, path: string, object?: object) =>
  ask({ method, path, headers: admin, ...(object === undefined ? {} : { body: JSON.stringify(object) }) })

const generators: readonly [string, number, (random: RandomStream) => AccessQuestion][] = [
  ['resource', 30, resourceRequest],
  ['raw', 5, rawRequest],
  ['review', 15, reviewRequest],
  ['escalation', 20, escalationRequest],
  ['impersonation', 8, impersonatedRequest],
  ['options', 22, optionsRequest],
]

function drawn(random: RandomStream): readonly [string, AccessQuestion] {
  let left = random.int(generators.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [name, weight, make] of generators) {
    left -= weight
    if (left < 0) return [name, make(random)]
  }
  throw new Error('the weights do not add up')
}

export interface Servers {
  readonly real: AccessAsk
  readonly ours: AccessAsk
}

/** The objects that requests are about, on both servers. */
export async function plantObjects({ real, ours }: Servers): Promise<void> {
  for (const ask of [real, ours]) {
    for (const name of namespaces) {
      await asAdmin(ask, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      for (const kind of ['ConfigMap', 'Secret']) {
        const path = `/api/v1/namespaces/${name}/${kind.toLowerCase()}s`
        await asAdmin(ask, 'POST', path, { apiVersion: 'v1', kind, metadata: { name: 'x' } })
      }
    }
  }
}

const collections = [
  ...['clusterrolebindings', 'clusterroles'],
  ...namespaces.flatMap((namespace) => [`namespaces/${namespace}/rolebindings`, `namespaces/${namespace}/roles`]),
]

async function plantRoles(servers: Servers, roles: readonly Planted[], round: string): Promise<void> {
  for (const ask of [servers.real, servers.ours]) {
    for (const collection of collections) {
      await asAdmin(ask, 'DELETE', `${rbacPath}/${collection}?labelSelector=suite%3Daccess`)
    }
    for (const { path, object } of [...roles, ...markers(round)]) {
      const created = await asAdmin(ask, 'POST', path, object)
      // The controller of aggregated roles uses apply, and therefore recreates what was deleted concurrently.
      const answer =
        created.code === 409 ? await asAdmin(ask, 'PUT', `${path}/${object.metadata.name}`, object) : created
      if (answer.code >= 300) throw new Error(`${path} ${object.metadata.name}: ${JSON.stringify(answer.body)}`)
    }
  }
  await settled(servers, round)
}

/** The authorizer of the real server reads from caches, and a controller fills in aggregated roles. */
async function settled({ real, ours }: Servers, round: string): Promise<void> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  const rights = [
    { group: 'marker', verb: 'get', resource: round },
    { group: 'marker', verb: 'get', resource: `${round}-local`, namespace: 'a1' },
  ]
  const read = async () => {
    const allowed: boolean[] = []
    for (const resourceAttributes of rights) {
      const spec = { user: `marker-${round}`, resourceAttributes }
      allowed.push((await asAdmin(real, 'POST', path, { spec })).body.status?.allowed === true)
    }
    return allowed
  }
  await eventually('the real server knows the roles', read, (allowed) => allowed.every(Boolean), 60)
  const rulesOf = async (ask: AccessAsk) => {
    const answers: unknown[] = []
    for (const { token } of users) {
      for (const namespace of namespaces) {
        const { body } = await ask({
          ...{ method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews' },
          headers: { ...admin, authorization: `Bearer ${token}` },
          body: JSON.stringify({ spec: { namespace } }),
        })
        answers.push(shownStatus(body.status))
      }
    }
    return JSON.stringify(answers)
  }
  const wanted = await rulesOf(ours)
  await eventually(
    'the real server has aggregated the roles',
    () => rulesOf(real),
    (rules) => rules === wanted,
    20,
  ).catch(() => undefined)
}

export async function compareAccess(options: {
  readonly servers: Servers
  readonly seed: string
  readonly rounds: number
  readonly requestsPerRound: number
}): Promise<AccessReport> {
  const { servers, seed } = options
  const differences = new Map<string, AccessDifference>()
  const byCode = new Map<number, number>()
  let requests = 0
  for (let round = 0; round < options.rounds; round++) {
    const name = `${seed}/${round}`
    await plantRoles(servers, randomRoles(createRandom(name).stream('roles')), `r${seed}-${round}`.toLowerCase())
    for (let i = 0; i < options.requestsPerRound; i++) {
      const [kind, question] = drawn(createRandom(`${name}/${i}`).stream('request'))
      if (kind === 'options') await replant(servers)
      const [real, ours] = await Promise.all([servers.real(question), servers.ours(question)])
      requests++
      byCode.set(real.code, (byCode.get(real.code) ?? 0) + 1)
      const [a, b] = [shown(question, real), shown(question, ours)]
      if (a === b) continue
      const key = `${kind} ${question.method} real ${a} | ours ${b}`
      const seen = differences.get(key)
      if (seen === undefined) differences.set(key, { count: 1, seed: `${name}/${i}`, question, real, ours })
      else seen.count++
    }
  }
  return { requests, byCode, differences }
}

async function replant({ real, ours }: Servers): Promise<void> {
  const path = '/api/v1/namespaces/a1/configmaps'
  for (const ask of [real, ours]) {
    for (const name of ['o', 'x']) {
      await asAdmin(ask, 'POST', path, { ...optionsObject, metadata: { name } })
    }
  }
}

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace: string }
}

const isOurs = (namespace: string): boolean => (namespaces as readonly string[]).includes(namespace)

/** The comparable part of an answer: code, reason, message and causes, and the status of a review. */
export function shown({ path, method }: AccessQuestion, { code, body }: AccessAnswer): string {
  if (method === 'HEAD') return String(code)
  if (typeof body === 'string') return code < 300 ? String(code) : `${code} ${body.trim()}`
  if (code >= 300) {
    const { reason, message, details } = body
    return JSON.stringify([
      code,
      reason,
      plain(message ?? ''),
      details === undefined ? undefined : plain(JSON.stringify(sorted(details))),
    ])
  }
  if (path.includes('authorization.k8s.io/v1') && body.status !== undefined) {
    return `${code} ${JSON.stringify(shownStatus(body.status))}`
  }
  // The real server keeps maps for itself in other namespaces.
  const items = path.includes('configmaps') ? (body.items as readonly Listed[] | undefined) : undefined
  if (items === undefined) return String(code)
  const own = items.filter(({ metadata }) => isOurs(metadata.namespace))
  return [code, ...own.map(({ metadata }) => metadata.name)].join(' ')
}

/** Upstream checks bindings in the order of a Go map, so the one that allows is random if there are several. */
function shownStatus(status: unknown): unknown {
  const { reason, resourceRules, nonResourceRules, evaluationError, ...rest } = (status ?? {}) as Record<
    string,
    never[]
  > & {
    readonly reason?: string
    readonly evaluationError?: string
  }
  const inOrder = (rules: readonly unknown[] = []) => rules.map((rule) => JSON.stringify(sorted(rule))).sort()
  return {
    ...rest,
    ...(reason === undefined ? {} : { reason: plain(reason).replace(/^(RBAC: allowed by).*/, '$1') }),
    ...(evaluationError === undefined ? {} : { evaluationError: plain(evaluationError) }),
    ...(resourceRules === undefined ? {} : { rules: [inOrder(resourceRules), inOrder(nonResourceRules)] }),
  }
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function plain(text: string): string {
  return text
    .replace(uid, 'UID')
    .replace(/in record \(\d+\)/, 'in record (N)')
    .replace(/RBAC: \[([^\]]*)\]/, (_, list: string) => `RBAC: [${list.split(', ').sort().join(', ')}]`)
    .replace(/^\[([^\]]*not found)\]$/, (_, list: string) => `[${list.split(', ').sort().join(', ')}]`)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
