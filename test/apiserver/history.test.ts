import { expect, test, vi } from 'vitest'
import { createRandom, type RandomStream } from '../../src/base/random.ts'

// Caches of the API server outlive a request, and different users share them. The answer must always be that of a fresh
// server. The requests change nothing, so every order of them must give the same answers. BERTH_HISTORY=… sets the
// length of the run, BERTH_SEED=… repeats one.
const seed = process.env['BERTH_SEED'] ?? 'history'
const count = Number(process.env['BERTH_HISTORY'] ?? 800)

type Server = ReturnType<typeof import('./serving.ts').serving>

const json = { 'content-type': 'application/json' }

/** A few specs, so that requests often share one. */
const specs = [
  '{"containers":[{"name":"a","image":"good"}]}',
  '{"containers":[{"name":"a","image":"bad","securityContext":{"privileged":true}}]}',
  '{"containers":[{"image":"good","name":"a"}]}',
  '{"containers":[{"name":"a","image":"good","unheard":1}]}',
  '{"containers":[{"name":"a","image":"good","ports":[{"containerPort":80},{"containerPort":80}]}]}',
  '{"containers":[{"name":"a","image":"good"}],"terminationGracePeriodSeconds":9007199254740993}',
  '{"containers":[{"name":"a","image":"good"}],"terminationGracePeriodSeconds":1.0}',
  '{"containers":[{"name":"a","image":"good"}],"tolerations":[{"key":"k","operator":"Exists"}]}',
  '{"containers":[{"name":"A_","image":"good"}]}',
  '{"containers":[],"nodeSelector":{"a":"b"}}',
  '{"containers":[{"name":"a","image":"good"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["app"],"labelSelector":{}}]}',
  '{"__proto__":{"hostNetwork":true},"containers":[{"name":"a","image":"good"}]}',
  '{"containers":[{"name":"a","image":"good"}],"priorityClassName":"system-node-critical"}',
]

const labels = ['', '"labels":{"app":"a"},', '"labels":{"app":"_"},', '"annotations":{"a":"b"},']

function podBody(random: RandomStream): string {
  const [one, other] = [random.pick(specs), random.pick(specs)]
  const metadata = `"metadata":{${random.pick(labels)}"name":"pod"}`
  const junk = Array.from({ length: random.int(3) * 60 }, (_, i) => `"x${i}":1,`).join('')
  return random.pick([
    `{${metadata},"spec":${one}}`,
    `{"spec":${one},${metadata}}`,
    `{${metadata},"spec":${one},"\\u0073pec":${other}}`,
    `{${metadata},"\\u0073pec":${other},"spec":${one}}`,
    `{${metadata},"spec":${other},"spec":${one}}`,
    `{${metadata},"spec": ${one} }`,
    `{${junk}${metadata},"spec":${one}}`,
    `{${metadata},"spec":${one}} ${other}`,
    `{${metadata},"spec":${one}${other}}`,
    `{${metadata},"__proto__":{"spec":${other}},"spec":${one}}`,
    `\ufeff{${metadata},"spec":${one}}`,
    `{"apiVersion":"v1","kind":"Service",${metadata},"spec":${one}}`,
  ])
}

interface Asked {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const collections = [
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/podtemplates',
]
const types = ['application/json', 'application/json', 'application/json', 'application/yaml']
const validations = ['', '&fieldValidation=Strict', '&fieldValidation=Warn', '&fieldValidation=Ignore']

function request(random: RandomStream): Asked {
  const headers = { 'content-type': random.pick(types) }
  const url = `${random.pick(collections)}?dryRun=All${random.pick(validations)}`
  return { method: 'POST', url, body: podBody(random), headers }
}

async function answerOf(server: Server, { method, url, body, headers }: Asked): Promise<string> {
  const { code, headers: answered, text } = await server.ask(method, url, body, headers)
  const plain = text.replaceAll(/"(uid|creationTimestamp|time)":"[^"]*"/g, '"$1":""')
  return `${code} ${JSON.stringify(answered['warning'])} ${plain}`
}

/** The answers of a server without history, in the order of the requests. Its modules are loaded again, and their caches. */
async function answersInOrder(requests: readonly Asked[]): Promise<Map<Asked, string>> {
  vi.resetModules()
  const { serving } = (await import('./serving.ts')) as typeof import('./serving.ts')
  const server = serving()
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } }, json)
  const answers = new Map<Asked, string>()
  for (const one of requests) answers.set(one, await answerOf(server, one))
  return answers
}

test(`gives the same answer after any earlier requests (seed ${seed})`, async () => {
  const random = createRandom(seed).stream('requests')
  const requests = Array.from({ length: count }, () => request(random))
  const forward = await answersInOrder(requests)
  const backward = await answersInOrder(requests.toReversed())
  for (const one of requests) {
    expect({ ...one, answer: forward.get(one) }).toEqual({ ...one, answer: backward.get(one) })
  }
})
