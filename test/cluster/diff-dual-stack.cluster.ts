import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCidr } from '../../src/api/cidr.ts'
import { atLeast } from '../../src/api/releases/at-least.ts'
import { newSigningKey } from '../../src/apiserver/tokens/signing-keys.ts'
import { createRandom } from '../../src/base/random.ts'
import { tokenSettings } from '../../src/controlplane/identity.ts'
import type { Ask } from './diff-run.ts'
import { askOurs, askReal, likeBerth } from './diff-servers.ts'
import { buildParts, clusterRelease, eventually, missing, type RealCluster, startRealCluster } from './real-parts.ts'
import { type ServiceRequest, serviceRequest, withoutChoices } from './service-requests.ts'
import { comparable } from './two-servers.ts'

const reason = missing(['kube-apiserver'])
const seeds = process.env['BERTH_SERVICES_SEED']?.split(',') ?? ['one', 'two', 'three']
const requests = Number(process.env['BERTH_SERVICES_REQUESTS'] ?? 500)
const setups = [
  ['single stack', '10.0.0.0/24'],
  ['dual stack, IPv4 first', '10.0.0.0/24,fd00:10:96::/112'],
  ['dual stack, IPv6 first', 'fd00:10:96::/112,10.0.0.0/24'],
] as const

const services = '/api/v1/namespaces/default/services'
const networking = '/apis/networking.k8s.io/v1'
const merge = { 'content-type': 'application/merge-patch+json' }

const withoutNulls = (spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null))

async function send(ask: Ask, request: ServiceRequest): Promise<unknown> {
  const query = 'dryRun' in request && request.dryRun ? '?dryRun=All' : ''
  switch (request.kind) {
    case 'create':
      return ask('POST', `${services}${query}`, { metadata: { name: request.name }, spec: request.spec })
    case 'replace': {
      const at = `${services}/${request.name}`
      const { code, body } = await ask('GET', at)
      if (code !== 200) return { code, body }
      const stored = body as { readonly spec: object }
      return ask('PUT', `${at}${query}`, { ...stored, spec: withoutNulls({ ...stored.spec, ...request.change }) })
    }
    case 'merge':
      return ask('PATCH', `${services}/${request.name}${query}`, { spec: request.change }, merge)
    case 'delete':
      return ask('DELETE', `${services}/${request.name}`)
    case 'occupy': {
      const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'another' } }
      return ask('POST', `${networking}/ipaddresses`, { metadata: { name: request.ip }, spec })
    }
    case 'free': {
      // An address of a service is repaired upstream when it is deleted.
      const { body } = await ask('GET', `${networking}/ipaddresses/${request.ip}`)
      const { spec } = body as { readonly spec?: { readonly parentRef: { readonly name: string } } }
      return spec?.parentRef.name === 'another' ? ask('DELETE', `${networking}/ipaddresses/${request.ip}`) : 'kept'
    }
  }
}

const shown = (answer: unknown): string => {
  const text = withoutChoices(JSON.stringify(comparable(answer)))
    // If two addresses cannot be allocated, the message of the real server names either of them.
    .replace(/((?:\\?"[^"]*\\?",?){2}\]): failed to allocate IP [^"]*/g, '$1: failed to allocate IP')
  // The real server stores this field of ExternalName services and hides it; here it is not stored.
  return text.includes('"type":"ExternalName"') ? text.replace('"f:internalTrafficPolicy":{},', '') : text
}

/** The part of an answer that explains a difference. */
function brief(answer: unknown): string {
  const { code, body } = answer as {
    readonly code?: number
    readonly body?: Partial<Record<'message' | 'spec', unknown>>
  }
  return `${code} ${withoutChoices(JSON.stringify(body?.message ?? body?.spec ?? answer))}`
}

/**
 * kube-apiserver keeps the first address of a service whose second one cannot be allocated, until its repair loop finds
 * it a minute later.
 */
async function releaseLeaks(ask: Ask): Promise<void> {
  const itemsAt = async (path: string) =>
    ((await ask('GET', path)).body as unknown as { items: { metadata: { name: string }; spec: unknown }[] }).items
  const held = JSON.stringify((await itemsAt(services)).map(({ spec }) => spec))
  for (const { metadata, spec } of await itemsAt(`${networking}/ipaddresses`)) {
    if (held.includes(`"${metadata.name}"`) || JSON.stringify(spec).includes('another')) continue
    await ask('DELETE', `${networking}/ipaddresses/${metadata.name}`)
  }
}

