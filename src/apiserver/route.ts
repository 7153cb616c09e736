import type { Verb } from '../api/call.ts'
import { lookupTable } from '../base/lookup-table.ts'

/** A path of the Kubernetes API, taken apart. `group` is empty for the core group. */
export interface ResourceRoute {
  readonly kind: 'resource'
  readonly verb: Verb
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  /** What follows the subresource (`proxy/…`, `exec`). */
  readonly rest?: string
}

export type Route =
  | ResourceRoute
  /** Discovery of one group version, or of a group, or of all. */
  | { readonly kind: 'discovery'; readonly group?: string; readonly version?: string; readonly root: 'api' | 'apis' }
  | { readonly kind: 'other'; readonly path: string }
  | { readonly kind: 'method-not-allowed' }

const collectionVerbs = lookupTable<Verb>({
  GET: 'list',
  HEAD: 'list',
  POST: 'create',
  DELETE: 'deletecollection',
})
const objectVerbs = lookupTable<Verb>({
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
})

/** The grammar of kube-apiserver's paths (apiserver pkg/endpoints/request, RequestInfoFactory). */
export function parseRoute(method: string, path: string, query: URLSearchParams): Route {
  const parts = path.split('/').filter((part) => part !== '')
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

function parseResource(
  method: string,
  group: string,
  version: string,
  given: readonly string[],
  query: URLSearchParams,
): Route {
  let parts = given
  let watching = isTrue(query.get('watch'))
  // The deprecated form /api/v1/watch/…: still served upstream.
  if (parts[0] === 'watch' && parts.length > 1) {
    parts = parts.slice(1)
    watching = true
  }
  let namespace: string | undefined
  if (parts[0] === 'namespaces' && parts.length > 2 && !isNamespaceSubresource(parts[2]!)) {
    namespace = parts[1]!
    parts = parts.slice(2)
  }
  const [plural, name, subresource, ...rest] = parts
  const verb = verbOf(method, name, watching)
  if (verb === undefined) return { kind: 'method-not-allowed' }
  return {
    kind: 'resource',
    verb,
    group,
    version,
    plural: plural!,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(rest.length === 0 ? {} : { rest: rest.join('/') }),
  }
}

/** `namespaces/shop/status` is the namespace's status; `namespaces/shop/pods` are pods. */
const isNamespaceSubresource = (part: string) => part === 'status' || part === 'finalize'

function verbOf(method: string, name: string | undefined, watching: boolean): Verb | undefined {
  const verb = (name === undefined ? collectionVerbs : objectVerbs)[method]
  if (watching && (verb === 'list' || verb === 'get')) return 'watch'
  return verb
}

/** Go's strconv.ParseBool, as far as query strings use it; a bare `?watch` is true upstream. */
export function isTrue(value: string | null): boolean {
  return value !== null && !['0', 'f', 'F', 'false', 'False', 'FALSE'].includes(value)
}
