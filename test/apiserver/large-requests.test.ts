import { expect, test } from 'vitest'
import { LargeRequests, largeBodyBytes } from '../../src/apiserver/serving/large-requests.ts'
import type { WebhookAnswer } from '../../src/registry/attempt.ts'
import { serving } from './serving.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }
const large = (name: string, metadata = {}) =>
  JSON.stringify({ metadata: { name, ...metadata }, data: { text: 'x'.repeat(largeBodyBytes) } })

/** Turns of the event loop that the test controls. */
function manualTurns() {
  const waiting: (() => void)[] = []
  return {
    nextTurn: () => new Promise<void>((resolve) => waiting.push(resolve)),
    waiting,
    /** Runs the next step to its end. */
    async pass(turns = 1): Promise<void> {
      for (let i = 0; i < turns; i++) {
        await new Promise((done) => setImmediate(done))
        waiting.shift()?.()
        await new Promise((done) => setImmediate(done))
      }
    },
  }
}

test('answers other requests between the decoding, the write and the answer of a large request', async () => {
  const turns = manualTurns()
  const { ask } = serving(turns)
  const found = async () => (await ask('GET', `${maps}/a`)).code
  let code = 0
  const answer = ask('POST', maps, large('a'), json).then((made) => {
    code = made.code
  })
  await turns.pass()
  expect(await found(), 'after decoding').toBe(404)
  await turns.pass()
  expect([await found(), code], 'after the write').toEqual([200, 0])
  await turns.pass()
  await answer
  expect(code).toBe(201)
})

test('handles a small request in one turn', () => {
  const { raw, registry } = serving({ nextTurn: () => new Promise(() => {}) })
  void raw('POST', maps, JSON.stringify({ metadata: { name: 'a' } }), json)
  expect(registry.store.get('configmaps', 'default/a')).toBeDefined()
})

test('a large request sees the writes that happen while it is decoded', async () => {
  const turns = manualTurns()
  const { ask } = serving(turns)
  const created = ask('POST', maps, large('a'), json)
  await turns.pass()
  const { body } = await ask('POST', maps, { metadata: { name: 'a' } }, json)
  await turns.pass(2)
  expect((await created).body).toMatchObject({ code: 409, reason: 'AlreadyExists' })

  const { resourceVersion } = body.metadata
  const updated = ask('PUT', `${maps}/a`, large('a', { resourceVersion }), json)
  await turns.pass()
  await ask('PUT', `${maps}/a`, { metadata: { name: 'a' }, data: { b: 'c' } }, json)
  await turns.pass(2)
  expect((await updated).body).toMatchObject({ code: 409, reason: 'Conflict' })
})

test('a large request does not decode its body before the one before it is written', async () => {
  const turns = manualTurns()
  const { ask } = serving(turns)
  const all = [ask('POST', maps, large('a'), json), ask('POST', maps, large('b'), json)]
  await turns.pass()
  expect(turns.waiting.length, 'only the first takes turns').toBe(1)
  await turns.pass(5)
  expect((await Promise.all(all)).map(({ code }) => code)).toEqual([201, 201])
})

test('a large request that waits for a webhook does not delay others', async () => {
  const turns = manualTurns()
  let reply: (answer: WebhookAnswer) => void = () => {}
  const { ask } = serving({
    ...turns,
    sendToWebhook: () =>
      new Promise((resolve) => {
        reply = resolve
      }),
  })
  const webhook = {
    name: 'a.example.com',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    failurePolicy: 'Fail',
  }
  const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  expect((await ask('POST', configurations, { metadata: { name: 'a' }, webhooks: [webhook] }, json)).code).toBe(201)
  const held = ask('POST', maps, large('a'), json)
  await turns.pass(20)
  const secrets = '/api/v1/namespaces/default/secrets'
  const text = Buffer.from('x'.repeat(largeBodyBytes)).toString('base64')
  const other = ask('POST', secrets, { metadata: { name: 'b' }, data: { text } }, json)
  await turns.pass(20)
  expect((await other).code).toBe(201)
  reply({ kind: 'failed', message: 'it is gone' })
  await turns.pass(20)
  expect((await held).code).toBe(500)
})

test('sends a large object to each watcher in a separate turn, before later events', async () => {
  const turns = manualTurns()
  const { ask, watch } = serving({ ...turns, sendToWebhook: () => Promise.reject(new Error('there are no webhooks')) })
  const watches = await Promise.all([1, 2, 3].map(() => watch(`${maps}?watch=1&resourceVersion=0`)))
  const created = ask('POST', maps, large('a'), json)
  while ((await ask('GET', `${maps}/a`)).code === 404) await turns.pass()
  await ask('POST', maps, { metadata: { name: 'b' } }, json)
  const namesOf = () => watches.map(({ events }) => events.map(({ object }) => object.metadata.name).join())
  const seen = new Set<number>()
  for (let i = 0; i < 10; i++) {
    seen.add(namesOf().filter((names) => names === 'a,b').length)
    await turns.pass()
  }
  expect((await created).code).toBe(201)
  expect(namesOf()).toEqual(['a,b', 'a,b', 'a,b'])
  expect([...seen]).toEqual([0, 1, 2, 3])
})

test('steps run in different turns, and a failed one does not end the others', async () => {
  const log: string[] = []
  const turns = manualTurns()
  const requests = new LargeRequests(turns.nextTurn)
  const failed = requests.handle(() => Promise.reject(new Error('failed'))).catch(() => log.push('failed'))
  const done = requests.handle(async () => {
    log.push('second')
  })
  void requests.pause().then(() => log.push('paused'))
  for (let i = 1; i <= 3; i++) {
    await turns.pass()
    expect(log).toHaveLength(i)
  }
  await Promise.all([failed, done])
  expect([...log].sort()).toEqual(['failed', 'paused', 'second'])
})
