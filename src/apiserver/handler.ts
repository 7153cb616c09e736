import type { Call, Failure, Outcome } from '../api/call.ts'
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseGoDuration } from '../api/go-duration.ts'
import type { Status } from '../api/objects/meta.ts'
import { failure, notFound } from '../api/status.ts'
import type { Clock } from '../base/clock.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import { type Caller, finishCall, type Guard, type Registry } from '../registry/contract.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import type { Store } from '../store/contract.ts'
import type { Aggregator } from './aggregation/aggregator.ts'
import { type Addressed, type Built, callOf, listCallOf } from './calls.ts'
import { componentStatuses } from './component-statuses.ts'
import type {
  Admit,
  ApiAnswer,
  ApiRequest,
  ApiResponse,
  FullResponse,
  RequestAdmission,
  RequestHead,
} from './exchange.ts'
import { methodNotAllowed, statusResponse, text, whenAnswered, withBody } from './exchange.ts'
import { refusalOf } from './forbidden.ts'
import { isProbe } from './health.ts'
import { hollowAnswer } from './hollow-answer.ts'
import { type Accepted, namesServedType, negotiate } from './media.ts'
import { listParameters } from './options.ts'
import { inAcceptedEncoding, namesProtobuf } from './protobuf/reencode.ts'
import { protobufType } from './protobuf/render.ts'
import type { AccessDecision, Attributes } from './rbac.ts'
import { encodeList, encodeObject, encodeWatchEvent, encodeWatchFrameOf } from './rendering.ts'
import { parseRoute, type ResourceRoute, type Route, truth } from './route.ts'
import type { Flow, MatchedFlow } from './serving/flow-control.ts'
import { type LargeRequests, largeBodyBytes } from './serving/large-requests.ts'
import { type UnstoredAnswers, unstoredRequest } from './unstored.ts'
import { warningHeaders } from './warning-headers.ts'
import { convertEvents, unconverted } from './watch-conversion.ts'
import { type WatchOptions, watchStream } from './watching.ts'

/** The registry with its table of kinds, for paths and discovery. */
export interface ServedRegistry extends Registry {
  readonly kinds: KindTable
}

/** A response outside of the resource paths: discovery, health, metrics, the console. */
export type EndpointHandler = (request: ApiRequest, caller: Caller) => Promise<ApiResponse> | ApiResponse | undefined

export interface HandlerOptions extends UnstoredAnswers {
  readonly registry: ServedRegistry
  readonly clock: Clock
  readonly authenticate: (request: RequestHead) => Caller | undefined
  readonly authorize: (attributes: Attributes) => AccessDecision
  /** The impersonated caller, if any. */
  readonly impersonate: (request: RequestHead, caller: Caller, attributes: Attributes) => Caller | Failure | undefined
  /** Absent: a caller with the right to write an object may write any content. */
  readonly guard?: Guard
  /** Sends a request to a webhook. Absent: the registry answers for webhooks. */
  readonly sendToWebhook?: (ask: WebhookAsk) => Promise<WebhookAnswer>
  /** Absent: a large request is handled in one step. */
  readonly largeRequests?: LargeRequests
  /** Called in order for every path that is not a resource; the first response is used. */
  readonly endpoints: readonly EndpointHandler[]
  /** Serves APIs of other servers. Absent: there are none. */
  readonly aggregator?: Pick<Aggregator, 'serve'>
  /** The flow schema of a request. Absent: responses do not name it. */
  readonly classify?: (attributes: Attributes) => MatchedFlow | undefined
  /** kube-apiserver ends a watch after 30 to 60 minutes by default. */
  readonly minRequestTimeoutMs?: number
}

interface Exchange extends Addressed {
  readonly caller: Caller
  readonly accepted: Accepted
}

/**
 * The steps of a request: path, authentication, authorization, body, kind, decoding, call, durability, encoding. Each
 * step can end it with a Status.
 */
export function createHandler(options: HandlerOptions): Admit {
  const admit = createAdmission(options)
  return (head) => {
    const admission = admit(head)
    if (!namesProtobuf(head)) return admission
    if (admission.kind === 'refused') {
      return { ...admission, response: inAcceptedEncoding(head, admission.response) as FullResponse }
    }
    const { answer } = admission
    return { ...admission, answer: (body) => whenAnswered(answer(body), (made) => inAcceptedEncoding(head, made)) }
  }
}

