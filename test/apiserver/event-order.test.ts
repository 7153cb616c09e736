import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { configMap, configMaps, type RawClient, rawClient, requestText, startServer, until } from './sockets.ts'

let server: RunningServer
beforeEach(async () => {
  server = (await startServer()).server
})
afterEach(() => server.close())

/** Creates objects one after the other. Returns, for each, which client received its bytes first. */
async function firstToRead(
  writer: RawClient,
  watcher: RawClient,
  names: readonly string[],
): Promise<readonly string[]> {
  const first: string[] = []
  for (const [at, name] of names.entries()) {
    const order: string[] = []
    const note = (who: string) => () => void order.push(who)
    const [onEvent, onResponse] = [note('event'), note('response')]
    watcher.socket.once('data', onEvent)
    writer.socket.once('data', onResponse)
    writer.send(requestText('POST', configMaps, { token: 'alice-token', body: configMap(name) }))
    await until(() => order.length === 2)
    await writer.until(new RegExp(`(HTTP/1.1 201[^]*?){${at + 2}}`))
    await watcher.until(new RegExp(`"name":"${name}"`))
    first.push(order[0] as string)
  }
  return first
}

// A controller that reconciles again as soon as its create returned reads its cache, which its watch fills.
it('sends the event of a write to watchers before the response to the write', async () => {
  const watcher = rawClient(server)
  const writer = rawClient(server)
  await Promise.all([watcher.opened, writer.opened])
  watcher.send(requestText('GET', `${configMaps}?watch=true`, { token: 'bob-token' }))
  await watcher.until(/\r\n\r\n/)
  // The order in which a client reads two sockets is that of arrival once both have received something.
  writer.send(requestText('POST', configMaps, { token: 'alice-token', body: configMap('before') }))
  await Promise.all([writer.until(/HTTP\/1\.1 201/), watcher.until(/"name":"before"/)])
  const names = Array.from({ length: 20 }, (_, at) => `order-${at}`)
  const first = await firstToRead(writer, watcher, names)
  expect(first).toEqual(names.map(() => 'event'))
})
