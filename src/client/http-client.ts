import type { Call, Failure, Outcome, Patch, WatchEvent, WatchRequest } from '../api/call.ts'
import type { KubeObject, Status } from '../api/objects/meta.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { failure, type StatusReason, splitResource, statusCodes } from '../api/status.ts'
import type { Clock } from '../base/clock.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { RandomStream } from '../base/random.ts'
import { builtinKindsOf } from '../registry/kinds/kinds.ts'
import type { Client, WatchHandle } from './contract.ts'
import { type HttpAnswer, HttpConnection, type HttpRequest, type ServerAccess } from './http-connection.ts'
import { RequestThrottle, type Urgency } from './request-throttle.ts'

export interface HttpClientOptions {
  readonly access: ServerAccess
  readonly clock: Clock
  readonly random: RandomStream
  readonly userAgent?: string
  readonly timeoutMs?: number
  /** --kube-api-qps and --kube-api-burst; absent or 0: no client-side limit. */
  readonly qps?: number
  readonly burst?: number
  readonly maxSockets?: number
}

// The first version of a kind is the preferred one.
const versions = new Map(
  builtinKindsOf(defaultRelease)
    .toReversed()
    .map((kind) => [kind.resource, kind.version]),
)

// Retries after a Retry-After response, as in client-go (rest/request.go): at most ten.
const maxRetries = 10

/** A client of any Kubernetes API server. */
export function createHttpClient(options: HttpClientOptions): Client & { close(): void } {
  const connection = new HttpConnection({
    access: options.access,
    clock: options.clock,
    userAgent: options.userAgent ?? 'berth',
    timeoutMs: options.timeoutMs ?? 30_000,
    maxSockets: options.maxSockets ?? 256,
  })
  const bucket =
    options.qps === undefined || options.qps <= 0
      ? undefined
      : new RequestThrottle({
          clock: options.clock,
          perSecond: options.qps,
          burst: options.burst ?? Math.ceil(options.qps * 2),
        })
  const pauses = new Pauses(options.clock)
  const locate = versionFinder(connection)
  return {
    async call(call, mayStillSend) {
      const version = await locate(call.resource)
      if (typeof version !== 'string') return version
      const request = { ...requestOf(call, version), ...(mayStillSend === undefined ? {} : { mayStillSend }) }
      for (let attempt = 0; ; attempt++) {
        if (bucket !== undefined) await bucket.take(urgencyOf(call))
        // A closed client sends no request, neither waiting requests nor retries.
        const answer = await connection.exchange(request)
        const waitSeconds = retryAfter(answer)
        if (waitSeconds === undefined || attempt >= maxRetries) return outcomeOf(call, answer)
        await pauses.wait(waitSeconds * 1000)
      }
    },
    watch: (request, onEvents, onEnd) => startWatch(options, connection, locate, { request, onEvents, onEnd }),
    close: () => {
      connection.close()
      bucket?.close()
      pauses.close()
    },
  }
}

/** Under a client-side limit, binds go before events. */
function urgencyOf({ verb, resource, ...call }: Call): Urgency {
  if (verb === 'create' && 'subresource' in call && call.subresource === 'binding') return 'high'
  return splitResource(resource).plural === 'events' ? 'low' : 'normal'
}

function retryAfter(answer: HttpAnswer): number | undefined {
  if (answer.kind !== 'answer' || (answer.code !== 429 && answer.code < 500)) return undefined
  const seconds = Number(answer.headers['retry-after'])
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** Delays that end immediately when the client is closed. */
class Pauses {
  private readonly clock: Clock
  private readonly ends = new Set<() => void>()
  private closed = false

  constructor(clock: Clock) {
    this.clock = clock
  }

  wait(ms: number): Promise<void> {
    if (this.closed) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        this.ends.delete(end)
        resolve()
      }
      const cancel = this.clock.at(this.clock.now() + ms, end)
      this.ends.add(end)
    })
  }

  close(): void {
    this.closed = true
    for (const end of this.ends) end()
  }
}

/**
 * Versions of built-in kinds are known. For other resources, it reads once the first version of the group that serves
 * the resource.
 */
function versionFinder(connection: HttpConnection): (resource: string) => Promise<string | Failure> {
  const found = new Map<string, string>()
  return async (resource) => {
    const { group } = splitResource(resource)
    const known = versions.get(resource) ?? found.get(resource)
    if (known !== undefined) return known
    const answer = await connection.exchange({ method: 'GET', path: `/apis/${group}` })
    if (answer.kind !== 'answer') return failureOf(answer)
    if (answer.code !== 200) return failure('NotFound', `the server could not find the requested resource ${resource}`)
    const { preferredVersion, versions: served = [] } = JSON.parse(answer.body) as ServedGroup
    const preferred = preferredVersion?.version ?? 'v1'
    // A group may not serve all of its resources in the preferred version.
    const all = [...new Set([preferred, ...served.map(({ version }) => version)])]
    const version = all.length === 1 ? preferred : await servingVersion(connection, resource, all)
    found.set(resource, version ?? preferred)
    return version ?? preferred
  }
}

