import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { deployment, dumpOf } from '../../src/whatif/run/story.fixture.ts'
import { createScenarioNodes } from '../../src/whatif/scenario/scenario-nodes.fixture.ts'
import { callTool } from '../mcp/connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-webhooks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { zoneA } = createScenarioNodes()

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }]
const registration = 'admissionregistration.k8s.io/v1'

function webhook(failurePolicy: string, clientConfig: object = { url: 'https://hooks.example/inject' }): KubeObject {
  const common = { admissionReviewVersions: ['v1'], sideEffects: 'None', rules, failurePolicy, clientConfig }
  return {
    apiVersion: registration,
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'sidecars', uid: 'uid-sidecars' },
    webhooks: [{ name: 'inject.example.com', ...common }],
  } as unknown as KubeObject
}

/** Every pod needs more CPU than any node has left. */
const enlarge = { op: 'replace', path: '/spec/containers/0/resources/requests/cpu', value: '100' }

const policy = {
  apiVersion: registration,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'no-web', uid: 'uid-policy' },
  spec: {
    matchConstraints: { resourceRules: rules },
    validations: [
      { expression: "!has(object.metadata.labels) || object.metadata.labels['app'] != 'web'", message: 'no' },
    ],
  },
} as unknown as KubeObject
const binding = {
  apiVersion: registration,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'no-web', uid: 'uid-binding' },
  spec: { policyName: 'no-web', validationActions: ['Deny'] },
} as unknown as KubeObject

let cluster: { readonly items: readonly object[] }
const dumpWith = (name: string, ...more: readonly KubeObject[]) =>
  writeFileSync(join(folder, name), JSON.stringify({ ...cluster, items: [...cluster.items, ...more] }))
const berth = (args: string) => runBerth(args, { cwd: folder })
const forecast = async (args: string): Promise<Forecast> => {
  const { out, err } = await berth(`${args} -o json`)
  if (out === '') throw new Error(err)
  return JSON.parse(out) as Forecast
}
const texts = ({ notes }: Forecast) => notes.map(({ kind, text }) => `${kind}: ${text}`)

beforeAll(async () => {
  cluster = (await dumpOf([...zoneA(3), deployment('web', 6, { cpu: '500m' })])) as typeof cluster
  dumpWith('fail.json', webhook('Fail'))
  dumpWith('ignore.json', webhook('Ignore'))
  dumpWith('service.json', webhook('Fail', { service: { namespace: 'mesh', name: 'injector' } }))
  dumpWith('policy.json', policy, binding)
  const match = { operation: 'CREATE', resource: 'pods', namespace: 'default', name: 'web-*' }
  const recording = (response: object) => ({
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'WebhookRecording',
    answers: [{ webhook: 'inject.example.com', match, response }],
  })
  writeFileSync(join(folder, 'allow.yaml'), JSON.stringify(recording({ allowed: true })))
  writeFileSync(join(folder, 'enlarge.yaml'), JSON.stringify(recording({ allowed: true, jsonPatch: [enlarge] })))
  writeFileSync(
    join(folder, 'deny.yaml'),
    JSON.stringify(recording({ allowed: false, status: { message: 'not now' } })),
  )
})

