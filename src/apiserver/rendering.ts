import { dump } from 'js-yaml'
import type { Outcome, WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { zeroOf } from '../api/schema/type-table.ts'
import { assert } from '../base/assert.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import { tableOf } from '../registry/printed/table.ts'
import { encoded } from '../store/encoded.ts'
import type { FullResponse, PiecesResponse } from './exchange.ts'
import { compactLayout, listPieces, prettyLayout, yamlLayout, yamlOptions } from './list-pieces.ts'
import type { Accepted } from './media.ts'
import { encodeEnvelope } from './protobuf/envelope.ts'
import { encodedObject, encodeWatchFrame, listPieces as protobufPieces, protobufType } from './protobuf/render.ts'
import { bookmarkObject } from './watching.ts'

interface Rendering {
  readonly now: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** For tables: the part of each object that is included. Default: its metadata. */
  readonly includeObject: string | null
}

export function encodeObject(
  kind: Kind,
  object: KubeObject,
  accepted: Accepted,
  how: Rendering & { readonly code: number },
): FullResponse {
  if (accepted.encoding === 'protobuf') return protobufObject(kind, object, accepted, how)
  if (accepted.as === undefined && accepted.encoding === 'json' && !accepted.pretty) {
    return jsonAnswer(how.code, `${encoded(object)}\n`, how.headers)
  }
  return answer(how.code, transform(kind, object, accepted, how), accepted, how.headers)
}

/** A list of any length, created in pieces: all pieces have one revision, because objects never change. */
export function encodeList(
  kind: Kind,
  list: Extract<Outcome, { kind: 'list' }>,
  accepted: Accepted,
  how: Rendering,
): FullResponse | PiecesResponse {
  if (accepted.encoding === 'protobuf') return protobufList(kind, list, accepted, how.headers)
  const shape = shapeOf(kind, list, accepted, how)
  const yaml = accepted.encoding === 'yaml'
  const layout = yaml ? yamlLayout(shape) : accepted.pretty ? prettyLayout(shape) : compactLayout(shape)
  const pieces = listPieces(list.items, layout, shape)
  const headers = yaml ? { 'content-type': 'application/yaml', ...how.headers } : jsonHeaders(how.headers)
  return inPieces(pieces, headers, 8 * list.items.length)
}

function inPieces(
  pieces: Iterator<string | Uint8Array, undefined>,
  headers: Rendering['headers'],
  keptBytes: number,
): FullResponse | PiecesResponse {
  const first = pieces.next().value as string | Uint8Array
  const second = pieces.next()
  // A list of one piece has a length; longer ones are sent in chunks.
  if (second.done === true) return { kind: 'full', code: 200, headers, body: first }
  return {
    kind: 'pieces',
    code: 200,
    headers,
    pieces: resumed([first, second.value], pieces),
    keptBytes,
  }
}

type Piece = string | Uint8Array

function* resumed(made: readonly Piece[], rest: Iterator<Piece, undefined>): Generator<Piece, undefined> {
  yield* made
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
  return undefined
}

const listMetadata = (list: Extract<Outcome, { kind: 'list' }>) => ({
  resourceVersion: list.resourceVersion,
  ...(list.continue === undefined ? {} : { continue: list.continue }),
  ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
})

const protobufHeaders = (headers: Rendering['headers']) => ({
  'content-type': protobufType,
  'cache-control': 'no-cache, private',
  ...headers,
})

function protobufObject(
  kind: Kind,
  object: KubeObject,
  accepted: Accepted,
  how: Rendering & { readonly code: number },
): FullResponse {
  if (accepted.as === 'PartialObjectMetadataList') {
    const list = { ok: true, kind: 'list', items: [object], resourceVersion: '' } as const
    return protobufList(kind, list, accepted, how.headers) as FullResponse
  }
  const body = encodeEnvelope(
    transform(kind, object, accepted, how) as Readonly<Record<string, unknown>>,
    kind.release.api,
  )
  assert(body !== undefined, `${object.kind} has no protobuf encoding`)
  return { kind: 'full', code: how.code, headers: protobufHeaders(how.headers), body }
}

function protobufList(
  kind: Kind,
  list: Extract<Outcome, { kind: 'list' }>,
  { as, asVersion }: Accepted,
  headers: Rendering['headers'],
): FullResponse | PiecesResponse {
  const metadata = listMetadata(list)
  const shape = as === undefined ? kind.shape : kind.release.api.types.get('meta.PartialObjectMetadata')
  assert(shape !== undefined, `${kind.kind} has no protobuf encoding`)
  const frame =
    as === undefined
      ? { apiVersion: kind.apiVersion, kind: kind.listKind, metadata }
      : { apiVersion: `meta.k8s.io/${asVersion ?? 'v1'}`, kind: 'PartialObjectMetadataList', metadata }
  const pieces = protobufPieces(frame, shape, list.items as unknown as readonly Readonly<Record<string, unknown>>[])
  return inPieces(pieces, protobufHeaders(headers), 8 * list.items.length)
}

/** A list without its objects, and the function that renders an object. */
interface RenderedList {
  readonly frame: object
  readonly field: 'items' | 'rows'
  /** Objects per call: the rows of a table are printed together. */
  readonly batch: number
  readonly show: (objects: readonly KubeObject[]) => readonly unknown[]
}

function shapeOf(
  kind: Kind,
  list: Extract<Outcome, { kind: 'list' }>,
  { as, asVersion }: Accepted,
  how: Rendering,
): RenderedList {
  const metadata = listMetadata(list)
  if (as === undefined) {
    const show = kind.custom === undefined ? withoutType : (object: KubeObject) => object
    const frame = { kind: kind.listKind, apiVersion: kind.apiVersion, metadata }
    return { frame, field: 'items', batch: 1, show: (objects) => objects.map(show) }
  }
  const apiVersion = `meta.k8s.io/${asVersion ?? 'v1'}`
  if (as === 'Table') {
    const { includeObject } = how
    const { columns } = tableOf(kind, [], how.now)
    return {
      frame: { kind: 'Table', apiVersion, metadata, columnDefinitions: columns },
      field: 'rows',
      batch: includeObject === 'Object' ? 1 : 32,
      show: (objects) => rowsOf(kind, objects, { apiVersion, now: how.now, includeObject, list: list.items }),
    }
  }
  const frame = { kind: 'PartialObjectMetadataList', apiVersion, metadata }
  return { frame, field: 'items', batch: 1, show: (objects) => objects.map((object) => partial(object, apiVersion)) }
}

/** Removes the kind of a list item, because the list has it. Items of custom resources keep it. */
function withoutType(object: KubeObject): unknown {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object
  return rest
}

/** A single object. */
function transform(kind: Kind, object: KubeObject, accepted: Accepted, how: Rendering): unknown {
  if (accepted.as === undefined) return object
  const apiVersion = `meta.k8s.io/${accepted.asVersion ?? 'v1'}`
  if (accepted.as === 'Table') {
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' }
    return table(kind, [object], {
      apiVersion,
      now: how.now,
      includeObject: how.includeObject,
      metadata,
      columns: true,
    })
  }
  if (accepted.as === 'PartialObjectMetadata') return partial(object, apiVersion)
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata: {}, items: [partial(object, apiVersion)] }
}

