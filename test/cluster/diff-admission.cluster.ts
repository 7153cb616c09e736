import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { likeBerth } from './diff-servers.ts'
import { type PolicyStory, policyStories } from './policy-stories.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'
import { registrationBodies } from './registration-bodies.ts'
import { type Asker, askerOf, shownReply } from './two-servers.ts'

const reason = missing(['kube-apiserver'])
const group = '/apis/admissionregistration.k8s.io/v1'
const configMaps = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
]

/** kube-apiserver reads changed policies once a second. */
const settled = () => new Promise((next) => setTimeout(next, 4000))

const stories = Object.entries(policyStories).map(([name, story], i) => ({ name, story, id: `story-${i}` }))

const pathIn = (id: string, path: string) =>
  `${path.startsWith('/deployments') ? '/apis/apps/v1' : '/api/v1'}/namespaces/${id}${path}`

async function plant(ask: Asker, id: string, story: PolicyStory): Promise<void> {
  const { mutations, validations, spec = {}, binding = {}, rules = configMaps, before = [] } = story
  await ask('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: id, labels: { story: id } },
  })
  for (const [path, object] of before) await ask('POST', pathIn(id, path), object)
  const kind = mutations === undefined ? 'Validating' : 'Mutating'
  const { matchConstraints = {}, ...rest } = spec as { readonly matchConstraints?: object }
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}AdmissionPolicy`,
    metadata: { name: id },
    spec: {
      matchConstraints: {
        resourceRules: rules,
        ...matchConstraints,
        namespaceSelector: { matchLabels: { story: id } },
      },
      ...(mutations === undefined ? { validations } : { mutations, reinvocationPolicy: 'Never' }),
      ...rest,
    },
  }
  const bound = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}AdmissionPolicyBinding`,
    metadata: { name: id },
    spec: { policyName: id, ...(mutations === undefined ? { validationActions: ['Deny'] } : {}), ...binding },
  }
  planted.set(`${id}/policy`, [
    ...(planted.get(`${id}/policy`) ?? []),
    await ask('POST', `${group}/${kind.toLowerCase()}admissionpolicies`, policy),
  ])
  planted.set(`${id}/binding`, [
    ...(planted.get(`${id}/binding`) ?? []),
    await ask('POST', `${group}/${kind.toLowerCase()}admissionpolicybindings`, bound),
  ])
}

/** Members in one order, so that texts can be compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}

/** v1.37 has another message for a number as the key of a map of an object; docs/compatibility.md says so. */
const asOurs = (reply: unknown): unknown =>
  clusterRelease.minor === '1.37'
    ? JSON.parse(JSON.stringify(reply).replaceAll('unsupported map key type: types.Int', 'no such key: 1'))
    : reply

const planted = new Map<string, readonly Awaited<ReturnType<Asker>>[]>()

describe.skipIf(reason !== undefined)(
  `admission policies, beside kube-apiserver${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let api: ApiProcess
    let ours: Asker & { close(): void }
    let theirs: Asker & { close(): void }

    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: likeBerth })
      api = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
      })
      ours = askerOf(api.kubeconfig)
      theirs = askerOf(real.kubeconfig)
      for (const { id, story } of stories) for (const ask of [ours, theirs]) await plant(ask, id, story)
      await settled()
    }, 120_000)

    afterAll(async () => {
      ours?.close()
      theirs?.close()
      await api?.close()
      await real?.close()
    })

    it('both API servers give the same answers to configurations of webhooks and policies', async () => {
      const differences: unknown[] = []
      for (const { path, body } of registrationBodies) {
        const [mine, upstream] = await Promise.all([ours, theirs].map((ask) => ask('POST', path, body)))
        const [a, b] = [shownReply(mine as never), shownReply(upstream as never)]
        if (JSON.stringify(sorted(a)) !== JSON.stringify(sorted(b))) {
          differences.push({
            body: JSON.stringify(body),
            ours: mine?.body.message ?? a,
            theirs: upstream?.body.message ?? b,
          })
        }
      }
      expect(differences).toEqual([])
    })

    it.each(stories)('both API servers give the same answer to every request: $name', async ({ id, story }) => {
      for (const what of ['policy', 'binding']) {
        const [mine, upstream] = planted.get(`${id}/${what}`) ?? []
        expect(shownReply(mine as never), what).toEqual(shownReply(upstream as never))
      }
      for (const [method, path, body, type] of story.requests) {
        const send = (ask: Asker) => ask(method, pathIn(id, path), body, type)
        const [mine, upstream] = [await send(ours), await send(theirs)]
        expect(shownReply(mine), `${method} ${path} ${JSON.stringify(body)}`).toEqual(asOurs(shownReply(upstream)))
      }
    })
  },
)