function createAdmission(options: HandlerOptions): Admit {
  return (head) => {
    const route = parseRoute(head.method, head.path, head.query)
    if (route.kind === 'incomplete') return { kind: 'refused', route, response: incomplete(head) }
    const wrongTimeout = timeoutFailure(head, route)
    if (wrongTimeout !== undefined) return refused(route, wrongTimeout)
    const authenticated = options.authenticate(head)
    if (authenticated === undefined) return refused(route, failure('Unauthorized', 'Unauthorized'))
    const own = attributesOf(head, route, authenticated)
    const impersonated = options.impersonate(head, authenticated, own)
    if (impersonated !== undefined && 'ok' in impersonated) {
      const { reason, message = '' } = impersonated.status
      if (reason === undefined) return { kind: 'refused', route, response: internalError(head, message) }
      return {
        ...refusedDurably(options, head, route, authenticated, impersonated),
        identity: { authenticated, caller: authenticated },
      }
    }
    const caller = impersonated ?? authenticated
    const attributes = impersonated === undefined ? own : { ...own, caller }
    const decision = options.authorize(attributes)
    const identity = { authenticated, caller, decision }
    if (!decision.allowed) {
      return { ...refusedDurably(options, head, route, caller, refusalOf(attributes, decision.reason)), identity }
    }
    return {
      kind: 'admitted',
      route,
      identity,
      flow: flowOf(head, route, caller, options.classify?.(attributes)),
      answer: (body) => {
        const request = withBody(head, body)
        if (route.kind !== 'resource') return serveEndpoint(options, request, caller)
        const served = serveResource(options, request, route, caller)
        const { store } = options.registry
        return served instanceof Promise ? served.then((made) => durably(store, made)) : durably(store, served)
      },
    }
  }
}

const longRunning: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** An invalid deadline is rejected first (apiserver filters, WithRequestDeadline). */
function timeoutFailure({ query }: RequestHead, route: Route): Failure | undefined {
  if (query.size === 0) return undefined
  const timeout = query.get('timeout') ?? ''
  if (timeout === '') return undefined
  if (route.kind === 'resource' && (route.verb === 'watch' || longRunning.has(route.subresource ?? '')))
    return undefined
  const parsed = parseGoDuration(timeout)
  if (parsed.ok) return undefined
  return failure('BadRequest', `invalid timeout specified in the request URL - ${parsed.message}`)
}

const refused = (route: Route, why: { readonly status: Status }) =>
  ({ kind: 'refused', route, response: refuse(why) }) as const

/** A rejection that was computed from objects. */
function refusedDurably(
  options: HandlerOptions,
  head: RequestHead,
  route: Route,
  caller: Caller,
  why: { readonly status: Status },
): RequestAdmission {
  const { store } = options.registry
  if (store.durableRevision >= store.revision) return refused(route, why)
  const answer = durably(store, refuse(why))
  return { kind: 'admitted', route, flow: flowOf(head, route, caller), answer: () => answer }
}

/** Resolves when everything computed in this turn is on disk, or to a failure. No response is shown before that. */
export function shownBy(store: Store): Promise<Failure | undefined> {
  return store.durable().then(
    () => undefined,
    (error: Error) => failure('ServiceUnavailable', error.message),
  )
}