interface RowHow {
  /** All objects of a list. */
  readonly list?: readonly KubeObject[]
  readonly apiVersion: string
  readonly now: number
  readonly includeObject: string | null
}

interface TableHow extends RowHow {
  readonly metadata: object
  readonly columns: boolean
}

function table(kind: Kind, objects: readonly KubeObject[], how: TableHow): unknown {
  return {
    kind: 'Table',
    apiVersion: how.apiVersion,
    metadata: how.metadata,
    columnDefinitions: how.columns ? tableOf(kind, [], how.now).columns : null,
    rows: rowsOf(kind, objects, how),
  }
}

function rowsOf(kind: Kind, objects: readonly KubeObject[], how: RowHow): readonly unknown[] {
  const { rows } = tableOf(kind, objects, how.now, how.list)
  return objects.map((object, index) => ({
    cells: rows[index],
    ...(how.includeObject === 'None'
      ? {}
      : { object: how.includeObject === 'Object' ? object : partial(object, how.apiVersion) }),
  }))
}

function partial(object: KubeObject, apiVersion: string): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata }
}

function answer(code: number, value: unknown, accepted: Accepted, headers: Rendering['headers']): FullResponse {
  if (accepted.encoding === 'yaml') {
    return {
      kind: 'full',
      code,
      headers: { 'content-type': 'application/yaml', ...headers },
      body: dump(value, yamlOptions),
    }
  }
  return jsonAnswer(code, accepted.pretty ? encodeJson(value, 2) : `${encodeJson(value)}\n`, headers)
}

const jsonHeaders = (headers: Rendering['headers']) => ({
  'content-type': 'application/json',
  'cache-control': 'no-cache, private',
  ...headers,
})

function jsonAnswer(code: number, text: string, headers: Rendering['headers']): FullResponse {
  return { kind: 'full', code, headers: jsonHeaders(headers), body: text }
}

/** An empty object, as in Go: a bookmark is a row of the table like any other object. */
function zeroObject({ shape }: Kind, bookmark: KubeObject): KubeObject {
  return shape === undefined ? bookmark : ({ ...(withoutNulls(zeroOf(shape)) as object), ...bookmark } as KubeObject)
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]))
}

/** The same as a frame of bytes. */
export function encodeWatchFrameOf(kind: Kind, event: WatchEvent, { as, asVersion }: Accepted): Uint8Array {
  const shown =
    event.type === 'ERROR' ? event.status : event.type === 'BOOKMARK' ? bookmarkObject(kind, event) : event.object
  const value =
    as === undefined || event.type === 'ERROR'
      ? shown
      : partial(shown as KubeObject, `meta.k8s.io/${asVersion ?? 'v1'}`)
  const bytes = encodedObject(value as Readonly<Record<string, unknown>>, kind.release.api)
  assert(bytes !== undefined, `${kind.kind} has no protobuf encoding`)
  return encodeWatchFrame(event.type, bytes)
}

export function encodeWatchEvent(
  kind: Kind,
  event: WatchEvent,
  accepted: Accepted,
  now: number,
  first: boolean,
): string {
  if (event.type === 'ERROR') return `${JSON.stringify({ type: 'ERROR', object: event.status })}\n`
  if (accepted.as === undefined) {
    const object = event.type === 'BOOKMARK' ? JSON.stringify(bookmarkObject(kind, event)) : encoded(event.object)
    return `{"type":"${event.type}","object":${object}}\n`
  }
  const shown = event.type === 'BOOKMARK' ? bookmarkObject(kind, event) : event.object
  const apiVersion = `meta.k8s.io/${accepted.asVersion ?? 'v1'}`
  // Column definitions are sent with the first event only; kubectl keeps them.
  const object =
    accepted.as === 'Table'
      ? table(kind, [event.type === 'BOOKMARK' ? zeroObject(kind, shown) : shown], {
          apiVersion,
          now,
          includeObject: null,
          metadata: { resourceVersion: shown.metadata.resourceVersion ?? '' },
          columns: first,
        })
      : partial(shown, apiVersion)
  return `${encodeJson({ type: event.type, object })}\n`
}
