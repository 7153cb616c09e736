import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { ApiResponse, FullResponse, PiecesResponse, StreamResponse, StreamSink } from '../exchange.ts'
import type { ByteBudget, HeldBytes } from './byte-budget.ts'
import { type Connection, readAsStream } from './connections.ts'
import type { MatchedFlow } from './flow-control.ts'

export interface ResponseContext {
  readonly budget: ByteBudget
  readonly clock: Clock
  readonly connection: Connection
  /** The maximum bytes that wait for one client that does not read its stream. */
  readonly streamBufferBytes: number
  /** Functions that end the open streams. */
  readonly streams: Set<() => void>
  readonly headOnly: boolean
  /** For the header Audit-Id. Known once the head of the request is read. */
  auditId: string | undefined
  /** For the headers that name the flow schema and the priority level. */
  flow: MatchedFlow | undefined
}

/** A response up to this size is written at once. */
const atOnceBytes = 128 * 1024
/** Below this size, a response is not accounted: the number of connections limits it. */
const accountedBytes = 16 * 1024
/** A response up to this size, with its head, leaves room in the buffer of a socket (16 KiB). */
const shortBytes = 8 * 1024
const sliceBytes = 64 * 1024
/** After this number of pieces in a row, other connections get a turn. */
const piecesPerTurn = 8

/** Alternating names and values: Node writes them faster than an object for each response. */
function headersOf({ headers }: ApiResponse, { auditId, flow }: ResponseContext): OutgoingHttpHeader[] {
  const all: OutgoingHttpHeader[] = []
  for (const name in headers) all.push(name, headers[name] as OutgoingHttpHeader)
  if (auditId !== undefined) all.push('audit-id', auditId)
  if (flow !== undefined) {
    all.push('x-kubernetes-pf-flowschema-uid', flow.schema, 'x-kubernetes-pf-prioritylevel-uid', flow.level)
  }
  return all
}

export function sendFull(outgoing: ServerResponse, response: FullResponse, context: ResponseContext): void {
  const { body } = response
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  const headers = headersOf(response, context)
  headers.push('content-length', length)
  if (length > shortBytes) readAsStream(context.connection)
  outgoing.writeHead(response.code, headers)
  if (context.headOnly) outgoing.end()
  else if (length <= atOnceBytes) {
    // Node sends a text together with the head in one write, and bytes in a second one. In one write, it would encode the
    // bytes of a warning as text.
    outgoing.end(response.headers['warning'] === undefined || typeof body !== 'string' ? body : Buffer.from(body))
    if (length > accountedBytes)
      releaseAtEnd(
        outgoing,
        context.budget.hold(length, () => outgoing.destroy()),
      )
  } else {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    pump(outgoing, slices(bytes), context, { bodyBytes: length })
  }
}

function* slices(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes)
  return undefined
}

/** A list in chunks. */
export function sendPieces(outgoing: ServerResponse, response: PiecesResponse, context: ResponseContext): void {
  const { pieces, code } = response
  readAsStream(context.connection)
  outgoing.writeHead(code, headersOf(response, context))
  if (context.headOnly) outgoing.end()
  else pump(outgoing, pieces, context, { keptBytes: response.keptBytes })
}

/** Creates a piece when the client has read the pieces before it. */
function pump(
  outgoing: ServerResponse,
  pieces: Iterator<string | Uint8Array, undefined>,
  { budget, clock, connection }: ResponseContext,
  { keptBytes = 0, bodyBytes = 0 }: { readonly keptBytes?: number; readonly bodyBytes?: number },
): void {
  let written = 0
  // The bytes of the source of the pieces, and of the rest of a complete body.
  const unmade = () => keptBytes + Math.max(bodyBytes - written, 0)
  const holding = budget.hold(unmade(), () => outgoing.destroy())
  releaseAtEnd(outgoing, holding)
  const proceed = () => {
    for (let made = 0; !outgoing.destroyed; made++) {
      if (made === piecesPerTurn) {
        clock.at(clock.now(), proceed)
        return
      }
      const next = pieces.next()
      if (next.done === true) {
        outgoing.end()
        return
      }
      const isReady = outgoing.write(next.value)
      written += next.value.length
      holding.set(unmade() + outgoing.writableLength)
      if (!isReady) return
    }
  }
  outgoing.on('drain', () => {
    connection.progressAt = clock.now()
    holding.progressed()
    holding.set(unmade())
    // Not within the drain callback: a fast reader would block all other clients.
    clock.at(clock.now(), proceed)
  })
  proceed()
}

function releaseAtEnd(outgoing: ServerResponse, holding: HeldBytes): void {
  outgoing.on('close', () => holding.release())
}

export function startStream(outgoing: ServerResponse, response: StreamResponse, context: ResponseContext): void {
  readAsStream(context.connection)
  outgoing.writeHead(response.code, headersOf(response, context))
  if (context.headOnly) {
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  let isOver = false
  let stop: (() => void) | undefined
  const finish = () => {
    if (isOver) return
    isOver = true
    context.streams.delete(finish)
    stop?.()
    // The rest has a time limit, as any other response.
    context.connection.phase = 'response'
    context.connection.since = context.clock.now()
    outgoing.end()
  }
  context.streams.add(finish)
  outgoing.on('close', finish)
  stop = response.start(sinkOf(outgoing, context, () => isOver, finish))
  if (isOver) stop()
}

/** The cost of one more event that waits for a client, without the object, which other clients may wait for as well. */
const eventBytes = 64

function sinkOf(
  outgoing: ServerResponse,
  { budget, clock, connection, streamBufferBytes }: ResponseContext,
  isOver: () => boolean,
  finish: () => void,
): StreamSink {
  let holding: HeldBytes | undefined
  let kept = 0
  /** The number of bytes written when the client last did not keep up. */
  let unread = 0
  // The client must list and watch again.
  const cutOff = () => {
    finish()
    outgoing.destroy()
  }
  const account = () => {
    const bytes = unread + kept * eventBytes
    if (holding === undefined) holding = budget.hold(bytes, cutOff)
    else holding.set(bytes)
  }
  const onDrain: (() => void)[] = []
  outgoing.on('drain', () => {
    connection.progressAt = clock.now()
    holding?.progressed()
    unread = 0
    account()
    // Not within the drain callback: a fast reader would block all other clients.
    clock.at(clock.now(), () => {
      if (!isOver()) for (const callback of onDrain) callback()
    })
  })
  outgoing.on('close', () => holding?.release())
  return {
    write(chunk) {
      if (isOver()) return false
      if (outgoing.write(chunk)) return true
      unread = outgoing.writableLength
      if (unread > streamBufferBytes) cutOff()
      else account()
      return !isOver()
    },
    get isFull() {
      return outgoing.writableNeedDrain
    },
    onDrain: (callback) => void onDrain.push(callback),
    keep: (object, bytes) => {
      kept++
      budget.share(object, bytes)
      account()
    },
    unkeep: (object) => {
      kept--
      budget.unshare(object)
    },
    end: finish,
  }
}