describe('the webhooks of a cluster in a forecast', () => {
  it('failurePolicy Fail rejects requests, and the first screen says so', async () => {
    const { out } = await berth('whatif drain a1 --from fail.json')
    expect(out.replaceAll('\n', ' ')).toContain(
      'Uncertain: the webhook inject.example.com (sidecars) was not answered, so its failurePolicy Fail refused',
    )
    expect(out.indexOf('Uncertain')).toBeLessThan(out.indexOf('WORKLOAD'))
    const { workloads } = await forecast('whatif drain a1 --from fail.json')
    expect(workloads[0]?.ready.after).toBe(4)
  })

  it('failurePolicy Ignore lets requests pass, and the first screen says so', async () => {
    const found = await forecast('whatif drain a1 --from ignore.json')
    expect(texts(found)).toContainEqual(
      expect.stringMatching(
        /^uncertain: the webhook inject.example.com \(sidecars\) was not answered, and its failurePolicy Ignore let 2 requests pass/,
      ),
    )
    expect(found.workloads[0]?.ready.after).toBe(6)
  })

  it.each([
    ['fail.json', 'allow.yaml', 6],
    ['service.json', 'allow.yaml', 6],
    ['fail.json', 'enlarge.yaml', 4],
    ['fail.json', 'deny.yaml', 4],
  ])('a recording answers webhooks: %s with %s', async (dump, recording, ready) => {
    const found = await forecast(`whatif drain a1 --from ${dump} --webhook-recording ${recording}`)
    expect(found.workloads[0]?.ready.after).toBe(ready)
    expect(texts(found).join('\n')).toMatch(
      /the webhook inject.example.com \(sidecars\) answered \d+ requests from a recording/,
    )
    expect(found.notes.some(({ kind }) => kind === 'uncertain')).toBe(false)
  })

  it('a recorded answer denies requests, with its message', async () => {
    const found = await forecast('whatif drain a1 --from fail.json --webhook-recording deny.yaml')
    expect(texts(found).join('\n')).toMatch(
      /blocked: the webhook inject.example.com \(sidecars\) denied \d+ requests: not now/,
    )
  })

  it('--ignore-webhooks lets requests pass', async () => {
    const found = await forecast('whatif drain a1 --from fail.json --ignore-webhooks')
    expect(found.workloads[0]?.ready.after).toBe(6)
  })

  it('simulate answers webhooks in the same way', async () => {
    const scenario = {
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'Scenario',
      until: '60s',
      cluster: ['fail.json'],
      steps: [{ at: '1s', drain: { nodes: ['a1'] } }],
    }
    writeFileSync(join(folder, 'scenario.yaml'), JSON.stringify(scenario))
    const { out, err } = await berth('simulate scenario.yaml --webhook-recording allow.yaml -o json')
    expect(err).toBe('')
    expect(out).toContain('from a recording')
  })

  it('a wrong recording is rejected with its file and field', async () => {
    writeFileSync(join(folder, 'wrong.yaml'), 'apiVersion: berth.dev/v1alpha1\nkind: WebhookRecording\nanswers: [{}]\n')
    const { code, err } = await berth('whatif drain a1 --from fail.json --webhook-recording wrong.yaml')
    expect([code, err]).toEqual([2, expect.stringContaining('wrong.yaml: answers[0].webhook: required')])
  })
})

it('admission policies take effect in forecasts, and the first screen says which one denied requests', async () => {
  const found = await forecast('whatif drain a1 --from policy.json')
  expect(found.workloads[0]?.ready.after).toBe(4)
  expect(texts(found).join('\n')).toMatch(/blocked: the ValidatingAdmissionPolicy no-web denied \d+ requests: no/)
})

const bin = resolve('bin/berth')
const searchWords = 'search --only nodes --cases 8 --threads 1 --no-propose-fix --no-reduce -o json'

interface SurvivalTable {
  readonly failures: readonly { readonly caused: { readonly podsPending: number } }[]
  readonly notes: readonly { readonly kind: string; readonly text: string }[]
}

describe('other questions answer webhooks in the same way', () => {
  const failures = async (more: string): Promise<SurvivalTable> => {
    const { out, err } = await berth(`whatif fail --each-node --from fail.json -o json${more}`)
    if (out === '') throw new Error(err)
    return JSON.parse(out) as SurvivalTable
  }
  const ready = (table: SurvivalTable) => table.failures.map(({ caused }) => caused)

  it('whatif fail --each-node: a recording answers, and unanswered webhooks are named', async () => {
    const unanswered = await failures('')
    expect(unanswered.notes).toContainEqual({
      kind: 'uncertain',
      text: expect.stringMatching(
        /^the webhook inject.example.com \(sidecars\) was not answered, so its failurePolicy/,
      ),
    })
    const allowed = await failures(' --webhook-recording allow.yaml')
    expect(allowed.notes.some(({ kind }) => kind === 'uncertain')).toBe(false)
    expect(await failures(' --ignore-webhooks')).toMatchObject({ failures: allowed.failures })
    const enlarged = await failures(' --webhook-recording enlarge.yaml')
    expect(ready(enlarged).map(({ podsPending }) => podsPending)).toEqual([2, 2, 2])
    expect(ready(enlarged)).not.toEqual(ready(allowed))
  })

  it('search: a pod that a webhook enlarges stays pending', async () => {
    const words = `${searchWords} --from fail.json`
    expect((await berth(`${words} --webhook-recording enlarge.yaml`)).out).toContain('"found": true')
    expect((await berth(`${words} --webhook-recording allow.yaml`)).out).toContain('"found": false')
  })
})

const isBuilt = existsSync(resolve('dist/webhook-worker.js'))

