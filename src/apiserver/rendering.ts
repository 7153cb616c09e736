import { dump } from 'js-yaml'
import type { Outcome, WatchEvent } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Kind } from '../registry/kind.ts'
import { tableOf } from '../registry/table.ts'
import { encoded } from '../store/encoded.ts'
import type { FullResponse } from './exchange.ts'
import type { Accepted } from './media.ts'
import { bookmarkObject } from './watching.ts'

interface Rendering {
  readonly now: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** For tables: how much of each object rides along. Default: its metadata. */
  readonly includeObject: string | null
}

export function encodeObject(
  kind: Kind,
  object: KubeObject,
  accepted: Accepted,
  how: Rendering & { readonly code: number },
): FullResponse {
  if (accepted.as === undefined && accepted.encoding === 'json' && !accepted.pretty) {
    return jsonAnswer(how.code, `${encoded(object)}\n`, how.headers)
  }
  return answer(
    how.code,
    transform(kind, [object], accepted, how, {}, () => object),
    accepted,
    how.headers,
  )
}

export function encodeList(
  kind: Kind,
  list: Extract<Outcome, { kind: 'list' }>,
  accepted: Accepted,
  how: Rendering,
): FullResponse {
  const metadata = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === undefined ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  }
  const value = transform(kind, list.items, accepted, how, metadata, () => ({
    kind: kind.listKind,
    apiVersion: kind.apiVersion,
    metadata,
    items: kind.custom === undefined ? list.items.map(withoutType) : list.items,
  }))
  return answer(200, value, accepted, how.headers)
}

/** Items of a list do not repeat the kind that the list has named; custom resources, which have no type, do. */
function withoutType(object: KubeObject): unknown {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object
  return rest
}

function transform(
  kind: Kind,
  objects: readonly KubeObject[],
  accepted: Accepted,
  how: Rendering,
  metadata: object,
  whole: () => unknown,
): unknown {
  if (accepted.as === undefined) return whole()
  const apiVersion = `meta.k8s.io/${accepted.asVersion ?? 'v1'}`
  if (accepted.as === 'Table') {
    return table(kind, objects, {
      apiVersion,
      now: how.now,
      includeObject: how.includeObject,
      metadata: tableMetadata(objects, metadata),
      columns: true,
    })
  }
  if (accepted.as === 'PartialObjectMetadata') return partial(objects[0]!, apiVersion)
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata,
    items: objects.map((object) => partial(object, apiVersion)),
  }
}

function tableMetadata(objects: readonly KubeObject[], metadata: object): object {
  if ('resourceVersion' in metadata) return metadata
  return { resourceVersion: objects[0]?.metadata.resourceVersion ?? '' }
}

interface TableHow {
  readonly apiVersion: string
  readonly now: number
  readonly includeObject: string | null
  readonly metadata: object
  readonly columns: boolean
}

function table(kind: Kind, objects: readonly KubeObject[], how: TableHow): unknown {
  const printed = tableOf(kind, objects, how.now)
  return {
    kind: 'Table',
    apiVersion: how.apiVersion,
    metadata: how.metadata,
    columnDefinitions: how.columns ? printed.columns : null,
    rows: objects.map((object, index) => ({
      cells: printed.rows[index]!,
      ...(how.includeObject === 'None'
        ? {}
        : { object: how.includeObject === 'Object' ? object : partial(object, how.apiVersion) }),
    })),
  }
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
      body: dump(value, { lineWidth: -1 }),
    }
  }
  return jsonAnswer(code, accepted.pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`, headers)
}

function jsonAnswer(code: number, text: string, headers: Rendering['headers']): FullResponse {
  return {
    kind: 'full',
    code,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...headers },
    body: text,
  }
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
  // Column definitions are sent with the first event alone; kubectl keeps them.
  const object =
    accepted.as === 'Table'
      ? table(kind, event.type === 'BOOKMARK' ? [] : [shown], {
          apiVersion,
          now,
          includeObject: null,
          metadata: { resourceVersion: shown.metadata.resourceVersion ?? '' },
          columns: first,
        })
      : partial(shown, apiVersion)
  return `${JSON.stringify({ type: event.type, object })}\n`
}