interface ServedGroup {
  readonly preferredVersion?: { readonly version?: string }
  readonly versions?: readonly { readonly version: string }[]
}

async function servingVersion(
  connection: HttpConnection,
  resource: string,
  candidates: readonly string[],
): Promise<string | undefined> {
  const { group, plural } = splitResource(resource)
  for (const version of candidates) {
    const answer = await connection.exchange({ method: 'GET', path: `/apis/${group}/${version}` })
    if (answer.kind !== 'answer' || answer.code !== 200) continue
    const { resources = [] } = JSON.parse(answer.body) as { readonly resources?: readonly { readonly name: string }[] }
    if (resources.some(({ name }) => name === plural)) return version
  }
  return undefined
}

function pathOf(
  call: {
    readonly resource: string
    readonly namespace?: string
    readonly name?: string
    readonly subresource?: string
  },
  version: string,
): string {
  const { plural, group } = splitResource(call.resource)
  const parts = [group === '' ? `/api/${version}` : `/apis/${group}/${version}`]
  if (call.namespace !== undefined && call.namespace !== '')
    parts.push('namespaces', encodeURIComponent(call.namespace))
  parts.push(plural)
  if (call.name !== undefined) parts.push(encodeURIComponent(call.name))
  if (call.subresource !== undefined && call.subresource !== '') parts.push(call.subresource)
  return parts.join('/')
}

