export type ListPage =
  | 'home'
  | 'nodes'
  | 'workloads'
  | 'budgets'
  | 'pods'
  | 'queue'
  | 'evictions'
  | 'devices'
  | 'addresses'
  | 'what-if'
  | 'search'
  | 'time'

export type PageRoute =
  | { readonly page: ListPage }
  | { readonly page: 'node'; readonly name: string }
  | { readonly page: 'pod'; readonly key: string }
  | { readonly page: 'workload'; readonly key: string }
  | { readonly page: 'nowhere'; readonly path: string }

const listPages: ReadonlySet<string> = new Set<ListPage>([
  'nodes',
  'workloads',
  'budgets',
  'pods',
  'queue',
  'evictions',
  'devices',
  'addresses',
  'what-if',
  'search',
  'time',
])

/** Valid names of nodes, pods and namespaces. Others are never requested. */
const isName = (text: string | undefined): text is string =>
  text !== undefined &&
  text.length <= 253 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)

const isKind = (text: string | undefined): text is string => text !== undefined && /^[A-Z][A-Za-z]{1,60}$/.test(text)

/** The page of an address, which is untrusted input; unknown pages are `nowhere`. */
export function parseRoute(text: string): PageRoute {
  const nowhere: PageRoute = { page: 'nowhere', path: text }
  const parts = text
    .replace(/\?.*$/s, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  if (parts.includes(undefined)) return nowhere
  const [first = '', second, third, fourth, ...more] = parts
  if (more.length > 0) return nowhere
  if (second === undefined) {
    if (first === '' || first === 'map') return { page: 'home' }
    return listPages.has(first) ? { page: first as ListPage } : nowhere
  }
  if (first === 'nodes' && third === undefined && isName(second)) return { page: 'node', name: second }
  if (!isName(second)) return nowhere
  if (first === 'pods' && isName(third) && fourth === undefined) return { page: 'pod', key: `${second}/${third}` }
  if (first === 'workloads' && isKind(third) && isName(fourth))
    return { page: 'workload', key: `${second}/${third}/${fourth}` }
  return nowhere
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
