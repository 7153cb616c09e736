import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connection of one client: a TCP socket and, after the handshake, the TLS socket on top of it. */
export interface Connection {
  readonly tcp: Socket
  tls: Socket | undefined
  /** The current response. Requests on one connection are handled one after the other. */
  response: ServerResponse | undefined
  /** A `stream`, such as a watch, has no time limit. */
  phase: 'idle' | 'body' | 'handling' | 'response' | 'stream'
  /** `since`: the start of the phase. `progressAt`: when the client last sent or read data. */
  since: number
  progressAt: number
  /** Pipelined requests that wait for the previous response. */
  readonly waiting: (() => void)[]
  /** False until a request on it is authenticated. */
  isProven: boolean
  /** See `readAsStream`. */
  readsAsStream: boolean
}

export interface ConnectionLimits {
  /** Connections without an accepted request. Beyond the limit, the oldest is closed. */
  readonly unproven: number
}

/**
 * Every open socket, including sockets that never sent a byte. Node's list has only the sockets with a started request,
 * so a server that relies on it never stops while a browser keeps spare connections.
 */
export class Connections {
  private readonly limits: ConnectionLimits
  private readonly open = new Set<Connection>()
  /** In order of their arrival. */
  private readonly unproven = new Set<Connection>()
  private readonly bySocket = new WeakMap<Socket, Connection>()
  private readonly byPeer = new Map<string, Connection>()
  private onEmpty: (() => void) | undefined
  private closing = false

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }

  get isClosing(): boolean {
    return this.closing
  }

  get size(): number {
    return this.open.size
  }

  get unprovenCount(): number {
    return this.unproven.size
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.open.values()
  }

  add(tcp: Socket): void {
    if (this.closing) {
      tcp.destroy()
      return
    }
    const connection: Connection = {
      tcp,
      tls: undefined,
      response: undefined,
      phase: 'idle',
      since: 0,
      progressAt: 0,
      waiting: [],
      isProven: false,
      readsAsStream: false,
    }
    const peer = peerOf(tcp)
    this.open.add(connection)
    this.unproven.add(connection)
    this.bySocket.set(tcp, connection)
    this.byPeer.set(peer, connection)
    tcp.on('close', () => {
      this.open.delete(connection)
      this.unproven.delete(connection)
      if (this.byPeer.get(peer) === connection) this.byPeer.delete(peer)
      if (this.open.size === 0) this.onEmpty?.()
    })
    if (this.unproven.size > this.limits.unproven) this.closeOldest()
  }

  /** Called after a finished handshake. Node does not expose the underlying TCP socket, but both have the same peer. */
  secured(tls: Socket): void {
    const connection = this.ofPeer(tls)
    if (connection === undefined) return
    connection.tls = tls
    this.bySocket.set(tls, connection)
  }

  of(socket: Socket): Connection | undefined {
    return this.bySocket.get(socket)
  }

  /** The connection of a handshake that failed. */
  ofPeer(socket: Socket): Connection | undefined {
    return this.byPeer.get(peerOf(socket))
  }

  /** Called for the first accepted request. From now on the connection is not closed in favor of newer connections. */
  prove(connection: Connection): void {
    if (connection.isProven) return
    connection.isProven = true
    this.unproven.delete(connection)
  }

  /** Closes idle connections. Resolves when all connections are closed. */
  drain(): Promise<void> {
    this.closing = true
    for (const connection of [...this.open]) if (connection.response === undefined) destroy(connection)
    if (this.open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.onEmpty = resolve
    })
  }

  /** Closes all connections at once. */
  destroyAll(): void {
    for (const connection of [...this.open]) destroy(connection)
  }

  private closeOldest(): void {
    for (const connection of this.unproven) {
      if (connection.response !== undefined) continue
      destroy(connection)
      this.unproven.delete(connection)
      return
    }
  }
}

/**
 * Makes Node pass data through the socket's stream to the HTTP parser, not directly from TLS. Node pauses the parser
 * when a request arrives before the previous response was flushed. The stream then buffers further data, but TLS passes
 * decrypted records to the paused parser, which fails (HPE_PAUSED), and the connection is lost. This happens only after
 * a response that fills the buffer of the socket, so connections with short responses keep the direct path.
 */
export function readAsStream(connection: Connection): void {
  if (connection.readsAsStream) return
  connection.readsAsStream = true
  connection.tls?.on('data', () => {})
}

function destroy({ tcp, tls }: Connection): void {
  tls?.destroy()
  tcp.destroy()
}

const peerOf = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`