async function addressesOf(ask: Ask): Promise<readonly string[]> {
  const { body } = await ask('GET', `${networking}/ipaddresses`)
  const { items } = body as unknown as { readonly items: readonly object[] }
  return items.map(shown).sort()
}

describe.skipIf(reason !== undefined).each(setups)(
  `services on both API servers, %s${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  (_, ranges) => {
    let cluster: RealCluster
    let real: ReturnType<typeof askReal>
    let ours: Ask
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      const advertised = ranges.startsWith('fd') ? { 'advertise-address': 'fd00::1' } : {}
      cluster = await startRealCluster({
        apiServer: { ...likeBerth, ...advertised, 'service-cluster-ip-range': ranges },
      })
      real = askReal(cluster.kubeconfig)
      ours = askOurs({
        serviceRanges: ranges.split(',').flatMap((range) => parseCidr(range) ?? []),
        serviceAccounts: { settings: tokenSettings({}, newSigningKey()), now: () => Date.now(), newId: () => 'an-id' },
      })
      const range = async () => (await real.ask('GET', `${networking}/servicecidrs/kubernetes`)).body
      const server = async () => (await real.ask('GET', `${services}/kubernetes`)).code
      await eventually('the service of the server exists', server, (code) => code === 200, 60)
      await eventually('the default range is ready', range, (body) => JSON.stringify(body).includes('"Ready"'), 60)
    })
    afterAll(async () => {
      real?.close()
      await cluster?.close()
    })

    it('both servers have the same default range, and the same service of the API server', async () => {
      for (const path of [`${networking}/servicecidrs/kubernetes`, `${services}/kubernetes`]) {
        const [a, b] = await Promise.all([real.ask('GET', path), ours('GET', path)])
        const bare = ({ body }: { readonly body: unknown }) => {
          const { metadata: __, ...rest } = body as { readonly metadata: object }
          return shown(rest).replace(/"targetPort":[^}]+/, '"targetPort":"that of the server"')
        }
        expect(bare(b)).toBe(bare(a))
      }
      const [mine, theirs] = [await addressesOf(ours), await addressesOf(real.ask)]
      // Before v1.36 the repair of addresses deletes that of a Service which was an ExternalName a moment before.
      expect(mine).toEqual(atLeast(clusterRelease, '1.36') ? theirs : expect.arrayContaining([...theirs]))
    })

    it('both servers print addresses and ranges with the same columns', async () => {
      const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const printed = async (ask: Ask, path: string) => {
        const { columnDefinitions, rows } = (await ask('GET', path, undefined, asTable)).body as unknown as {
          readonly columnDefinitions: readonly { readonly name: string }[]
          readonly rows: readonly { readonly cells: readonly unknown[] }[]
        }
        return {
          columns: columnDefinitions.map(({ name }) => name),
          cells: rows.map(({ cells }) => cells.map((cell) => String(cell).replace(/^(\d+[smhdy])+$/, 'age'))),
        }
      }
      for (const path of [`${networking}/ipaddresses`, `${networking}/servicecidrs`, services]) {
        expect(await printed(ours, path)).toEqual(await printed(real.ask, path))
      }
    })

    it.each(seeds)('both servers give the same answers (seed %s)', { timeout: 600_000 }, async (seed) => {
      const differences: string[] = []
      const random = createRandom(seed).stream('services')
      const kinds = new Map<string, number>()
      for (let i = 0; i < requests; i++) {
        const request = serviceRequest(random)
        const [a, b] = [await send(real.ask, request), await send(ours, request)]
        const outcome = `${request.kind} ${(a as { readonly code?: number }).code}`
        kinds.set(outcome, (kinds.get(outcome) ?? 0) + 1)
        // The real server panics on some updates, and cuts the connection.
        if (outcome.endsWith(' 0')) continue
        if (brief(a).includes('failed to allocate')) await releaseLeaks(real.ask)
        if (shown(a) !== shown(b)) differences.push(`${JSON.stringify(request)} real ${brief(a)} ours ${brief(b)}`)
      }
      process.stderr.write(
        `${seed}: ${[...kinds]
          .sort()
          .map(([kind, n]) => `${n}×${kind}`)
          .join(', ')}\n`,
      )
      expect(differences.slice(0, 10)).toEqual([])
      const [mine, theirs] = [await addressesOf(ours), await addressesOf(real.ask)]
      // Before v1.36 the repair of addresses deletes that of a Service which was an ExternalName a moment before.
      expect(mine).toEqual(atLeast(clusterRelease, '1.36') ? theirs : expect.arrayContaining([...theirs]))
    })
  },
)
