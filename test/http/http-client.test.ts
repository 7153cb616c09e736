import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApiServer } from '../../src/apiserver/api-server.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'

describe('the HTTP client against a served registry', () => {
  const clock = new RealClock()
  const random = createRandom('http-client')
  let server: RunningServer
  let client: ReturnType<typeof createHttpClient>
  beforeAll(async () => {
    const registry = createRegistry({ store: createStore(), clock, random })
    server = await startApiServer({
      registry,
      clock,
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port: 0,
    })
    client = createHttpClient({ access: { server: server.url }, clock, random: random.stream('client') })
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  const configMap = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { a: '1' },
  })

  it('creates, reads, pages and deletes', async () => {
    for (const name of ['a', 'b', 'c']) {
      const made = await client.call({
        verb: 'create',
        resource: 'configmaps',
        namespace: 'default',
        object: configMap(name),
      })
      expect(made).toMatchObject({ ok: true, kind: 'object', created: true, object: { metadata: { name } } })
    }
    const first = await client.call({ verb: 'list', resource: 'configmaps', namespace: 'default', limit: 2 })
    expect(first).toMatchObject({
      ok: true,
      kind: 'list',
      items: [{ kind: 'ConfigMap', metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    })
    if (!first.ok || first.kind !== 'list') throw new Error('not a list')
    const rest = await client.call({
      verb: 'list',
      resource: 'configmaps',
      namespace: 'default',
      continue: first.continue!,
    })
    expect(rest).toMatchObject({ ok: true, items: [{ metadata: { name: 'c' } }] })
    expect(
      await client.call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'c' }),
    ).toMatchObject({ ok: true })
    expect(await client.call({ verb: 'get', resource: 'configmaps', namespace: 'default', name: 'c' })).toMatchObject({
      ok: false,
      status: { reason: 'NotFound', code: 404, message: 'configmaps "c" not found' },
    })
  })

  it('reads warnings in any script', async () => {
    for (const name of ['größe', 'размер', '容量', '٠', '🚢']) {
      const object = { ...configMap('unknown'), [name]: 1 }
      const made = await client.call({
        verb: 'create',
        resource: 'configmaps',
        namespace: 'default',
        object,
        dryRun: true,
      })
      expect(made).toMatchObject({ ok: true, warnings: [`unknown field "${name}"`] })
    }
  })

  it('watches from the current state', async () => {
    const seen: string[] = []
    await new Promise<void>((resolve, reject) => {
      const watch = client.watch(
        { resource: 'configmaps', namespace: 'default', sendInitialEvents: true },
        (events) => {
          for (const event of events) {
            if (event.type === 'BOOKMARK') {
              seen.push('complete')
              void client.call({
                verb: 'patch',
                resource: 'configmaps',
                namespace: 'default',
                name: 'a',
                patch: { kind: 'merge', patch: { data: { a: '2' } } },
              })
            } else if (event.type === 'ERROR') reject(new Error(event.status.message))
            else seen.push(`${event.type} ${event.object.metadata.name}`)
            if (event.type === 'MODIFIED') watch.cancel()
          }
        },
        (error) => (error === undefined ? resolve() : reject(error)),
      )
    })
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'complete', 'MODIFIED a'])
  })

  it('returns a failure if the server is not reachable', async () => {
    const nowhere = createHttpClient({
      access: { server: 'http://127.0.0.1:1' },
      clock,
      random: random.stream('nowhere'),
    })
    expect(await nowhere.call({ verb: 'get', resource: 'pods', namespace: 'default', name: 'x' })).toMatchObject({
      ok: false,
      status: { reason: 'ServiceUnavailable' },
    })
    nowhere.close()
  })
})