function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '' && value !== false) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const patchTypes: Readonly<Record<Patch['kind'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

export function requestOf(call: Call, version: string): HttpRequest {
  const path = pathOf(call, version)
  switch (call.verb) {
    case 'get':
      return { method: 'GET', path: path + queryOf({ resourceVersion: call.resourceVersion }) }
    case 'list': {
      const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = call
      return {
        method: 'GET',
        path:
          path +
          queryOf({
            labelSelector,
            fieldSelector,
            limit,
            continue: call.continue,
            resourceVersion,
            resourceVersionMatch,
          }),
      }
    }
    case 'create':
    case 'update':
      return {
        method: call.verb === 'create' ? 'POST' : 'PUT',
        path: path + writeQuery(call),
        body: encodeJson(call.object),
      }
    case 'patch': {
      const { patch } = call
      const body = patch.kind === 'json' ? patch.operations : patch.kind === 'apply' ? patch.object : patch.patch
      const force = patch.kind === 'apply' && patch.force === true
      return {
        method: 'PATCH',
        path: path + writeQuery(call, force),
        body: encodeJson(body),
        contentType: patchTypes[patch.kind],
      }
    }
    case 'delete':
      return { method: 'DELETE', path, body: deleteBody(call) }
    case 'deletecollection':
      return {
        method: 'DELETE',
        path: path + queryOf({ labelSelector: call.labelSelector, fieldSelector: call.fieldSelector }),
        body: deleteBody(call),
      }
  }
}

function writeQuery(
  call: { readonly dryRun?: boolean; readonly fieldManager?: string; readonly fieldValidation?: string },
  force = false,
): string {
  return queryOf({
    dryRun: call.dryRun === true ? 'All' : undefined,
    fieldManager: call.fieldManager,
    fieldValidation: call.fieldValidation,
    force,
  })
}

function deleteBody(call: Extract<Call, { verb: 'delete' | 'deletecollection' }>): string {
  return encodeJson({
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...call.options,
    ...(call.dryRun === true ? { dryRun: ['All'] } : {}),
  })
}

function failureOf(answer: Exclude<HttpAnswer, { kind: 'answer' }>): Failure {
  if (answer.kind === 'timeout') return failure('Timeout', 'the server did not answer in time')
  return failure('ServiceUnavailable', `the server could not be reached: ${answer.message}`)
}

function outcomeOf(call: Call, answer: HttpAnswer): Outcome {
  if (answer.kind !== 'answer') return failureOf(answer)
  const value = parseJson(answer.body)
  if (answer.code >= 400 || value === undefined) return { ok: false, status: statusOf(answer.code, value, answer.body) }
  const warnings = warningsOf(answer.headers['warning'])
  if (value['kind'] === 'Status') return { ok: true, kind: 'status', status: value as unknown as Status, ...warnings }
  if (call.verb === 'list') return listOutcome(value)
  return {
    ok: true,
    kind: 'object',
    object: value as unknown as KubeObject,
    ...(answer.code === 201 ? { created: true } : {}),
    ...warnings,
  }
}

/** Node reads each byte of a header as one character, but warnings are in UTF-8. */
const headerText = (header: string): string => Buffer.from(header, 'latin1').toString()

function warningsOf(header: string | string[] | undefined) {
  const texts = [header ?? []]
    .flat()
    .map(headerText)
    .flatMap((line) =>
      [...line.matchAll(/299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string),
    )
  return texts.length === 0 ? {} : { warnings: texts }
}

/** Items of a list have no kind, but objects in berth always have a kind. */
function listOutcome(value: { readonly [key: string]: unknown }): Outcome {
  const kind = String(value['kind'] ?? '').replace(/List$/, '')
  const apiVersion = String(value['apiVersion'] ?? '')
  const metadata = (value['metadata'] ?? {}) as {
    resourceVersion?: string
    continue?: string
    remainingItemCount?: number
  }
  const items = ((value['items'] ?? []) as readonly KubeObject[]).map((item) => ({ apiVersion, kind, ...item }))
  return {
    ok: true,
    kind: 'list',
    items,
    resourceVersion: metadata.resourceVersion ?? '',
    ...(metadata.continue === undefined || metadata.continue === '' ? {} : { continue: metadata.continue }),
    ...(metadata.remainingItemCount === undefined ? {} : { remainingItemCount: metadata.remainingItemCount }),
  }
}

function parseJson(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : undefined
  } catch {
    return undefined
  }
}

/** The Status of the server, or a Status for the status code of a proxy. */
function statusOf(code: number, value: { readonly [key: string]: unknown } | undefined, body: string): Status {
  if (value?.['kind'] === 'Status') return value as unknown as Status
  const reason =
    (Object.keys(statusCodes) as StatusReason[]).find((name) => statusCodes[name] === code) ?? 'InternalError'
  return {
    ...failure(reason, body.trim().slice(0, 1024) || `the server answered with status code ${code}`).status,
    code,
  }
}

interface HttpWatch {
  readonly request: WatchRequest
  readonly onEvents: (events: readonly WatchEvent[]) => void
  readonly onEnd: (error?: Error) => void
}

function startWatch(
  options: HttpClientOptions,
  connection: HttpConnection,
  locate: ReturnType<typeof versionFinder>,
  start: HttpWatch,
): WatchHandle {
  const { request, onEvents, onEnd } = start
  let canceled = false
  let stream: { readonly cancel: () => void } | undefined
  let ended = false
  const end = (error?: Error) => {
    if (ended) return
    ended = true
    onEnd(error)
  }
  const begin = async (): Promise<void> => {
    const version = await locate(request.resource)
    if (canceled) return
    if (typeof version !== 'string') {
      onEvents([{ type: 'ERROR', status: version.status }])
      return end()
    }
    let code = 200
    stream = connection.stream(
      { method: 'GET', path: watchPath(request, version, options.random) },
      {
        head: (given) => {
          code = given
        },
        lines: (lines) => {
          if (canceled) return
          if (code >= 400)
            onEvents([{ type: 'ERROR', status: statusOf(code, parseJson(lines.join('\n')), lines.join('\n')) }])
          else onEvents(lines.map(eventOf))
        },
        end,
      },
    )
  }
  begin().catch((error) => end(error instanceof Error ? error : new Error(String(error))))
  return {
    cancel: () => {
      canceled = true
      stream?.cancel()
      end()
    },
  }
}

function watchPath(request: WatchRequest, version: string, random: RandomStream): string {
  const { labelSelector, fieldSelector, resourceVersion, sendInitialEvents } = request
  return (
    pathOf(request, version) +
    queryOf({
      watch: 'true',
      labelSelector,
      fieldSelector,
      resourceVersion,
      allowWatchBookmarks: request.bookmarks === false ? undefined : 'true',
      sendInitialEvents: sendInitialEvents === undefined ? undefined : String(sendInitialEvents),
      resourceVersionMatch: sendInitialEvents === undefined ? undefined : 'NotOlderThan',
      // Between five and ten minutes, so that the watches of many clients do not end at the same time (client-go).
      timeoutSeconds: 300 + random.int(300),
    })
  )
}

function eventOf(line: string): WatchEvent {
  const event = parseJson(line) as { type?: string; object?: KubeObject } | undefined
  switch (event?.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object! }
    case 'BOOKMARK': {
      const { metadata } = event.object!
      const ended = metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
      return {
        type: 'BOOKMARK',
        resourceVersion: metadata.resourceVersion ?? '',
        ...(ended ? { initialEventsEnd: true } : {}),
      }
    }
    case 'ERROR':
      return { type: 'ERROR', status: event.object as unknown as Status }
    default:
      return { type: 'ERROR', status: failure('InternalError', `unreadable watch event: ${line.slice(0, 200)}`).status }
  }
}
