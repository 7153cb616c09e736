import { execFileSync, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../../src/api/releases/release-of.ts'
import { decodeProtobuf } from '../../../src/apiserver/protobuf/decode.ts'
import { encodeEnvelope } from '../../../src/apiserver/protobuf/envelope.ts'
import { parseJson } from '../../../src/base/exact-json.ts'
import { builtinKindsOf } from '../../../src/registry/kinds/kinds.ts'

const { api } = defaultRelease
const count = Number(process.env['PROTOBUF_OBJECTS'] ?? 40)
const seed = process.env['PROTOBUF_SEED'] ?? '1'
const hasGo = spawnSync('go', ['version']).status === 0

/** Every served kind, the types of its subresources, and the types that all kinds share. */
function kinds(): readonly string[] {
  const names = builtinKindsOf(defaultRelease).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)
  const shared = ['v1 DeleteOptions', 'apps/v1 DeleteOptions', 'v1 Status', 'meta.k8s.io/v1 PartialObjectMetadata']
  return [
    ...new Set([
      ...names,
      ...shared,
      'autoscaling/v1 Scale',
      'policy/v1 Eviction',
      'authentication.k8s.io/v1 TokenRequest',
    ]),
  ]
}

interface Made {
  readonly apiVersion: string
  readonly kind: string
  readonly json: Readonly<Record<string, unknown>>
  readonly protobuf: string
}

function randomObjects(): readonly Made[] {
  const output = execFileSync('go', ['run', './protobuf', String(count), seed], {
    cwd: resolve('test/cluster'),
    input: kinds().join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  return output
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Made)
}

describe.skipIf(!hasGo)(`random objects in protobuf, by Go${hasGo ? '' : ' (skipped: Go is not installed)'}`, () => {
  const objects = hasGo ? randomObjects() : []
  it.each(kinds())('%s is encoded in the same bytes, and decoded without loss', (name) => {
    const own = objects.filter(({ apiVersion, kind }) => `${apiVersion} ${kind}` === name)
    expect(own.length).toBe(count)
    for (const { json, protobuf } of own) {
      const bytes = Buffer.from(protobuf, 'base64')
      expect(Buffer.from(encodeEnvelope(json, api) ?? []).toString('hex')).toBe(bytes.toString('hex'))
      const decoded = decodeProtobuf(bytes, api)
      if (decoded.kind !== 'object') throw new Error(decoded.message)
      expect(Buffer.from(encodeEnvelope(decoded.value, api) ?? []).toString('hex')).toBe(bytes.toString('hex'))
    }
  })
})
