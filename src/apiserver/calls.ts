import type { Call, CreateCall, Failure, ListCall, Patch, Verb } from '../api/call.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { failure } from '../api/status.ts'
import { type Numeral, outOfRange, withoutNumerals } from '../base/exact-json.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { decodeObject } from '../registry/decode/decode-object.ts'
import { jsonKind } from '../registry/decode/scalars.ts'
import type { Kind, KindTable, Subresource } from '../registry/kinds/kind.ts'
import { selectionOf } from '../registry/read/selection.ts'
import { type DecodedBody, decodeBody } from './body.ts'
import { deleteBody, malformedDelete } from './delete-body.ts'
import type { ApiRequest } from './exchange.ts'
import { mediaTypeOf } from './media.ts'
import { deleteQuery, getParameters, type ListParameters, listParameters, writeParameters } from './options.ts'
import { protobufType } from './protobuf/render.ts'
import type { ResourceRoute } from './route.ts'

/** A request, and the kind that it addresses. */
export interface Addressed {
  readonly request: ApiRequest
  readonly route: ResourceRoute
  readonly action: Verb
  readonly kind: Kind
  readonly subresource?: Subresource
  readonly kinds: KindTable
}

const bodyTypes = ['application/json', 'application/yaml', protobufType]
const patchTypes = lookupTable<Patch['kind']>({
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
})

export interface Built {
  readonly call: Call
  readonly warnings: readonly string[]
}

/** The request as a Call, or why it is invalid. */
export function callOf(exchange: Addressed): Built | Failure {
  const { route, request, action } = exchange
  const target = targetOf(exchange)
  const name = route.name ?? ''
  switch (action) {
    case 'get': {
      const parameters = getParameters(request.query)
      if ('ok' in parameters) return parameters
      const { resourceVersion } = parameters
      return plain({ verb: 'get', ...target, name, ...(resourceVersion === '' ? {} : { resourceVersion }) })
    }
    case 'list': {
      const parameters = listParameters(request.query)
      return 'ok' in parameters ? parameters : plain(listCallOf(exchange, parameters))
    }
    case 'delete':
    case 'deletecollection':
      return deletionOf(exchange, target)
    case 'patch':
      return patchOf(exchange, target)
    default:
      return bodyCallOf(exchange, target)
  }
}

/** Few built-in resources have more than one version. */
const isVersioned = (kind: Kind) => kind.custom !== undefined || kind.isVersioned !== undefined

// Members of calls are set one by one: a spread is slower, and every request makes a call.

function targetOf({ route, kind }: Addressed): CallTarget {
  const target: Mutable<CallTarget> = { resource: kind.resource }
  if (route.namespace !== undefined) target.namespace = route.namespace
  if (route.subresource !== undefined) target.subresource = route.subresource
  if (isVersioned(kind)) target.version = kind.version
  return target
}

const plain = (call: Call): Built => ({ call, warnings: [] })

export function listCallOf({ route, kind }: Addressed, parameters: ListParameters): ListCall {
  const { limit } = parameters
  const given = (name: 'labelSelector' | 'fieldSelector' | 'continue' | 'resourceVersion' | 'resourceVersionMatch') =>
    parameters[name] === '' ? {} : { [name]: parameters[name] }
  return {
    verb: 'list',
    resource: kind.resource,
    ...(isVersioned(kind) ? { version: kind.version } : {}),
    ...(route.namespace === undefined ? {} : { namespace: route.namespace }),
    ...given('labelSelector'),
    ...given('fieldSelector'),
    ...given('continue'),
    ...given('resourceVersion'),
    ...given('resourceVersionMatch'),
    ...(limit === undefined ? {} : { limit }),
  }
}

