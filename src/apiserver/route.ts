import type { Verb } from '../api/call.ts'
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import { lookupTable } from '../base/lookup-table.ts'

/** A parsed path of the Kubernetes API. `group` is empty for the core group. */
export interface ResourceRoute {
  readonly kind: 'resource'
  /** The verb for authorization. It depends on the method only, and the path may not support it. */
  readonly verb: string
  /** The operation of the method on a path of this form. Absent: 405. */
  readonly action: Verb | undefined
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
  /** The path after the subresource (`proxy/…`, `exec`). */
  readonly rest: string | undefined
  /** The deprecated forms /api/v1/watch/… and /api/v1/proxy/…, of which only `watch` is still served. */
  readonly prefix: 'watch' | 'proxy' | undefined
  /** The namespace for authorization; for a Namespace itself, its name. */
  readonly scope: string | undefined
  /** The name for authorization: a list that selects one name is a request for that name. */
  readonly selectedName: string | undefined
}

export type Route =
  | ResourceRoute
  /** Discovery of one group version, of a group, or of all groups. */
  | { readonly kind: 'discovery'; readonly group?: string; readonly version?: string; readonly root: 'api' | 'apis' }
  | { readonly kind: 'other'; readonly path: string }
  /** `/api/v1/watch` without a resource. */
  | { readonly kind: 'incomplete' }

const methodVerbs = lookupTable<string>({
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
})
const collectionActions = lookupTable<Verb>({ GET: 'list', POST: 'create', DELETE: 'deletecollection' })
const objectActions = lookupTable<Verb>({ GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' })
const subresourceActions = lookupTable<Verb>({
  ...{ GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  POST: 'create',
})

/** The grammar of kube-apiserver's paths (apiserver pkg/endpoints/request, RequestInfoFactory). */
export function parseRoute(method: string, path: string, query: URLSearchParams): Route {
  const parts = partsOf(path)
  if (parts[0] === 'api') {
    if (parts.length === 1) return { kind: 'discovery', root: 'api' }
    if (parts.length === 2) return { kind: 'discovery', root: 'api', group: '', version: parts[1]! }
    return parseResource(method, '', parts[1]!, parts.slice(2), query)
  }
  if (parts[0] === 'apis') {
    if (parts.length === 1) return { kind: 'discovery', root: 'apis' }
    if (parts.length === 2) return { kind: 'discovery', root: 'apis', group: parts[1]! }
    if (parts.length === 3) return { kind: 'discovery', root: 'apis', group: parts[1]!, version: parts[2]! }
    return parseResource(method, parts[1]!, parts[2]!, parts.slice(3), query)
  }
  return { kind: 'other', path }
}

/** The parts of a path between slashes, without leading and trailing slashes. V8 takes longer for `split`. */
function partsOf(path: string): readonly string[] {
  let start = 0
  let end = path.length
  while (path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--
  const parts: string[] = []
  for (let slash = path.indexOf('/', start); slash >= 0 && slash < end; slash = path.indexOf('/', start)) {
    parts.push(path.slice(start, slash))
    start = slash + 1
  }
  parts.push(path.slice(start, end))
  return parts
}

function parseResource(
  method: string,
  group: string,
  version: string,
  given: readonly string[],
  query: URLSearchParams,
): Route {
  let parts = given
  // The deprecated form /api/v1/watch/…, which upstream still serves. /api/v1/proxy/… is no longer served, but rights
  // for it exist.
  const prefix = parts[0] === 'watch' || parts[0] === 'proxy' ? parts[0] : undefined
  if (prefix !== undefined) {
    if (parts.length === 1) return { kind: 'incomplete' }
    parts = parts.slice(1)
  }
  const scope = parts[0] === 'namespaces' && parts.length > 1 ? parts[1]! : ''
  let namespace: string | undefined
  if (parts[0] === 'namespaces' && parts.length > 2 && !isNamespaceSubresource(parts[2]!)) {
    namespace = parts[1]!
    parts = parts.slice(2)
  }
  const [plural, name, subresource] = parts
  const isList = prefix === undefined && (name ?? '') === '' && methodVerbs[method] === 'get'
  const listed = isList ? listedBy(query) : undefined
  const action = actionOf(method, prefix, parts.length, listed?.isWatch === true)
  return {
    kind: 'resource',
    verb: prefix ?? listed?.verb ?? verbOf(method, name),
    action,
    group,
    version,
    plural: plural!,
    namespace,
    name,
    subresource: prefix === 'proxy' ? undefined : subresource,
    rest: parts.length > 3 ? parts.slice(3).join('/') : undefined,
    prefix,
    scope: scope === '' ? undefined : scope,
    selectedName: listed?.name,
  }
}

function verbOf(method: string, name: string | undefined): string {
  const verb = methodVerbs[method] ?? ''
  return verb === 'delete' && (name ?? '') === '' ? 'deletecollection' : verb
}

function actionOf(method: string, prefix: string | undefined, length: number, isWatch: boolean): Verb | undefined {
  if (prefix === 'watch') return method === 'GET' && length <= 2 ? 'watch' : undefined
  if (length === 1) return isWatch && method === 'GET' ? 'watch' : collectionActions[method]
  return (length === 2 ? objectActions : subresourceActions)[method]
}

/** `namespaces/shop/status` is the namespace's status; `namespaces/shop/pods` are pods. */
const isNamespaceSubresource = (part: string) => part === 'status' || part === 'finalize'

/** The verb of a GET without a name: a list or a watch, which may select one name. Invalid options select nothing. */
function listedBy(query: URLSearchParams): {
  readonly verb: 'list' | 'watch'
  readonly isWatch: boolean
  readonly name?: string
} {
  if (query.size === 0) return plainList
  const watching = query.get('watch')
  const isWatch = watching !== null && truth(watching)
  const name = selectedName(query)
  return { verb: isWatch ? 'watch' : 'list', isWatch, ...(name === undefined ? {} : { name }) }
}

const plainList = { verb: 'list', isWatch: false } as const

function selectedName(query: URLSearchParams): string | undefined {
  const fields = query.get('fieldSelector') ?? ''
  if (!fields.includes('metadata.name')) return undefined
  const selector = parseFieldSelector(fields)
  if (!selector.ok || !parseLabelSelector(query.get('labelSelector') ?? '').ok) return undefined
  for (const number of ['timeoutSeconds', 'limit']) {
    const text = query.get(number)
    if (text !== null && !/^[+-]?\d{1,18}$/.test(text)) return undefined
  }
  const exact = selector.value.requirements.find(
    ({ field, operator }) => field === 'metadata.name' && operator === '=',
  )?.value
  return exact === undefined || exact === '' || exact === '.' || exact === '..' || /[/%]/.test(exact)
    ? undefined
    : exact
}

/**
 * Every value except "0" and "false" is true, including the empty one (apimachinery runtime,
 * Convert_Slice_string_To_bool).
 */
export const truth = (value: string): boolean => value !== '0' && value.toLowerCase() !== 'false'
