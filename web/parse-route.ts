export type PageRoute =
  | { readonly page: 'map' | 'pods' | 'queue' | 'evictions' | 'addresses' | 'time' }
  | { readonly page: 'node'; readonly name: string }
  | { readonly page: 'pod'; readonly key: string }
  | { readonly page: 'nowhere'; readonly path: string }

/** Valid names of nodes, pods and namespaces. Others are never requested. */
const isName = (text: string | undefined): text is string =>
  text !== undefined &&
  text.length <= 253 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)

/** The page of an address, which is untrusted input; unknown pages are `nowhere`. */
export function parseRoute(text: string): PageRoute {
  const nowhere: PageRoute = { page: 'nowhere', path: text }
  const parts = text
    .replace(/\?.*$/s, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  if (parts.includes(undefined)) return nowhere
  const [first = '', name, inner, ...more] = parts
  if (more.length > 0) return nowhere
  switch (first) {
    case '':
    case 'map':
      return name === undefined ? { page: 'map' } : nowhere
    case 'pods':
      if (name === undefined) return { page: 'pods' }
      return isName(name) && isName(inner) ? { page: 'pod', key: `${name}/${inner}` } : nowhere
    case 'nodes':
      if (name === undefined) return { page: 'map' }
      return isName(name) && inner === undefined ? { page: 'node', name } : nowhere
    case 'queue':
    case 'evictions':
    case 'addresses':
    case 'time':
      return name === undefined ? { page: first } : nowhere
    default:
      return nowhere
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