type CallTarget = {
  readonly resource: string
  readonly namespace?: string
  readonly subresource?: string
  readonly version?: string
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function deletionOf(exchange: Addressed, target: CallTarget): Built | Failure {
  const { route, request, action } = exchange
  const selected = action === 'delete' ? undefined : listParameters(request.query)
  if (selected !== undefined) {
    if ('ok' in selected) return selected
    const selection = selectionOf(exchange.kind, selected)
    if (!('matches' in selection)) return selection
  }
  // Options come from the body or, without one, from the query.
  const parsed = request.body.length > 0 ? bodyOptions(request, exchange.kind.release) : deleteQuery(request.query)
  if ('ok' in parsed) return parsed
  const { options, dryRun } = parsed
  const rest = { options, ...(dryRun ? { dryRun } : {}) }
  if (selected === undefined) return plain({ verb: 'delete', ...target, name: route.name ?? '', ...rest })
  return plain({ ...listCallOf(exchange, selected), verb: 'deletecollection', ...target, ...rest })
}

function bodyOptions(request: ApiRequest, release: KubernetesRelease): ReturnType<typeof deleteBody> {
  const decoded = decodeBody(request.body, request.headers['content-type'], bodyTypes, release.api)
  if (decoded.kind === 'value') return deleteBody(decoded.value, release)
  if (decoded.kind === 'unsupported') return undecodable(decoded, bodyTypes, 'DeleteOptions', request.body)
  return malformedDelete(`couldn't get version/kind; json parse error: ${decoded.message}`, release)
}

const patchTypesOf = ({ custom }: Kind): readonly string[] =>
  Object.keys(patchTypes).filter((name) => custom === undefined || patchTypes[name] !== 'strategic')

function patchOf(exchange: Addressed, target: CallTarget): Built | Failure {
  const { request, route, kind } = exchange
  const type = patchTypes[mediaTypeOf(request.headers['content-type'])]
  if (type === undefined) {
    // For built-in kinds, upstream's router responds before the kind's handler.
    if (kind.custom === undefined) return failure('UnsupportedMediaType', '415: Unsupported Media Type', {})
    const mediaType = mediaTypeOf(request.headers['content-type'])
    return undecodable({ kind: 'unsupported', mediaType }, patchTypesOf(kind), kind.kind, request.body)
  }
  const parameters = writeParameters(request.query, 'PatchOptions', type === 'apply')
  if ('ok' in parameters) return parameters
  const decoded = decodeBody(
    request.body,
    type === 'apply' ? 'application/yaml' : 'application/json',
    bodyTypes,
    exchange.kind.release.api,
  )
  if (decoded.kind !== 'value') {
    return decoded.kind === 'malformed'
      ? failure(
          'BadRequest',
          `error decoding ${decoded.isYaml ? 'YAML: error converting YAML to JSON' : 'patch'}: ${decoded.message}`,
        )
      : undecodable(decoded, patchTypesOf(kind), kind.kind, request.body)
  }
  const { force, ...write } = parameters
  // Upstream applies a JSON or merge patch to the text of an object, so numbers are parsed as in objects.
  const keepsText = (type === 'json' || type === 'merge') && kind.custom === undefined
  const { value } = keepsText ? decoded : { value: withoutNumerals(decoded.value) as typeof decoded.value }
  const huge = keepsText && write.fieldValidation === 'Ignore' ? undefined : outOfRange(decoded.value)
  if (huge !== undefined) {
    const into = type === 'json' ? 'struct field jsonPatchOp.value' : 'value'
    return failure('BadRequest', `error decoding patch: ${notFloat(huge, into)}`)
  }
  let patch: Patch
  if (type === 'json') {
    if (!Array.isArray(value))
      return failure(
        'BadRequest',
        'error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
      )
    const odd = value.find((one) => one !== null && jsonTypeOf(one) !== 'object')
    if (odd !== undefined) {
      const isRead = write.fieldValidation !== 'Ignore'
      const why = `json: cannot unmarshal ${jsonTypeOf(odd)} into Go value of type`
      const message = isRead ? `error decoding patch: ${why} handlers.jsonPatchOp` : `${why} jsonpatch.Operation`
      return failure('BadRequest', message)
    }
    patch = { kind: 'json', operations: value as unknown as Extract<Patch, { kind: 'json' }>['operations'] }
  } else if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failure(
      'BadRequest',
      `error decoding patch: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`,
    )
  } else if (type === 'apply') {
    patch = { kind: 'apply', object: value as JsonObject, ...(force === true ? { force } : {}) }
  } else patch = { kind: type, patch: value as JsonObject }
  const duplicates = reportStrict(decoded.strict, write.fieldValidation)
  if ('ok' in duplicates) return duplicates
  return {
    call: {
      verb: 'patch',
      ...target,
      name: route.name ?? '',
      patch,
      ...write,
      ...managerFields(write.fieldManager, request),
    },
    warnings: duplicates.warnings,
  }
}

const notFloat = (number: Numeral, into = 'value'): string =>
  `json: cannot unmarshal number ${number} into Go ${into} of type float64`