/** `answer`: computed in this turn; a function creates the response when it may be shown. */
function durably(store: Store, answer: ApiResponse | (() => ApiResponse)): ApiAnswer {
  const made = () => (typeof answer === 'function' ? answer() : answer)
  if (store.durableRevision >= store.revision) return made()
  return shownBy(store).then((failed) => (failed === undefined ? made() : refuse(failed)))
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

function flowOf({ method, path }: RequestHead, route: Route, caller: Caller, matched?: MatchedFlow): Flow {
  const reads = route.kind === 'resource' ? readVerbs.has(route.verb) : readMethods.has(method)
  const level = isProbe(path) ? 'probe' : caller.groups.includes('system:masters') ? 'exempt' : 'normal'
  return { user: caller.name, kind: reads ? 'readOnly' : 'mutating', level, matched }
}

/** Probes, metrics and the version show no objects, and must respond while the disk hangs. */
const needsNoDisk = (path: string) => isProbe(path) || path === '/metrics' || path === '/version'

async function serveEndpoint(options: HandlerOptions, request: ApiRequest, caller: Caller): Promise<ApiResponse> {
  for (const endpoint of options.endpoints) {
    const computed = endpoint(request, caller)
    const answer = computed instanceof Promise ? await computed : computed
    if (answer === undefined) continue
    return needsNoDisk(request.path) ? answer : durably(options.registry.store, answer)
  }
  return text(404, '404 page not found\n')
}

function incomplete(head: RequestHead): FullResponse {
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${head.path}`
  return internalError(head, why)
}

/** Upstream's response to errors that are not a Status (apiserver, responsewriters, InternalError). */
function internalError({ path }: RequestHead, why: string): FullResponse {
  return text(500, `Internal Server Error: ${JSON.stringify(path)}: ${why}\n`)
}

/** A computed answer; a function creates the response when it may be shown. */
type Served = ApiResponse | (() => ApiResponse)

/** Subresources that a definition may enable. */
const customSubresources = new Set(['status', 'scale'])

function serveResource(
  options: HandlerOptions,
  request: ApiRequest,
  route: ResourceRoute,
  caller: Caller,
): Served | Promise<Served> {
  // Authorization uses any text between slashes; paths are served as written.
  if (request.path.startsWith('//')) return text(404, '404 page not found\n')
  const kind = options.registry.kinds.served(route.group, route.version, route.plural)
  if (kind === undefined) {
    const isStream = route.verb === 'watch'
    return options.aggregator?.serve(request, route, caller, isStream) ?? noSuchPath(options, route)
  }
  const subresource =
    route.subresource === undefined ? undefined : kind.subresources.find((sub) => sub.name === route.subresource)
  if (route.subresource !== undefined && subresource === undefined) {
    return kind.custom !== undefined && customSubresources.has(route.subresource)
      ? refuse(notFound(kind.resource, route.name ?? ''))
      : noSuchPath(options, route)
  }
  if (!isServed(kind, route)) return noSuchPath(options, route)
  const verbs: readonly string[] = subresource?.verbs ?? kind.verbs
  const { action } = route
  const isElsewhere = kind.namespaced && route.namespace === undefined && action !== 'list' && action !== 'watch'
  if (action === undefined || !verbs.includes(action) || isElsewhere) return refuse(methodNotAllowed)
  const hollow = hollowAnswer(options.registry, kind, route)
  if (hollow !== undefined) return refuse(hollow)
  const accepted = negotiate(request.headers['accept'], {
    pretty: wantsPretty(request),
    protobuf: kind.custom === undefined,
    table: kind.ephemeral !== true,
  })
  if (accepted === undefined) return refuse(notAcceptable(kind, route, request.headers['accept']))
  const exchange: Exchange = {
    request,
    route,
    action,
    kind,
    caller,
    accepted,
    kinds: options.registry.kinds,
    ...(subresource === undefined ? {} : { subresource }),
  }
  if (action === 'watch') return serveWatch(options, exchange)
  const { largeRequests } = options
  if (largeRequests !== undefined && request.body.length >= largeBodyBytes) {
    return serveInSteps(options, exchange, largeRequests)
  }
  const call = callOf(exchange)
  return 'ok' in call ? refuse(call) : callRegistry(options, exchange, call)
}

/**
 * Handles a large request in steps (decoding, the call, encoding), with other requests in between. The call itself is
 * one step, so that it sees one revision and its checks hold when it writes.
 */
async function serveInSteps(options: HandlerOptions, exchange: Exchange, large: LargeRequests): Promise<Served> {
  const { served } = await large.handle(async () => {
    const call = callOf(exchange)
    if ('ok' in call) return { served: refuse(call) }
    await large.pause()
    // Wrapped in an object, so that other large requests do not wait for webhooks.
    return { served: callRegistry(options, exchange, call, large) }
  })
  const computed = await served
  await large.pause()
  return computed
}

function callRegistry(
  options: HandlerOptions,
  exchange: Exchange,
  built: Built,
  large?: LargeRequests,
): Served | Promise<Served> {
  const { registry, guard, sendToWebhook } = options
  const { kind, caller, route } = exchange
  const answered = (outcome: Outcome) => () => {
    const response = respond(options, exchange, built.call, outcome, built.warnings)
    return outcome.notes === undefined ? response : { ...response, notes: outcome.notes }
  }
  const unstored = unstoredRequest(options, kind, built.call, caller, route.namespace) ?? componentStatuses(built.call)
  if (unstored !== undefined && 'ok' in unstored) return answered(unstored)
  const { call, answer } = unstored ?? { call: built.call, answer: undefined }
  if (sendToWebhook === undefined) return answered(registry.call(call, caller, guard, answer))
  const started = registry.begin(call, caller, guard, answer, large !== undefined)
  if (!('asks' in started)) return answered(started)
  return finishCall(started, sendToWebhook, pauseOf(options)).then(answered)
}

const pauseOf = ({ largeRequests }: HandlerOptions) => largeRequests && (() => largeRequests.pause())

const servedTypes = `application/json, application/yaml, ${protobufType}`
const watchedTypes = `, application/json;stream=watch, ${protobufType};stream=watch`

/** For types that are not served, upstream's router responds; custom resources are handled elsewhere. */
function notAcceptable(kind: Kind, { name }: ResourceRoute, accept: string | undefined): Failure {
  if (kind.custom !== undefined || namesServedType(accept)) {
    return failure('NotAcceptable', `only the following media types are accepted: ${servedTypes}`)
  }
  const watched = name === undefined && kind.verbs.includes('watch') ? watchedTypes : ''
  return failure('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${servedTypes}${watched}`, {})
}

