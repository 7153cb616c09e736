import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../../src/api/call.ts'
import type { ResourceQuota } from '../../src/api/objects/cluster.ts'
import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { createResourceQuotaController } from '../../src/controllers/resource-quota/controller.ts'
import { WorkloadCluster } from '../../src/controllers/workload-cluster.fixture.ts'
import type { Ask } from './diff-run.ts'
import { askReal, likeBerth } from './diff-servers.ts'
import { drawLimitRange, drawQuota, drawStep, priorityClass, type QuotaStep } from './quota-case.ts'
import { buildParts, clusterRelease, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing()
const rounds = 60
const steps = 14

const refusals = new Set<string>()

/** Removes the objects of an earlier attempt of the round. */
let namespaces = 0

interface Said {
  readonly code: number
  readonly message: string
}

describe.skipIf(reason !== undefined)(
  `quotas and limit ranges on both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let client: ReturnType<typeof askReal>
    beforeAll(async () => {
      buildParts()
      real = await startRealCluster({ apiServer: likeBerth, controllers: 'resourcequota-controller' })
      // The controller sometimes overwrites what admission has charged since with an older count, until it counts
      // again.
      await real.start('kube-controller-manager', ['--resource-quota-sync-period=5s'])
      client = askReal(real.kubeconfig)
      await client.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass)
    })
    afterAll(async () => {
      client?.close()
      await real?.close()
    })

    it('both API servers admit, reject and count the same requests', async () => {
      const found: string[] = []
      refusals.clear()
      for (let round = 0; round < rounds; round++) found.push(...(await compareRound(client.ask, `quota/${round}`)))
      expect(found).toEqual([])
      // The servers rejected enough requests, for many reasons.
      expect(refusals.size).toBeGreaterThan(60)
    })
  },
)

/** Quotas in a separate namespace, and writes one after the other. */
async function compareRound(ask: Ask, seed: string): Promise<readonly string[]> {
  const draw = createRandom(seed).stream('case')
  const namespace = `${seed.replace('/', '-')}-${++namespaces}`
  const ours = new WorkloadCluster({
    release: clusterRelease,
    controllers: [createResourceQuotaController()],
    kubelet: 'none',
    namespaces: [namespace],
  })
  ours.call({ verb: 'create', resource: 'priorityclasses.scheduling.k8s.io', object: priorityClass as KubeObject })
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const found: string[] = []
  const send = async (step: QuotaStep): Promise<boolean> => {
    const [said, saying] = [await sendReal(ask, namespace, step), sendOurs(ours, namespace, step)]
    if (!isSame(said, saying, quotas)) {
      found.push(`${seed} ${JSON.stringify(step)}: real ${say(said)} | ours ${say(saying)}`)
    }
    if (said.code === 403) refusals.add(said.message)
    return said.code < 300 && saying.code < 300
  }
  let quotas = 0
  if (draw.next() < 0.5) {
    const body = drawLimitRange(draw)
    await send({ method: 'POST', group: 'api/v1', resource: 'limitranges', name: 'limits', body })
  }
  const wanted = 1 + draw.int(2)
  for (let i = 0; i < wanted; i++) {
    const body = drawQuota(draw, `q${i}`)
    if (await send({ method: 'POST', group: 'api/v1', resource: 'resourcequotas', name: `q${i}`, body })) quotas++
    // A quota that is not counted yet does not see the next one.
    await atRest(ask, ours, namespace)
  }
  const made: QuotaStep[] = []
  for (let i = 0; i <= steps; i++) {
    const rest = await atRest(ask, ours, namespace)
    if (rest !== undefined) {
      found.push(`${seed} step ${i}: ${rest}`)
      break
    }
    if (i === steps) break
    const step = drawStep(draw, `o${i}`, made)
    const isTaken = await send(step)
    if (isTaken && step.method === 'POST') made.push(step)
    if (found.length > 0) break
  }
  return found
}

const say = ({ code, message }: Said): string => `${code} ${message}`

/** If several quotas are exceeded, upstream names any of them, and lists errors in any order. */
function isSame(real: Said, ours: Said, quotas: number): boolean {
  if (real.code !== ours.code || real.code === 422) return real.code === ours.code
  return inOrder(real.message) === inOrder(ours.message) || (quotas > 1 && /quota: q/.test(ours.message))
}

/** Several complaints of LimitRanger are in any order. */
const inOrder = (message: string): string =>
  message.replace(/\[(.*)\]/, (_, several: string) =>
    several
      .split(/, (?=m[ai]|cpu|memory)/)
      .sort()
      .join(', '),
  )

const pathOf = (namespace: string, { group, resource, method, name, subresource }: QuotaStep): string =>
  `/${group}/namespaces/${namespace}/${resource}${method === 'POST' ? '' : `/${name}`}${subresource === undefined ? '' : `/${subresource}`}`

async function sendReal(ask: Ask, namespace: string, step: QuotaStep): Promise<Said> {
  const type = step.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const { code, body } = await ask(step.method, pathOf(namespace, step), step.body, { 'content-type': type })
  return { code, message: code < 300 ? '' : String(body['message']) }
}

function sendOurs(cluster: WorkloadCluster, namespace: string, step: QuotaStep): Said {
  const group = step.group.split('/')[1] as string
  const resource = step.group.startsWith('apis/') ? `${step.resource}.${group}` : step.resource
  const at = { resource, namespace, ...(step.subresource === undefined ? {} : { subresource: step.subresource }) }
  const call = { POST: creation, PATCH: patch, DELETE: deletion }[step.method](at, step)
  return outcomeOf(cluster.call(call), step)
}

type Place = { readonly resource: string; readonly namespace: string; readonly subresource?: string }

const creation = (at: Place, { body }: QuotaStep): Call => ({
  verb: 'create',
  ...at,
  object: {
    ...body,
    metadata: { ...(body?.['metadata'] as JsonObject), namespace: at.namespace },
  } as unknown as KubeObject,
})
const patch = (at: Place, { name, body = {} }: QuotaStep): Call => ({
  verb: 'patch',
  ...at,
  name,
  patch: { kind: 'merge', patch: body },
})
const deletion = (at: Place, { name }: QuotaStep): Call => ({ verb: 'delete', ...at, name })

function outcomeOf(outcome: Outcome, { method }: QuotaStep): Said {
  if (!outcome.ok) return { code: outcome.status.code ?? 0, message: outcome.status.message ?? '' }
  return { code: method === 'POST' ? 201 : 200, message: '' }
}

type Counted = Readonly<Record<string, ResourceQuota['status']>>

/** The differences of the quotas when the counts no longer change. */
async function atRest(ask: Ask, cluster: WorkloadCluster, namespace: string): Promise<string | undefined> {
  cluster.settle()
  const mine = textOf(
    Object.fromEntries(cluster.list('resourcequotas').map((quota) => [quota.metadata.name, quota.status])),
  )
  const read = async (): Promise<string> => {
    const { body } = await ask('GET', `/api/v1/namespaces/${namespace}/resourcequotas`)
    const items = body['items'] as unknown as readonly ResourceQuota[]
    return textOf(Object.fromEntries(items.map((quota) => [quota.metadata.name, quota.status])))
  }
  try {
    await eventually('quotas', read, (theirs) => theirs === mine, 15)
    return undefined
  } catch {
    return `status real ${await read()} | ours ${mine}`
  }
}

function textOf(quotas: Counted): string {
  const sorted = (map: unknown): unknown =>
    Object.fromEntries(Object.entries((map ?? {}) as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1)))
  const parts = Object.entries(quotas).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(parts.map(([name, status]) => [name, sorted(status?.hard), sorted(status?.used)]))
}
