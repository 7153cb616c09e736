import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServedRegistry } from '../../src/apiserver/handler.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { codeOf, rawClient, requestText, startServer, until } from './sockets.ts'

// BERTH_UNREAD=20 is the full form: 20,000 pods, 200 unread lists, 500 stalled watchers, for which the memory is measured.
const scale = Number(process.env['BERTH_UNREAD'] ?? 1)
const pods = scale === 1 ? 500 : 1_000 * scale
/** More than the kernel takes for a client that does not read. */
const noteLength = scale === 1 ? 30_000 : 2_000
const limit = scale === 1 ? 10 * 1024 * 1024 : 64 * 1024 * 1024

let server: RunningServer
let registry: ServedRegistry
beforeEach(async () => {
  const started = await startServer({ limits: { bytesInFlight: limit } })
  server = started.server
  registry = started.registry
  for (let i = 0; i < pods; i++) write('create', i, 'x'.repeat(noteLength))
})
afterEach(() => server.close())

function write(verb: 'create' | 'update', index: number, note: string): void {
  const name = `pod-${index}`
  const target = { resource: 'pods', namespace: 'default' }
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations: { note } },
    spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] },
  } as never
  if (verb === 'create') expect(registry.call({ verb, ...target, object })).toMatchObject({ ok: true })
  else
    expect(
      registry.call({
        verb: 'patch',
        ...target,
        name,
        patch: { kind: 'merge', patch: { metadata: { annotations: { note } } } },
      }),
    ).toMatchObject({ ok: true })
}

const turn = () => new Promise((next) => setImmediate(next))
const podsPath = '/api/v1/namespaces/default/pods'
const get = (path: string) => requestText('GET', path, { token: 'alice-token' })
const megabytes = () => process.memoryUsage().rss / 1024 / 1024

/** The service that other clients must get. */
async function expectService(): Promise<void> {
  expect(await codeOf(server, requestText('GET', '/livez', { token: 'bob-token' }))).toBe(200)
  const list = await read(requestText('GET', podsPath, { token: 'bob-token' }), (end) => end.endsWith('\r\n0\r\n\r\n'))
  expect(list.match(/"name":"pod-\d+"/g)).toHaveLength(pods)
}

/** Reads all available data, until its end is as expected. */
function read(request: string, isEnd: (end: string) => boolean): Promise<string> {
  const client = rawClient(server, { reads: false })
  client.send(request)
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    client.socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!isEnd(Buffer.concat(chunks.slice(-3)).toString('latin1'))) return
      client.socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
    client.socket.on('close', () => reject(new Error('closed before the end')))
  })
}

describe('responses that are not read', () => {
  it(`keeps unread responses within the budget: ${10 * scale} lists`, async () => {
    const before = megabytes()
    let most = 0
    const lists = Array.from({ length: 10 * scale }, () => rawClient(server, { reads: false }))
    for (const { socket, send } of lists) {
      socket.pause()
      send(get(podsPath))
    }
    await until(() => server.load().readsInFlight === 0 && server.load().connections === lists.length)
    for (let i = 0; i < 20; i++) {
      await turn()
      most = Math.max(most, server.load().bytesInFlight)
    }
    expect(most).toBeLessThanOrEqual(limit)
    await expectService()
    if (scale > 1) console.log(`lists: ${most} bytes in flight, ${Math.round(megabytes() - before)} MB more`)
    for (const { socket } of lists) socket.destroy()
    await until(() => server.load().connections === 0)
    expect(server.load().bytesInFlight).toBe(0)
  })

  it('serves a reading client completely: it gets the whole list of one revision, although all pods change meanwhile', async () => {
    const client = rawClient(server, { reads: false })
    client.socket.pause()
    client.send(get(podsPath))
    await until(() => server.load().bytesInFlight > 0)
    for (let i = 0; i < pods; i++) write('update', i, 'changed')
    const chunks: Buffer[] = []
    client.socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    client.socket.resume()
    await until(() => Buffer.concat(chunks.slice(-3)).toString('latin1').endsWith('\r\n0\r\n\r\n'))
    const text = Buffer.concat(chunks).toString('latin1')
    const body = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/(^|\r\n)[0-9a-f]+\r\n/g, '')
    const list = JSON.parse(body.slice(0, body.lastIndexOf('}') + 1))
    expect(list.items).toHaveLength(pods)
    const versions = list.items.map((item: { metadata: { resourceVersion: string } }) =>
      Number(item.metadata.resourceVersion),
    )
    expect(Math.max(...versions)).toBeLessThanOrEqual(Number(list.metadata.resourceVersion))
    expect(text).not.toContain('changed')
  })
})

describe('watchers that do not read', () => {
  it(`shares events between watchers that do not read, and disconnects the slowest above the budget: ${25 * scale} watchers`, async () => {
    const before = megabytes()
    const watchers = Array.from({ length: 25 * scale }, () => rawClient(server, { reads: false }))
    for (const { socket, send } of watchers) {
      socket.pause()
      send(get(`${podsPath}?watch=1`))
    }
    await until(() => server.load().streams === watchers.length || server.load().cutOff > 0)
    const reading = rawClient(server, { reads: false })
    let seen = 0
    reading.socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1').split('"MODIFIED"').length - 1
    })
    reading.send(get(`${podsPath}?watch=1&resourceVersion=${registry.store.revision}`))
    await until(() => server.load().streams + server.load().cutOff > watchers.length)
    let most = 0
    // Each round replaces every pod: what waits for all watchers together is one copy of it.
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < pods; i++) {
        write('update', i, `${round} ${'y'.repeat(noteLength)}`)
        most = Math.max(most, server.load().bytesInFlight)
        // The client that reads gets every event. A chunk may end within the word.
        if (i % 20 === 0) await until(() => seen > round * pods + i - 20)
      }
    }
    await until(() => seen > 2 * pods - 10)
    expect(reading.socket.destroyed).toBe(false)
    expect(most).toBeLessThanOrEqual(limit + 100_000)
    expect(server.load().cutOff).toBeGreaterThan(0)
    await expectService()
    if (scale > 1) console.log(`watchers: ${most} bytes in flight, ${Math.round(megabytes() - before)} MB more`)
    for (const { socket } of [...watchers, reading]) socket.destroy()
    await until(() => server.load().connections === 0)
    expect(server.load().bytesInFlight).toBe(0)
  })
})
