import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { type InitialList, Reflector } from '../../src/runtime/reflector.ts'

const pod = (name: string, version: number) => ({
  ...{ kind: 'Pod', apiVersion: 'v1' },
  metadata: { name, namespace: 'default', uid: name, resourceVersion: String(version) },
})
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`
const bookmark = (version: number, isEnd = false) =>
  line('BOOKMARK', {
    kind: 'Pod',
    metadata: {
      resourceVersion: String(version),
      ...(isEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  })
const status = (code: number, reason: string) => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason })
const list = (names: readonly string[], version: number, more = '') => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: String(version), ...(more === '' ? {} : { continue: more }) },
  items: names.map((name) => pod(name, 1)),
})

type Reply = (outgoing: ServerResponse) => void
const json =
  (body: object, code = 200): Reply =>
  (outgoing) => {
    outgoing.writeHead(code, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(body))
  }
const stream =
  (...lines: readonly string[]): Reply =>
  (outgoing) => {
    outgoing.writeHead(200)
    outgoing.end(lines.join(''))
  }
const staysOpen =
  (...lines: readonly string[]): Reply =>
  (outgoing) => {
    outgoing.writeHead(200)
    outgoing.write(lines.join('') || '\n')
  }
const breaks: Reply = (outgoing) => void outgoing.socket?.destroy()

describe('keeping up with a server over HTTP', () => {
  let server: Server | undefined
  let reflector: Reflector | undefined
  let client: ReturnType<typeof createHttpClient> | undefined
  afterEach(() => {
    reflector?.stop()
    client?.close()
    server?.close()
    server?.closeAllConnections()
  })

  /** A server with these answers, one after the other, and a reflector that uses it. */
  const follow = async (replies: readonly Reply[], initialList: InitialList, seed = 'reflector') => {
    const asked: URLSearchParams[] = []
    server = createServer((incoming, outgoing) => {
      const reply = replies[asked.length] ?? staysOpen()
      asked.push(new URL(incoming.url ?? '', 'http://x').searchParams)
      reply(outgoing)
    })
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
    const clock = new VirtualClock(0)
    const random = createRandom(seed)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    client = createHttpClient({ access: { server: url }, clock, random: random.stream('watch') })
    const seen: string[] = []
    const waits: number[] = []
    reflector = new Reflector({
      ...{ resource: 'pods', client, clock, initialList, pageSize: 2, log: silentLogger },
      random: random.stream('reflector pods'),
      onChanges: (changes) => {
        for (const { before, after } of changes)
          seen.push(
            `${after === undefined ? '-' : before === undefined ? '+' : '~'}${(after ?? before)?.metadata.name}`,
          )
      },
      onState: () => {},
    })
    reflector.start()
    /** Waits until this number of requests. Waits between retries end immediately, and are recorded. */
    const until = async (count: number) => {
      for (let i = 0; i < 50_000 && asked.length < count; i++) {
        await new Promise((next) => setImmediate(next))
        if (reflector?.waiting !== true) continue
        const at = clock.nextDeadline() ?? clock.now()
        // The timeout of a silent stream is also a deadline, and much later.
        if (at - clock.now() > 61_000) continue
        waits.push(at - clock.now())
        clock.advanceTo(at)
      }
      for (let i = 0; i < 50; i++) await new Promise((next) => setImmediate(next))
      expect(asked.length).toBe(count)
    }
    return { asked, seen, waits, until }
  }
  const asks = (query: URLSearchParams) =>
    query.get('watch') === 'true'
      ? `watch ${query.get('sendInitialEvents') === 'true' ? 'from the start' : `from ${query.get('resourceVersion')}`}`
      : `list ${query.get('limit') ?? 'all'}${query.has('continue') ? ` after ${query.get('continue')}` : ''}`

  it('lists by a watch with initial events and bookmarks, and continues from there', async () => {
    const { asked, seen, until } = await follow(
      [stream(line('ADDED', pod('a', 5)), bookmark(7, true), line('MODIFIED', pod('a', 9))), staysOpen()],
      'stream',
    )
    await until(2)
    expect(asked.map(asks)).toEqual(['watch from the start', 'watch from 9'])
    expect(asked.map((query) => [query.get('allowWatchBookmarks'), query.get('resourceVersionMatch')])).toEqual([
      ['true', 'NotOlderThan'],
      ['true', null],
    ])
    for (const query of asked) expect(Number(query.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300)
    expect(seen).toEqual(['+a', '~a'])
  })

  it('lists in pages if the server does not support streaming lists', async () => {
    const { asked, seen, until } = await follow(
      [
        json(status(422, 'Invalid'), 422),
        json(list(['a', 'b'], 7, 'next')),
        json(list(['c'], 7)),
        staysOpen(line('DELETED', pod('b', 8))),
      ],
      'stream',
    )
    await until(4)
    expect(asked.map(asks)).toEqual(['watch from the start', 'list 2', 'list 2 after next', 'watch from 7'])
    expect(seen).toEqual(['+a', '+b', '+c', '-b'])
  })

  it('lists again without pages when the version of the pages is compacted', async () => {
    const { asked, seen, until } = await follow(
      [json(list(['a', 'b'], 7, 'next')), json(status(410, 'Expired'), 410), json(list(['b', 'c'], 9)), staysOpen()],
      'pages',
    )
    await until(4)
    expect(asked.map(asks)).toEqual(['list 2', 'list 2 after next', 'list all', 'watch from 9'])
    expect(seen).toEqual(['+b', '+c'])
  })

  it('resumes from the last bookmark, and delivers nothing twice', async () => {
    const { asked, seen, until } = await follow(
      [json(list(['a'], 7)), stream(bookmark(50)), stream(line('ADDED', pod('b', 60))), breaks, staysOpen()],
      'pages',
    )
    await until(5)
    expect(asked.map(asks)).toEqual(['list 2', 'watch from 7', 'watch from 50', 'watch from 60', 'watch from 60'])
    expect(seen).toEqual(['+a', '+b'])
  })

  it.each([
    ['an event of the watch', stream(line('ERROR', status(410, 'Expired')))],
    ['the answer to the watch', json(status(410, 'Expired'), 410)],
  ])(
    'lists again when the version is compacted, which it learns from %s, and delivers the missed changes',
    async (_, expired) => {
      const { asked, seen, until } = await follow(
        [json(list(['a', 'b'], 7)), expired, json(list(['b', 'c'], 90)), staysOpen()],
        'pages',
      )
      await until(4)
      expect(asked.map(asks)).toEqual(['list 2', 'watch from 7', 'list 2', 'watch from 90'])
      expect(seen).toEqual(['+a', '+b', '-a', '+c'])
    },
  )

  it('backs off with seeded jitter while the server is unreachable', async () => {
    const waitsWith = async (seed: string) => {
      const { waits, until } = await follow([...Array(8).fill(breaks), json(list([], 1)), staysOpen()], 'pages', seed)
      await until(10)
      reflector?.stop()
      client?.close()
      server?.close()
      return waits
    }
    const first = await waitsWith('one')
    expect(first.length).toBe(8)
    first.forEach((waitMs, i) => {
      const least = Math.min(800 * 2 ** i, 30_000)
      expect(waitMs).toBeGreaterThanOrEqual(least)
      expect(waitMs).toBeLessThan(2 * least)
    })
    expect(await waitsWith('one')).toEqual(first)
    expect(await waitsWith('two')).not.toEqual(first)
  })
})