/** Kinds that upstream warns about on every use. */
const deprecations = lookupTable<string>({
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
})

const collectionVerbs = ['list', 'create', 'deletecollection']

/** Whether the path exists for any method. */
function isServed(kind: Kind, { namespace, name, subresource, rest, prefix }: ResourceRoute): boolean {
  if (!kind.namespaced && namespace !== undefined) return false
  if (rest !== undefined && subresource !== 'proxy') return false
  if (prefix !== undefined && (prefix === 'proxy' || subresource !== undefined || !kind.verbs.includes('watch'))) {
    return false
  }
  if (subresource !== undefined) return !kind.namespaced || namespace !== undefined
  const isListed = kind.verbs.includes('list')
  if (name === undefined) {
    if (kind.namespaced && namespace === undefined) return isListed
    return kind.verbs.some((verb) => collectionVerbs.includes(verb))
  }
  return (!kind.namespaced || namespace !== undefined) && kind.verbs.some((verb) => !collectionVerbs.includes(verb))
}

/** Below a served version, upstream's router responds; for all other paths, Go's router does. */
function noSuchPath({ registry }: HandlerOptions, { group, version }: ResourceRoute): ApiResponse {
  const isKnown = registry.kinds
    .all()
    .some((kind) => kind.group === group && kind.version === version && kind.custom === undefined)
  if (!isKnown) return text(404, '404 page not found\n')
  return refuse(failure('NotFound', 'the server could not find the requested resource', {}))
}

/** Whether a field selector selects the object in the path, or does not select by name. */
function selectsName(fieldSelector: string, name: string): boolean {
  const selector = parseFieldSelector(fieldSelector)
  return selector.ok && (selector.value.everything || selector.value.exactValue('metadata.name') === name)
}

