import { connect, type TLSSocket } from 'node:tls'

/** The address of the server, and the credentials. */
export interface RawTarget {
  readonly host: string
  readonly port: number
  readonly ca: Buffer
  readonly cert: Buffer
  readonly key: Buffer
}

/** One request as sent over the network. */
export function requestText(method: string, path: string, body?: string, contentType = 'application/json'): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: berth\r\nUser-Agent: bench\r\nAccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/**
 * Keep-alive connections with one request at a time each. They read only code and length of a response: on a machine
 * with two cores, the CPU time of the client is missing for the server.
 */
export class RawHttps {
  private readonly sockets: readonly TLSSocket[]

  private constructor(sockets: readonly TLSSocket[]) {
    this.sockets = sockets
  }

  static async open(target: RawTarget, connections: number): Promise<RawHttps> {
    const open = () =>
      new Promise<TLSSocket>((resolve, reject) => {
        const socket = connect(target, () => resolve(socket.setNoDelay(true)))
        socket.once('error', reject)
      })
    return new RawHttps(await Promise.all(Array.from({ length: connections }, open)))
  }

  /** Sends `count` requests, one per connection at a time; each must be answered with `expected`. */
  async send(total: number, text: (number: number) => string, expected: number): Promise<void> {
    let next = 0
    const take = () => (next < total ? text(next++) : undefined)
    await Promise.all(this.sockets.map((socket) => converse(socket, take, `HTTP/1.1 ${expected} `)))
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

const lastChunk = '\r\n0\r\n\r\n'

function converse(socket: TLSSocket, take: () => string | undefined, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    /** Missing bytes of the body, after the head has arrived. */
    let missing = -1
    const next = () => {
      const text = take()
      if (text !== undefined) socket.write(text)
      else {
        socket.off('data', read)
        resolve()
      }
    }
    /** The last bytes of a chunked response. */
    let end: string | undefined
    const read = (chunk: Buffer) => {
      if (end !== undefined) {
        end = (end + chunk.subarray(-lastChunk.length).toString('latin1')).slice(-lastChunk.length)
        if (end !== lastChunk) return
        end = undefined
        missing = 0
      } else if (missing >= 0) missing -= chunk.length
      else {
        head += chunk.toString('latin1')
        const headEnd = head.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const length = /\ncontent-length: (\d+)/i.exec(head.slice(0, headEnd))?.[1]
        const isChunked = /\ntransfer-encoding: chunked/i.test(head.slice(0, headEnd))
        if (!head.startsWith(expected) || (length === undefined && !isChunked)) return reject(new Error(head))
        if (isChunked) {
          end = head.slice(-lastChunk.length)
          head = ''
          if (end !== lastChunk) return
          end = undefined
          missing = 0
        } else missing = headEnd + 4 + Number(length) - head.length
        head = ''
      }
      if (missing > 0) return
      missing = -1
      next()
    }
    socket.on('data', read)
    next()
  })
}
