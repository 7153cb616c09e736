import type { IncomingMessage } from 'node:http'

/** Reads a whole response, at most `maxBytes`. Calls one of the functions; `fail` may be called more than once. */
export function collectBody(
  incoming: IncomingMessage,
  maxBytes: number,
  finish: (body: Buffer) => void,
  fail: (why: string) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) {
      fail(`the response has more than ${maxBytes} bytes`)
      incoming.destroy()
    } else chunks.push(chunk)
  })
  incoming.on('error', () => fail('unexpected EOF'))
  incoming.on('aborted', () => fail('unexpected EOF'))
  incoming.on('end', () => finish(Buffer.concat(chunks)))
}
