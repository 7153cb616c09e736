/** A block of PEM (RFC 7468), as Go's encoding/pem reads it. */
export interface PemBlock {
  readonly type: string
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

const begin = '-----BEGIN '
const dashes = '-----'

/** The blocks of a text in order. Text outside of blocks is skipped. */
export function readPem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = []
  let at = 0
  while (blocks.length < 1000) {
    const start = text.startsWith(begin, at) ? at : text.indexOf(`\n${begin}`, at)
    if (start < 0) break
    const typeAt = start + begin.length + (text[start] === '\n' ? 1 : 0)
    const lineEnd = lineEndOf(text, typeAt)
    at = lineEnd
    const line = text.slice(typeAt, lineEnd).trimEnd()
    if (!line.endsWith(dashes)) continue
    const type = line.slice(0, -dashes.length)
    const end = text.indexOf(`\n-----END ${type}${dashes}`, lineEnd - 1)
    if (end < 0) continue
    const block = blockOf(type, text.slice(lineEnd, end + 1))
    at = lineEndOf(text, end + 1)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

/** The position after the newline that ends a line. */
function lineEndOf(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function blockOf(type: string, body: string): PemBlock | undefined {
  const lines = body.split('\n')
  let first = 0
  while (lines[first]?.includes(':') === true) first++
  const encoded = lines.slice(first).join('').replaceAll('\r', '').replaceAll(' ', '').replaceAll('\t', '')
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined
  return { type, hasHeaders: first > 0, bytes: Buffer.from(encoded, 'base64') }
}