describe.skipIf(!isBuilt)(`live webhooks${isBuilt ? '' : ' (skipped: dist/ is not built)'}`, () => {
  let server: ChildProcess
  beforeAll(async () => {
    const credentials = createCredentials({ now: Date.now(), hosts: ['localhost'], adminToken: 'x' })
    const program = `
      const { key, cert, patch } = JSON.parse(process.argv[1])
      const server = require('node:https').createServer({ key, cert }, (request, response) => {
        let text = ''
        request.on('data', (chunk) => (text += chunk))
        request.on('end', () => {
          const { apiVersion, kind, request: { uid } } = JSON.parse(text)
          const answer = { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') }
          response.end(JSON.stringify({ apiVersion, kind, response: answer }))
        })
      })
      server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
    const given = { key: credentials.serverKey, cert: credentials.serverCertificate, patch: JSON.stringify([enlarge]) }
    const child = spawn(process.execPath, ['-e', program, JSON.stringify(given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    server = child
    const [port] = await once(child.stdout, 'data')
    const caBundle = Buffer.from(credentials.caCertificate).toString('base64')
    dumpWith('live.json', webhook('Fail', { url: `https://localhost:${String(port).trim()}/inject`, caBundle }))
  })
  afterAll(() => {
    server.kill()
  })
  const recorded = (file: string) => readFileSync(join(folder, file), 'utf8')

  it('--live-webhooks asks webhooks over HTTPS, and --record-webhooks records them', async () => {
    const found = await forecast('whatif drain a1 --from live.json --live-webhooks --record-webhooks recorded.yaml')
    expect(texts(found).join('\n')).toMatch(/the webhook inject.example.com \(sidecars\) answered \d+ requests live/)
    expect(found.workloads[0]?.ready.after).toBe(4)
    expect(recorded('recorded.yaml')).toContain('webhook: inject.example.com')
    const replayed = await forecast('whatif drain a1 --from live.json --webhook-recording recorded.yaml')
    expect(replayed.workloads[0]?.ready.after).toBe(4)
  })

  it('each failure of whatif fail --each-node asks and records them', async () => {
    const failures = 'whatif fail --each-node --from live.json -o json'
    const { out } = await berth(`${failures} --live-webhooks --record-webhooks failures.yaml`)
    const { failures: rows, notes } = JSON.parse(out) as SurvivalTable
    expect(rows.map(({ caused }) => caused.podsPending)).toEqual([2, 2, 2])
    expect(notes.some(({ kind }) => kind === 'uncertain')).toBe(false)
    expect((await berth(`${failures} --webhook-recording failures.yaml`)).out).toBe(out)
  })

  it('search asks and records them', async () => {
    const words = `${searchWords} --from live.json`
    const { out } = await berth(`${words} --live-webhooks --record-webhooks searched.yaml`)
    expect(out).toContain('"found": true')
    expect(recorded('searched.yaml')).toContain('webhook: inject.example.com')
    expect((await berth(`${words} --webhook-recording searched.yaml`)).out).toBe(out)
  })

  it('the forecast of an MCP client asks and records them', async () => {
    const args = [bin, 'mcp', '--from', 'live.json', '--live-webhooks', '--record-webhooks', 'mcp.yaml']
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }))
    const change = [{ drain: { node: 'a1' } }]
    const { value } = await callTool(client, 'forecast', { change })
    await client.close()
    expect(value).toMatchObject({ caused: { podsDeleted: 2, podsPending: 2 } })
    expect(recorded('mcp.yaml')).toContain('webhook: inject.example.com')
  })

  it('the forecast of the console asks them in a thread, and records them', async () => {
    const args = [bin, 'console', '--from', 'live.json', '--live-webhooks', '--record-webhooks', 'console.yaml']
    const console = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const { origin, code } = await linkOf(console.stdout)
      const headers = { 'content-type': 'application/json', 'x-berth-console': '1' }
      const post = (path: string, body: object, more = {}) =>
        fetch(`${origin}/console/api/${path}`, {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify(body),
        })
      const session = await post('session', { code })
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
      const steps = [{ question: 'drain', args: ['a1'], options: {} }]
      const lines = (await (await post('forecast', { steps, seconds: 600 }, { cookie })).text()).trim().split('\n')
      const { k, forecast: shown } = JSON.parse(lines.at(-1) ?? '')
      expect([k, shown?.workloads[0].ready.after]).toEqual(['forecast', 4])
      expect(recorded('console.yaml')).toContain('webhook: inject.example.com')
    } finally {
      console.kill()
    }
  })
})

async function linkOf(output: Readable): Promise<{ readonly origin: string; readonly code: string }> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const [, origin, code] = /(http:\S+)\/console\/\?code=([\w-]+)\s/.exec(text) ?? []
    if (origin !== undefined && code !== undefined) return { origin, code }
  }
  throw new Error(`no link: ${text}`)
}
