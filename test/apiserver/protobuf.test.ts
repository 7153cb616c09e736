import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../src/api/releases/release-of.ts'
import type { StructShape } from '../../src/api/schema/shape.ts'
import type { ApiResponse } from '../../src/apiserver/exchange.ts'
import { decodeMessage, decodeProtobuf } from '../../src/apiserver/protobuf/decode.ts'
import { encodeEnvelope } from '../../src/apiserver/protobuf/envelope.ts'
import { messageOf } from '../../src/apiserver/protobuf/messages.ts'
import { WireReader } from '../../src/apiserver/protobuf/wire.ts'
import { serving } from './serving.ts'

const { api } = defaultRelease
const protobuf = 'application/vnd.kubernetes.protobuf'
const maps = '/api/v1/namespaces/default/configmaps'

// Written by Go: a deletion with a precondition, a policy, a grace period and dryRun.
const deletion =
  '6b3873000a130a027631120d44656c6574654f7074696f6e7312220807120d0a0b616e6f746865722d756964220a466f726567726f756e' +
  '642a03416c6c1a002200'

// Written by Go: a definition whose schema has items and additionalProperties.
const definition =
  '6b3873000a330a17617069657874656e73696f6e732e6b38732e696f2f76311218437573746f6d5265736f75726365446566696e697469' +
  '6f6e12d5020a230a13776964676574732e6578616d706c652e636f6d12001a0022002a00320038004200129f020a0b6578616d706c652e' +
  '636f6d1a150a0777696467657473120022065769646765742a00220a4e616d657370616365643aea010a0276311001180122dd010ada01' +
  '0a00120022002a066f626a65637432003a00500060007a00900100ea01540a046c697374124c0a00120022002a05617272617932003a00' +
  '500060007a00900100c201260a240a00120022002a06737472696e6732003a00500060007a00900100a80200b80200c00200a80200b802' +
  '00c00200ea015c0a036d617012550a00120022002a066f626a65637432003a00500060007a00900100f2012e0801122a0a00120022002a' +
  '07696e746567657232003a0042030a0133500060007a00900100a80200b80200c00200a80200b80200c00200a80200b80200c002003800' +
  '50001a0c12080a00120022002a0020001a002200'

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

function bodyOf(response: ApiResponse): Uint8Array {
  if (response.kind === 'full') return Buffer.from(response.body as Uint8Array)
  if (response.kind === 'stream') throw new Error('a stream')
  const pieces: Uint8Array[] = []
  for (let next = response.pieces.next(); next.done !== true; next = response.pieces.next()) {
    pieces.push(Buffer.from(next.value as Uint8Array))
  }
  return Buffer.concat(pieces)
}

describe('protobuf in requests', () => {
  it('reads the options of a deletion, so that a precondition that does not hold keeps the object', async () => {
    const { ask } = serving()
    await ask('POST', maps, { metadata: { name: 'x' } })
    const answer = await ask('DELETE', `${maps}/x`, bytesOf(deletion), { 'content-type': protobuf })
    expect(answer.code).toBe(409)
    expect(answer.body.message).toContain('the UID in the precondition (another-uid) does not match')
    expect((await ask('GET', `${maps}/x`)).code).toBe(200)
    expect(decodeProtobuf(bytesOf(deletion), api)).toEqual({
      kind: 'object',
      value: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 7,
        preconditions: { uid: 'another-uid' },
        propagationPolicy: 'Foreground',
        dryRun: ['All'],
      },
    })
  })

  it('reads definitions whose schemas have items and additionalProperties', async () => {
    const { ask } = serving()
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const answer = await ask('POST', path, bytesOf(definition), { 'content-type': protobuf })
    expect(answer.code).toBe(201)
    expect(answer.body.spec.versions[0].schema.openAPIV3Schema.properties).toEqual({
      list: { type: 'array', items: { type: 'string' } },
      map: { type: 'object', additionalProperties: { type: 'integer', default: 3 } },
    })
  })

  it('encodes decoded options and definitions to the same bytes', () => {
    for (const hex of [deletion, definition]) {
      const decoded = decodeProtobuf(bytesOf(hex), api)
      if (decoded.kind !== 'object') throw new Error(decoded.message)
      expect(Buffer.from(encodeEnvelope(decoded.value, api) ?? []).toString('hex')).toBe(hex)
    }
  })
})