/** POST and PUT: the body is an object of the kind, or of the subresource's kind. */
function bodyCallOf(exchange: Addressed, target: CallTarget): Built | Failure {
  const { route, kind, request, subresource, action } = exchange
  const kindName = subresource?.kind ?? kind.kind
  const optionsKind = action === 'create' ? 'CreateOptions' : 'UpdateOptions'
  const parameters = writeParameters(request.query, optionsKind)
  if ('ok' in parameters) return parameters
  const decoded = decodeBody(request.body, request.headers['content-type'], bodyTypes, exchange.kind.release.api)
  if (decoded.kind !== 'value') return undecodable(decoded, bodyTypes, kindName, request.body)
  const { value } = decoded
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failure(
      'BadRequest',
      `the object provided is unrecognized (must be of type ${kindName}): couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${summary(request.body)})`,
    )
  }
  const isTyped = kind.custom === undefined && !kind.ephemeral
  const huge = isTyped ? undefined : outOfRange(value)
  if (huge !== undefined) {
    const shown = `${kindName} in version ${JSON.stringify(subresource?.version ?? kind.version)}`
    return failure('BadRequest', `${shown} cannot be handled as a ${kindName}: ${notFloat(huge)}`)
  }
  const object = typed((isTyped ? value : withoutNumerals(value)) as JsonObject, exchange)
  if ('ok' in object) return object
  const duplicates = reportStrict(decoded.strict, parameters.fieldValidation, { kind, object: object.object })
  if ('ok' in duplicates) return duplicates
  const write: Mutable<WriteCallOptions> = target
  const { dryRun, fieldManager, fieldValidation } = parameters
  write.fieldManager = fieldManager ?? managerOf(request)
  if (fieldManager === undefined) write.isManagerDerived = true
  if (dryRun !== undefined) write.dryRun = dryRun
  if (fieldValidation !== undefined) write.fieldValidation = fieldValidation
  return { call: bodyCall(write, action, route.name, object.object), warnings: duplicates.warnings }
}

type WriteCallOptions = CallTarget &
  Pick<CreateCall, 'dryRun' | 'fieldManager' | 'isManagerDerived' | 'fieldValidation'>

function bodyCall(call: WriteCallOptions, action: Verb, name: string | undefined, object: KubeObject): Call {
  if (action !== 'create') return Object.assign(call, { verb: 'update', name: name ?? '', object } as const)
  const created: Mutable<CreateCall> = Object.assign(call, { verb: 'create', object } as const)
  if (name !== undefined) created.name = name
  return created
}

/** The error of Go's scheme contains the place where the scheme was created. */
const scheme = '"pkg/runtime/scheme.go:111"'

function otherKind(givenKind: string, apiVersion: string, { kind, subresource, kinds }: Addressed): string {
  const slash = apiVersion.indexOf('/')
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
  const served = kinds.all().some((each) => each.group === group && each.version === version && each.kind === givenKind)
  if (!served) {
    return `no kind ${JSON.stringify(givenKind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${scheme}`
  }
  const wanted = `${internalPackage(subresource?.group ?? kind.group)}.${subresource?.kind ?? kind.kind}`
  return `converting (${version}.${givenKind}) to (${wanted}): unknown conversion`
}

/** The Go package of a group's internal types: `core`, `apps`, `rbac`. */
const internalPackage = (group: string) => (group === '' ? 'core' : group.slice(0, `${group}.`.indexOf('.')))

