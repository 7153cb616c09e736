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
    ['a typed list', '{"kind":"NodeList","apiVersion":"v1","items":[{"a":1}]}'],
    ['a typed list whose kind is last', '{"items":[{"a":1}],"apiVersion":"v1","kind":"NodeList"}'],
    ['a list in a list', '{"kind":"List","items":[{"kind":"NodeList","apiVersion":"v1","items":[{"a":1}]}]}'],
    ['lists in a row', '{"items":[]}{"kind":"NodeList","apiVersion":"v1","items":[{"a":1}]}'],
  ])('sets the kind of the items of %s', async (_name, text) => {
    expect(await read(text, 7)).toEqual([{ apiVersion: 'v1', kind: 'Node', a: 1 }])
  })

  it.each([
    ['{"items":[]}{"kind":"Node"}', 'dump.json is not valid JSON: no list of items found'],
    ['{"items":[]}{"items":[', 'dump.json is not valid JSON: unexpected end of file'],
    ['{"items":[{"a":1},{"b"', 'dump.json is not valid JSON: unexpected end of file'],
    ['{"kind":"Node"}', 'dump.json is not valid JSON: no list of items found'],
    ['[{"items":[]}]', 'dump.json is not valid JSON: expected an object'],
    ['{"items":[{"a":}]}', 'dump.json is not valid JSON: an item is not valid JSON'],
  ])('rejects the list %s', async (text, message) => {
    await expect(read(text, 5)).rejects.toThrow(message)
  })
})