describe('protobuf in responses', () => {
  const accept = { accept: `${protobuf},application/json` }

  it('answers objects and refusals in protobuf to a client that prefers it', async () => {
    const { ask, raw } = serving()
    await ask('POST', maps, { metadata: { name: 'x' }, data: { a: '1' } })
    const plain = await ask('GET', `${maps}/x`)
    const answer = await raw('GET', `${maps}/x`, undefined, accept)
    expect(answer.headers['content-type']).toBe(protobuf)
    expect(decodeProtobuf(bodyOf(answer), api)).toEqual({ kind: 'object', value: plain.body })
    const refused = await raw('GET', `${maps}/y`, undefined, accept)
    expect(refused.code).toBe(404)
    expect(decodeProtobuf(bodyOf(refused), api)).toMatchObject({
      value: { kind: 'Status', reason: 'NotFound', code: 404 },
    })
  })

  it.each([3, 3000])('answers a list of %i objects', async (count) => {
    const { raw, registry } = serving()
    for (let i = 0; i < count; i++) {
      const object = { metadata: { name: `x-${i}` }, data: { text: 'x'.repeat(1000) } }
      registry.call({ verb: 'create', resource: 'configmaps', namespace: 'default', object } as never)
    }
    const answer = await raw('GET', maps, undefined, accept)
    const body = bodyOf(answer)
    const envelope = new WireReader(body, 4)
    let names: readonly unknown[] = []
    while (envelope.next()) {
      if (envelope.number !== 2) {
        envelope.skip()
        continue
      }
      const list = envelope.message()
      const found: unknown[] = []
      while (list.next()) {
        if (list.number !== 2) list.skip()
        else {
          const item = decodeMessage(list.message(), messageOf(api.types.get('core.ConfigMap') as StructShape), 0)
          found.push((item['metadata'] as { name: string }).name)
        }
      }
      names = found
    }
    expect(new Set(names).size).toBe(count)
  })

  it('answers only the metadata of custom resources, and no tables', async () => {
    const { ask, raw } = serving()
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', bytesOf(definition), {
      'content-type': protobuf,
    })
    const path = '/apis/example.com/v1/namespaces/default/widgets'
    await ask('POST', path, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } })
    const only = { accept: protobuf }
    expect((await raw('GET', `${path}/w`, undefined, only)).code).toBe(406)
    expect((await raw('GET', `${path}/w`, undefined, accept)).headers['content-type']).toBe('application/json')
    const as = { accept: `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` }
    const partial = decodeProtobuf(bodyOf(await raw('GET', `${path}/w`, undefined, as)), api)
    expect(partial).toMatchObject({ value: { kind: 'PartialObjectMetadata', metadata: { name: 'w' } } })
    const table = { accept: `${protobuf};as=Table;g=meta.k8s.io;v=v1` }
    expect((await raw('GET', maps, undefined, table)).code).toBe(406)
  })

  it('frames the events of a watch', async () => {
    const { ask, raw } = serving()
    await ask('POST', maps, { metadata: { name: 'x' } })
    const response = await raw('GET', `${maps}?watch=true`, undefined, accept)
    if (response.kind !== 'stream') throw new Error('no stream')
    expect(response.headers['content-type']).toBe(`${protobuf};stream=watch`)
    const chunks: Uint8Array[] = []
    response.start({
      write: (chunk) => {
        chunks.push(Buffer.from(chunk as Uint8Array))
        return true
      },
      isFull: false,
      onDrain: () => {},
      keep: () => {},
      unkeep: () => {},
      end: () => {},
    })()
    const frame = Buffer.concat(chunks)
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
    const event = new WireReader(frame, 4)
    event.next()
    expect(event.text()).toBe('ADDED')
    event.next()
    const raws = event.message()
    raws.next()
    expect(decodeProtobuf(raws.data(), api)).toMatchObject({ value: { kind: 'ConfigMap', metadata: { name: 'x' } } })
  })

  it('answers discovery, and rejects types that it does not serve with the message of the router', async () => {
    const { ask, raw } = serving()
    const list = await raw('GET', '/apis/apps/v1', undefined, { accept: protobuf })
    expect(list.headers['content-type']).toBe(protobuf)
    expect(Buffer.from(bodyOf(list)).toString('latin1')).toContain('ControllerRevision')
    const refused = await ask('GET', `${maps}/x`, undefined, { accept: 'text/plain' })
    expect(refused.code).toBe(406)
    expect(refused.body.message).toBe(
      `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${protobuf}`,
    )
  })
})