/** The object with apiVersion and kind set, or the rejection of another kind. */
function typed(value: JsonObject, exchange: Addressed): { readonly object: KubeObject } | Failure {
  const { kind, subresource } = exchange
  const group = subresource?.group ?? kind.group
  const version = subresource?.version ?? kind.version
  const apiVersion = group === '' ? version : `${group}/${version}`
  const kindName = subresource?.kind ?? kind.kind
  const { apiVersion: givenVersion, kind: givenKind } = value
  if (givenVersion !== undefined && typeof givenVersion !== 'string') {
    return failure(
      'BadRequest',
      `json: cannot unmarshal ${jsonTypeOf(givenVersion)} into Go struct field .apiVersion of type string`,
    )
  }
  // Only one version of a subresource's kind is served here; upstream also serves older policy and autoscaling
  // versions.
  const versionFits = givenVersion === undefined || givenVersion === '' || givenVersion === apiVersion
  const kindFits = givenKind === undefined || givenKind === '' || givenKind === kindName
  // Custom resources are not in the scheme: the registry checks them.
  if ((!versionFits || !kindFits) && kind.custom === undefined) {
    const [shownKind, given] = [String(givenKind ?? kindName), String(givenVersion ?? apiVersion)]
    const shown = `${shownKind} in version ${JSON.stringify(given.slice(given.indexOf('/') + 1))}`
    const why = otherKind(shownKind, given, exchange)
    return failure('BadRequest', `${shown} cannot be handled as a ${kindName}: ${why}`)
  }
  const metadata = value['metadata']
  if (metadata !== undefined && metadata !== null && (typeof metadata !== 'object' || Array.isArray(metadata))) {
    return failure(
      'BadRequest',
      `${kindName} in version ${JSON.stringify(version)} cannot be handled as a ${kindName}: json: cannot unmarshal ${jsonTypeOf(metadata)} into Go struct field ${kindName}.metadata of type v1.ObjectMeta`,
    )
  }
  // Any other object here is a custom resource, which is rejected later.
  const named = { apiVersion: versionFits ? apiVersion : givenVersion, kind: kindFits ? kindName : givenKind }
  return { object: { ...value, ...named, metadata: metadata ?? {} } as unknown as KubeObject }
}

/** The strict decoding errors in the text of a body, together with the errors in the object. */
function reportStrict(
  found: readonly string[],
  validation: string | undefined,
  body?: { readonly kind: Kind; readonly object: KubeObject },
): { readonly warnings: readonly string[] } | Failure {
  if (found.length === 0 || validation === 'Ignore') return { warnings: [] }
  if (validation !== 'Strict') return { warnings: found }
  if (body === undefined) return failure('BadRequest', `strict decoding error: ${found.join(', ')}`)
  const { kind, object } = body
  const decoded = decodeObject(kind, object, 'Warn')
  if ('ok' in decoded) return decoded
  const all = strictInOrder(found, decoded.warnings, object, kind.custom === undefined)
  const shown = `${kind.kind} in version ${JSON.stringify(kind.version)}`
  return failure('BadRequest', `${shown} cannot be handled as a ${kind.kind}: strict decoding error: ${all.join(', ')}`)
}

/** A typed object is decoded in one pass over its JSON, so errors are in the order of the text. */
function strictInOrder(
  duplicates: readonly string[],
  unknown: readonly string[],
  object: KubeObject,
  isTyped: boolean,
): readonly string[] {
  const all = [...duplicates, ...unknown]
  if (!isTyped || duplicates[0]?.startsWith('yaml:') === true) return [...duplicates, ...[...unknown].sort()]
  const order = new Map<string, number>()
  notePaths(object, '', order)
  const place = (sentence: string) => order.get(JSON.parse(sentence.slice(sentence.indexOf('"'))) as string) ?? 0
  return all.sort((a, b) => place(a) - place(b))
}

function notePaths(value: unknown, path: string, order: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    const here = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    order.set(here, order.size)
    notePaths(member, here, order)
  }
}

function undecodable(
  decoded: Exclude<DecodedBody, { kind: 'value' }>,
  supported: readonly string[],
  kindName: string,
  body: Uint8Array,
): Failure {
  if (decoded.kind === 'unsupported') {
    return failure(
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
    )
  }
  const why = decoded.isYaml ? decoded.message : `couldn't get version/kind; json parse error: ${decoded.message}`
  return failure(
    'BadRequest',
    `the object provided is unrecognized (must be of type ${kindName}): ${why} (${summary(body)})`,
  )
}

const summaryBytes = 30

/** The start of an unreadable body: as text if it looks like an object, otherwise in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>'
  const start = Buffer.from(body.subarray(0, summaryBytes)).toString(body[0] === 0x7b ? 'utf8' : 'hex')
  return body.length > summaryBytes ? `${start} ...` : start
}

export function jsonTypeOf(value: unknown): string {
  return value === null ? 'null' : jsonKind(value)
}

function managerFields(given: string | undefined, request: ApiRequest) {
  return given === undefined ? { fieldManager: managerOf(request), isManagerDerived: true } : { fieldManager: given }
}

/** The default field manager: the name of the client in its user agent. */
function managerOf(request: ApiRequest): string {
  const agent = request.headers['user-agent'] ?? 'unknown'
  const slash = agent.indexOf('/')
  return agent.slice(0, Math.min(slash < 0 ? agent.length : slash, 128))
}
