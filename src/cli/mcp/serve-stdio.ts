import type { Readable } from 'node:stream'
import { encodeJson } from '../../base/exact-json.ts'
import { errorCodes, errorResponse, type JsonRpcResponse, ProtocolError } from '../../mcp/protocol/messages.ts'
import { type McpServer, newLink } from '../../mcp/protocol/server.ts'

/** Serves one client on a pair of streams, one message per line. Resolves when the input ends and every request is answered. */
export async function serveStdio(
  input: Readable,
  write: (text: string) => void,
  server: McpServer,
  messageBytes: number,
): Promise<void> {
  const link = newLink(undefined, (notification) => write(`${encodeJson(notification)}\n`))
  const pending = new Set<Promise<void>>()
  const send = (response: JsonRpcResponse | undefined) => {
    if (response !== undefined) write(`${encodeJson(response)}\n`)
  }
  const take = (line: string) => {
    if (line.trim() === '') return
    const done = answerLine(line, server, link).then(send)
    pending.add(done)
    void done.finally(() => pending.delete(done))
  }
  const tooLong = () =>
    send(
      errorResponse(null, new ProtocolError(errorCodes.invalidRequest, `a message has at most ${messageBytes} bytes`)),
    )
  const lines = new LineReader(messageBytes, take, tooLong)
  for await (const chunk of input) lines.push(chunk as Buffer)
  lines.end()
  await Promise.all(pending)
}

async function answerLine(
  line: string,
  server: McpServer,
  link: ReturnType<typeof newLink>,
): Promise<JsonRpcResponse | undefined> {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return errorResponse(null, new ProtocolError(errorCodes.parse, 'not valid JSON'))
  }
  return server.handle(message, link)
}

const newline = 10

/** Splits bytes into lines. Skips a line that is too long, and never stores it. */
class LineReader {
  private readonly most: number
  private readonly take: (line: string) => void
  private readonly onLong: () => void
  private parts: Buffer[] = []
  private bytes = 0
  private isSkipping = false

  constructor(most: number, take: (line: string) => void, onLong: () => void) {
    this.most = most
    this.take = take
    this.onLong = onLong
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.add(chunk.subarray(from, at))
      this.end()
      from = at + 1
    }
    this.add(chunk.subarray(from))
  }

  end(): void {
    if (this.isSkipping) this.isSkipping = false
    else if (this.bytes > 0) this.take(Buffer.concat(this.parts).toString('utf8'))
    this.parts = []
    this.bytes = 0
  }

  private add(part: Buffer): void {
    if (this.isSkipping || part.length === 0) return
    this.bytes += part.length
    this.parts.push(part)
    if (this.bytes <= this.most) return
    this.isSkipping = true
    this.parts = []
    this.bytes = 0
    this.onLong()
  }
}
