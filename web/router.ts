import { computed, signal } from '@preact/signals'

export type Route =
  | { readonly page: 'map' | 'pods' | 'queue' | 'evictions' | 'addresses' | 'time' }
  | { readonly page: 'node'; readonly name: string }
  | { readonly page: 'pod'; readonly key: string }
  | { readonly page: 'nowhere'; readonly path: string }

const path = signal(location.hash.slice(1))

addEventListener('hashchange', () => {
  path.value = location.hash.slice(1)
})

export const route = computed<Route>(() => parseRoute(path.value))

export function parseRoute(text: string): Route {
  const [first = '', ...rest] = text
    .replace(/\?.*$/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decodeURIComponent(part))
  switch (first) {
    case '':
    case 'map':
      return { page: 'map' }
    case 'pods':
      if (rest.length === 0) return { page: 'pods' }
      return rest.length === 2 ? { page: 'pod', key: rest.join('/') } : { page: 'nowhere', path: text }
    case 'nodes':
      return rest[0] === undefined ? { page: 'map' } : { page: 'node', name: rest[0] }
    case 'queue':
    case 'evictions':
    case 'addresses':
    case 'time':
      return { page: first }
    default:
      return { page: 'nowhere', path: text }
  }
}

/** What follows the question mark of the hash. */
export const routeQuery = computed(() => new URLSearchParams(path.value.split('?')[1] ?? ''))

export const nodeHref = (name: string) => `#/nodes/${encodeURIComponent(name)}`

export const podHref = (key: string) => `#/pods/${key.split('/').map(encodeURIComponent).join('/')}`

export function go(href: string): void {
  location.hash = href.slice(1)
}
