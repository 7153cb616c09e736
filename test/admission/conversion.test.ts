import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RealClock } from '../../src/base/real-clock.ts'
import { createWebhookSender } from '../../src/controlplane/ports-webhooks.ts'
import { serving } from '../apiserver/serving.ts'
import { startWebhookServer, type WebhookReply, type WebhookServer } from './webhook-server.ts'

let hooks: WebhookServer
let server: ReturnType<typeof serving>
const json = { 'content-type': 'application/json' }
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }

beforeAll(async () => {
  hooks = await startWebhookServer(Date.now())
})
afterAll(() => hooks.close())
beforeEach(async () => {
  hooks.received.length = 0
  server = serving({ sendToWebhook: createWebhookSender(new RealClock()) })
  hooks.on('/convert', convert)
  const clientConfig = { url: `${hooks.url}/convert`, caBundle: hooks.caBundle }
  const { code } = await server.ask(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget', listKind: 'WidgetList', singular: 'widget' },
        scope: 'Namespaced',
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: true, storage: false, schema },
        ],
        conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      },
    },
    json,
  )
  expect(code).toBe(201)
})

/** v1 has `host` and `port`, v2 has `address`. */
// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
function convert(review: any): WebhookReply {
  const { desiredAPIVersion, objects } = review.request
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const convertedObjects = objects.map(({ host, port, address, ...rest }: any) => {
    const own =
      desiredAPIVersion === 'example.com/v2'
        ? { address: `${host}:${port}` }
        : { host: address.split(':')[0], port: address.split(':')[1] }
    return { ...rest, ...own, apiVersion: desiredAPIVersion }
  })
  return { response: { result: { status: 'Success' }, convertedObjects } }
}

const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`
const v1 = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  host: 'h',
  port: '1',
})
const v2 = (name: string) => ({ apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name }, address: 'h:2' })

describe('a conversion webhook', () => {
  it('converts objects that are read or written in another version', async () => {
    expect((await server.ask('POST', path('v1'), v1('a'), json)).code).toBe(201)
    expect(hooks.received).toEqual([])
    const read = await server.ask('GET', `${path('v2')}/a`)
    expect(read.body).toMatchObject({ apiVersion: 'example.com/v2', address: 'h:1' })
    expect(read.body).not.toHaveProperty('host')
    const created = await server.ask('POST', path('v2'), v2('b'), json)
    expect([created.code, created.body.address]).toEqual([201, 'h:2'])
    expect((await server.ask('GET', `${path('v1')}/b`)).body).toMatchObject({ host: 'h', port: '2' })
    expect(created.body.metadata.uid).toBe((await server.ask('GET', `${path('v1')}/b`)).body.metadata.uid)
  })

  it('a conversion webhook is called once for all objects of a list', async () => {
    for (const name of ['a', 'b', 'c']) await server.ask('POST', path('v1'), v1(name), json)
    const { body } = await server.ask('GET', path('v2'))
    expect(body.items.map(({ address }: { address: string }) => address)).toEqual(['h:1', 'h:1', 'h:1'])
    expect(hooks.received).toHaveLength(1)
    expect(hooks.received[0]?.review.request.objects).toHaveLength(3)
  })

  it('converts the events of a watch, in their order', async () => {
    await server.ask('POST', path('v1'), v1('a'), json)
    const { events, stop } = await server.watch(`${path('v2')}?watch=true`)
    await server.ask('POST', path('v1'), v1('b'), json)
    await server.ask('DELETE', `${path('v1')}/a`)
    await expect.poll(() => events.length).toBe(3)
    expect(events.map(({ type, object }) => [type, object.apiVersion, object.address])).toEqual([
      ['ADDED', 'example.com/v2', 'h:1'],
      ['ADDED', 'example.com/v2', 'h:1'],
      ['DELETED', 'example.com/v2', 'h:1'],
    ])
    stop()
  })

  it.each<[string, (review: Parameters<typeof convert>[0]) => WebhookReply, string]>([
    [
      'fails',
      () => ({ response: { result: { status: 'Failure', message: 'cannot' } } }),
      'conversion webhook for example.com/v1, Kind=Widget failed: cannot',
    ],
    [
      'returns too few objects',
      () => ({ response: { result: { status: 'Success' }, convertedObjects: [] } }),
      'conversion webhook for example.com/v1, Kind=Widget returned 0 objects, expected 1',
    ],
    [
      'renames the object',
      ({ request: { objects } }) => ({
        response: {
          result: { status: 'Success' },
          convertedObjects: [
            { ...objects[0], apiVersion: 'example.com/v2', metadata: { ...objects[0].metadata, name: 'z' } },
          ],
        },
      }),
      'conversion webhook for example.com/v1, Kind=Widget returned invalid object: must have the same name: a != z',
    ],
  ])('a conversion webhook that %s fails the request with upstream’s message', async (_, behavior, message) => {
    await server.ask('POST', path('v1'), v1('a'), json)
    hooks.on('/convert', behavior)
    const { code, body } = await server.ask('GET', `${path('v2')}/a`)
    expect([code, body.message]).toEqual([500, message])
  })
})
