import type { RandomStream } from '../../src/base/random.ts'
import type { History, Read, SeenObject, Watch, WatchedEvent, Write } from './history.ts'
import type { ServerAnswer, ServerProcess } from './server-process.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const keyCount = 12

// biome-ignore lint/suspicious/noExplicitAny: JSON of any kind
const seen = (object: any): SeenObject => ({
  key: object.metadata.name,
  revision: Number(object.metadata.resourceVersion),
  value: object.data?.value ?? '',
})
const isOurs = ({ key }: { readonly key: string }) => key.startsWith('key-')

/** Clients that write, read and watch concurrently, and record the answers. */
export class Traffic {
  readonly history: { writes: Write[]; reads: Read[]; watches: Watch[] } & History = {
    writes: [],
    reads: [],
    watches: [],
  }
  private readonly server: ServerProcess
  private readonly draws: RandomStream
  private readonly stopping = new AbortController()
  /** The last version of each key that any client received. */
  private readonly versions = new Map<string, number>()
  private instant = 0
  private acknowledgedCount = 0
  private values = 0

  constructor(server: ServerProcess, draws: RandomStream) {
    this.server = server
    this.draws = draws
  }

  /** Runs until `stop`, and then waits for all answers. */
  run(): Promise<unknown> {
    const clients = [
      ...Array.from({ length: 5 }, () => this.loop(() => this.write())),
      this.loop(() => this.get(this.key())),
      this.loop(() => this.list(0)),
      this.loop(() => this.list(1 + this.draws.int(5))),
      this.watchForever('list'),
      this.watchForever('stream'),
    ]
    return Promise.all(clients)
  }

  /** The number of acknowledged writes. */
  get acknowledged(): number {
    return this.acknowledgedCount
  }

  stop(): void {
    this.stopping.abort()
  }

  /** The state at the end. */
  async readAll(): Promise<void> {
    await this.list(0)
    for (let index = 0; index < keyCount; index++) await this.get(`key-${index}`)
  }

  private async loop(step: () => Promise<void>): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // A server that is down refuses connections at once; clients wait a little, as real ones do.
      await step().catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
    }
  }

  private key(): string {
    return `key-${this.draws.int(keyCount)}`
  }

  private async write(): Promise<void> {
    const key = this.key()
    const expect = this.versions.get(key)
    const kind = expect === undefined ? 'create' : this.draws.int(10) === 0 ? 'delete' : 'update'
    const value = kind === 'delete' ? {} : { value: `v${++this.values}` }
    const write: Write = {
      kind,
      key,
      ...value,
      ...(kind === 'create' || expect === undefined ? {} : { expect }),
      askedAt: ++this.instant,
      result: 'unknown',
    }
    this.history.writes.push(write)
    const answer = await this.send(write).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') write.result = 'refused'
      throw error
    })
    write.toldAt = ++this.instant
    write.result = resultOf(answer)
    if (write.result === 'done') this.acknowledgedCount++
    if (write.result === 'done' && kind !== 'delete') {
      write.revision = Number(answer.body.metadata.resourceVersion)
      this.versions.set(key, write.revision)
    } else if (kind === 'delete' || answer.code === 404) this.versions.delete(key)
    else if (answer.code === 409) await this.get(key)
  }

  private send({ kind, key, value, expect }: Write): Promise<ServerAnswer> {
    const padding = 'x'.repeat(this.draws.int(3) === 0 ? 6000 : 100)
    const metadata = { name: key, ...(expect === undefined ? {} : { resourceVersion: String(expect) }) }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value, padding } }
    if (kind === 'create') return this.server.request('POST', collection, object)
    if (kind === 'update') return this.server.request('PUT', `${collection}/${key}`, object)
    return this.server.request('DELETE', `${collection}/${key}`)
  }

  private async get(key: string): Promise<void> {
    const askedAt = ++this.instant
    const { code, body } = await this.server.request('GET', `${collection}/${key}`)
    if (code !== 200 && code !== 404) throw new Error(`a get was answered with ${code}`)
    const objects = code === 200 ? [seen(body)] : []
    this.history.reads.push({ key, askedAt, toldAt: ++this.instant, objects })
    const [object] = objects
    if (object === undefined) this.versions.delete(key)
    else this.versions.set(key, object.revision)
  }

  /** `limit`: the size of pages; 0 for one answer. */
  async list(limit: number): Promise<void> {
    await this.listed(limit)
  }

  private async listed(limit: number): Promise<number> {
    const askedAt = ++this.instant
    const objects: SeenObject[] = []
    for (let token = ''; ; ) {
      const query = limit === 0 ? '' : `?limit=${limit}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`
      const { code, body } = await this.server.request('GET', collection + query)
      if (code !== 200) throw new Error(`a list was answered with ${code}`)
      objects.push(...body.items.map(seen).filter(isOurs))
      token = body.metadata.continue ?? ''
      if (token !== '') continue
      const revision = Number(body.metadata.resourceVersion)
      this.history.reads.push({ askedAt, toldAt: ++this.instant, objects, revision })
      return revision
    }
  }

  private async watchForever(how: 'list' | 'stream'): Promise<void> {
    let from: number | undefined
    while (!this.stopping.signal.aborted) {
      try {
        if (how === 'stream') await this.watchStream()
        else {
          from ??= await this.listed(0)
          from = await this.watch(from)
        }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  /** The next start: after the last event, or with a new list. */
  private async watch(from: number): Promise<number | undefined> {
    const events: WatchedEvent[] = []
    this.history.watches.push({ from, events })
    let isExpired = false
    const path = `${collection}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`
    const take = (line: string) => {
      const { type, object } = JSON.parse(line)
      if (type === 'ERROR') isExpired = true
      else if (type === 'BOOKMARK' || isOurs(seen(object))) events.push(eventOf(type, object))
    }
    const code = await this.server.watch(path, take, this.stopping.signal)
    if (isExpired) return undefined
    if (code !== 200) throw new Error(`a watch was answered with ${code}`)
    return events.at(-1)?.revision ?? from
  }

  /** A list and a watch in one: events up to the mark are a list. */
  private async watchStream(): Promise<void> {
    const askedAt = ++this.instant
    const objects: SeenObject[] = []
    let events: WatchedEvent[] | undefined
    const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const take = (line: string) => {
      const { type, object } = JSON.parse(line)
      if (type === 'ERROR') return
      if (events !== undefined) {
        if (type === 'BOOKMARK' || isOurs(seen(object))) events.push(eventOf(type, object))
      } else if (type === 'BOOKMARK') {
        const revision = Number(object.metadata.resourceVersion)
        this.history.reads.push({ askedAt, toldAt: ++this.instant, objects, revision })
        events = []
        this.history.watches.push({ from: revision, events })
      } else if (isOurs(seen(object))) objects.push(seen(object))
    }
    const code = await this.server.watch(`${collection}?watch=1&${options}`, take, this.stopping.signal)
    if (code !== 200) throw new Error(`a watch was answered with ${code}`)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any kind
function eventOf(type: WatchedEvent['type'], object: any): WatchedEvent {
  if (type === 'BOOKMARK') return { type, revision: Number(object.metadata.resourceVersion) }
  const { key, revision, value } = seen(object)
  return type === 'DELETED' ? { type, revision, key } : { type, revision, key, value }
}

function resultOf({ code, isRetryable }: ServerAnswer): Write['result'] {
  if (code === 200 || code === 201) return 'done'
  return code < 500 || isRetryable ? 'refused' : 'unknown'
}
