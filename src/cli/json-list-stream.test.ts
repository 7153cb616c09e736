import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemsOf } from './json-list-stream.ts'

async function read(text: string, size: number): Promise<unknown[]> {
  const bytes = Buffer.from(text)
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const items: unknown[] = []
  for await (const item of itemsOf(chunks(), 'dump.json')) items.push(item)
  return items
}

describe('a list in chunks', () => {
  it('yields all items of a list wherever the chunks are split', async () => {
    const documents = fc.record({
      before: fc.dictionary(
        fc.string().filter((key) => key !== 'items'),
        fc.jsonValue(),
        { maxKeys: 3 },
      ),
      items: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      indent: fc.constantFrom(undefined, 2),
    })
    await fc.assert(
      fc.asyncProperty(documents, fc.integer({ min: 1, max: 40 }), async ({ before, items, indent }, size) => {
        const text = JSON.stringify({ ...before, items, metadata: {} }, undefined, indent)
        expect(await read(text, size)).toEqual(JSON.parse(text).items)
      }),
    )
  })

  it.each([
    ['{"items":[{"a":1},{"b"', 'dump.json is not valid JSON: unexpected end of file'],
    ['{"kind":"Node"}', 'dump.json is not valid JSON: no list of items found'],
    ['[{"items":[]}]', 'dump.json is not valid JSON: expected an object'],
    ['{"items":[{"a":}]}', 'dump.json is not valid JSON: an item is not valid JSON'],
  ])('refuses the list %s', async (text, message) => {
    await expect(read(text, 5)).rejects.toThrow(message)
  })
})
