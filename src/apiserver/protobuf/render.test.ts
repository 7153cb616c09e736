import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import type { Fields } from '../../base/fields.ts'
import { listPieces } from './render.ts'

const shape = defaultRelease.api.types.get('core.ConfigMap') as StructShape
const frame = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '1' } }

/** Objects that count how often their metadata is read: once per encoding. */
function counted(count: number) {
  const reads = { all: 0 }
  const objects = Array.from({ length: count }, (_, i): Fields => {
    const metadata = { name: `m${i}` }
    const data = { text: `${i} ${'ä'.repeat(500)} ${'x'.repeat(500)}` }
    return {
      get metadata() {
        reads.all++
        return metadata
      },
      data,
    }
  })
  return { reads, objects }
}

const all = (pieces: Iterable<Uint8Array>) => Buffer.concat([...pieces])

describe('a list in protobuf', () => {
  it('encodes a long list in protobuf once', () => {
    const { reads, objects } = counted(2000)
    expect(all(listPieces(frame, shape, objects)).length).toBeGreaterThan(2 * 1024 * 1024)
    expect(reads.all).toBe(2000)
  })

  it('encodes a long list in protobuf twice while another one is sent, with the same bytes', () => {
    const first = counted(2000)
    const second = counted(2000)
    const slow = listPieces(frame, shape, first.objects)
    const begun = [slow.next().value as Uint8Array, slow.next().value as Uint8Array]
    const bytes = all(listPieces(frame, shape, second.objects))
    expect(second.reads.all).toBe(4000)
    expect(all([...begun, ...slow]).equals(bytes)).toBe(true)
    expect(first.reads.all).toBe(2000)
    expect(all(listPieces(frame, shape, counted(2000).objects)).equals(bytes)).toBe(true)
  })

  it('does not keep the protobuf bytes of a very long list', () => {
    const { reads, objects } = counted(25_000)
    expect(all(listPieces(frame, shape, objects)).length).toBeGreaterThan(32 * 1024 * 1024)
    expect(reads.all).toBe(50_000)
  })
})