/** Starts the watch when the response is shown. The stream itself waits for objects that are not on disk. */
function serveWatch(options: HandlerOptions, exchange: Exchange): ApiResponse | (() => ApiResponse) {
  const { request, kind, route, accepted } = exchange
  const parameters = listParameters(request.query)
  if ('ok' in parameters) return refuse(parameters)
  const byName = route.name === undefined ? {} : { fieldSelector: `metadata.name=${route.name}` }
  if (route.name !== undefined && !selectsName(parameters.fieldSelector, route.name)) {
    return refuse(failure('BadRequest', "fieldSelector metadata.name doesn't match requested name"))
  }
  const { timeoutSeconds: seconds, sendInitialEvents } = parameters
  const watch = {
    registry: options.registry,
    kind,
    caller: exchange.caller,
    clock: options.clock,
    call: { ...listCallOf(exchange, parameters), ...byName },
    bookmarks: parameters.allowWatchBookmarks,
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    timeoutMs: seconds !== undefined && seconds > 0 ? seconds * 1000 : (options.minRequestTimeoutMs ?? 1_800_000),
    encode: watchEncoding(options, kind, accepted),
    contentType: watchType(accepted),
    pause: pauseOf(options),
  } satisfies WatchOptions
  const { sendToWebhook } = options
  const isConverted = kind.custom?.conversion !== undefined && sendToWebhook !== undefined
  const converted: WatchOptions = isConverted
    ? {
        ...watch,
        kind: unconverted(kind),
        convert: (events) => convertEvents(options.registry, kind, events, sendToWebhook),
      }
    : watch
  return () => {
    const stream = watchStream(converted)
    return 'ok' in stream ? refuse(stream) : stream
  }
}

const watchEncoding = ({ clock }: HandlerOptions, kind: Kind, accepted: Accepted): WatchOptions['encode'] =>
  accepted.encoding === 'protobuf'
    ? { as: 'bytes', one: (event) => encodeWatchFrameOf(kind, event, accepted) }
    : { as: 'text', one: (event, first) => encodeWatchEvent(kind, event, accepted, clock.wall(), first) }

function watchType({ encoding, as }: Accepted): string {
  if (encoding === 'protobuf') return `${protobufType};stream=watch`
  return as === undefined ? 'application/json' : 'application/json;stream=watch'
}

function respond(
  options: HandlerOptions,
  exchange: Exchange,
  call: Call,
  outcome: Outcome,
  decoding: readonly string[],
): ApiResponse {
  const deprecated = deprecations[exchange.kind.resource]
  const warnings = [
    ...(deprecated === undefined ? (exchange.kind.custom?.warnings ?? []) : [deprecated]),
    ...decoding,
    ...('warnings' in outcome ? (outcome.warnings ?? []) : []),
  ]
  const headers = warningHeaders(warnings)
  if (!outcome.ok) {
    const refused = refuse(outcome)
    return { ...refused, headers: { ...refused.headers, ...headers } }
  }
  const now = options.clock.wall()
  switch (outcome.kind) {
    case 'status':
      return statusResponse(outcome.status, headers)
    case 'list':
      return encodeList(exchange.kind, outcome, exchange.accepted, {
        now,
        headers,
        includeObject: exchange.request.query.get('includeObject'),
      })
    case 'object': {
      const created = outcome.created ?? call.verb === 'create'
      return encodeObject(exchange.kind, outcome.object, exchange.accepted, {
        now,
        headers,
        code: created ? 201 : 200,
        includeObject: exchange.request.query.get('includeObject'),
      })
    }
  }
}

function attributesOf(request: RequestHead, route: Route, caller: Caller): Attributes {
  if (route.kind !== 'resource')
    return { caller, verb: request.method.toLowerCase(), group: '', plural: '', path: request.path }
  const name = route.selectedName ?? route.name
  return {
    caller,
    verb: route.verb,
    group: route.group,
    plural: route.plural,
    subresource: route.subresource,
    namespace: route.scope,
    name,
    ...(request.query.size > 0 && selectingVerbs.has(route.verb) ? selectorOf(request, route) : {}),
  }
}

const selectingVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

/** The field selector for authorization. Paths with a deprecated prefix have none. */
function selectorOf({ query }: RequestHead, { prefix }: ResourceRoute): Pick<Attributes, 'fieldSelector'> {
  const fieldSelector = query.get('fieldSelector')
  return prefix !== undefined || fieldSelector === null ? {} : { fieldSelector }
}

/**
 * Whether to indent the response: on request, and for browsers and command line tools (apiserver, negotiation,
 * isPrettyPrint).
 */
function wantsPretty({ query, headers }: ApiRequest): boolean {
  const asked = query.size === 0 ? null : query.get('pretty')
  if (asked !== null && asked !== '') return truth(asked)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '')
}

export function refuse({ status }: { readonly status: Status }): FullResponse {
  const seconds = status.details?.retryAfterSeconds
  return statusResponse(status, seconds === undefined ? {} : { 'retry-after': String(seconds) })
}
