import type { IncomingMessage } from 'node:http'
import type { ByteBudget, HeldBytes } from './byte-budget.ts'
import type { Connection } from './connections.ts'

const emptyBody = new Uint8Array(0)

export type BodyProblem = 'too-large' | 'aborted'

export function hasBody({ headers }: IncomingMessage): boolean {
  const declared = headers['content-length']
  return declared === undefined ? headers['transfer-encoding'] !== undefined : declared !== '0'
}

export interface BodyReading {
  readonly limit: number
  readonly budget: ByteBudget
  readonly connection: Connection
  readonly now: () => number
}

/** The body of an admitted request. The received part of an incomplete body counts as bytes in flight. */
export function readBody(incoming: IncomingMessage, reading: BodyReading): Promise<Uint8Array | BodyProblem> {
  const { limit, budget, connection, now } = reading
  const declared = incoming.headers['content-length']
  if (declared !== undefined && Number(declared) > limit) return Promise.resolve('too-large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let holding: HeldBytes | undefined
    const settle = (body: Uint8Array | BodyProblem) => {
      holding?.release()
      resolve(body)
    }
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        incoming.removeAllListeners('data')
        settle('too-large')
        return
      }
      chunks.push(chunk)
      connection.progressAt = now()
      // Most bodies arrive in one piece.
      if (size === Number(declared)) return
      if (holding === undefined) holding = budget.hold(size, () => incoming.destroy())
      else {
        holding.progressed()
        holding.set(size)
      }
    })
    incoming.on('end', () => settle(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    incoming.on('error', () => settle('aborted'))
    incoming.on('close', () => settle('aborted'))
  })
}

/**
 * Reads and drops the rest of an unwanted body, so that the client can read the response. A client that sends more than
 * `limit` is disconnected.
 */
export function discardBody(incoming: IncomingMessage, limit: number): void {
  let size = 0
  incoming.on('error', () => {})
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) incoming.destroy()
  })
}

export { emptyBody }
