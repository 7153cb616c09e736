import { computed, signal } from '@preact/signals'
import { type PageRoute, parseRoute } from './parse-route.ts'

const path = signal(location.hash.slice(1))
/** The last state of each page, to which the navigation returns. */
const visited = new Map<string, string>()

function arrive(): void {
  path.value = location.hash.slice(1)
  remember()
}

function remember(): void {
  const [page = ''] = path.value.split('?')
  visited.set(page, path.value)
}

addEventListener('hashchange', arrive)

export const route = computed<PageRoute>(() => parseRoute(path.value))

/** The part of the hash after the question mark. */
export const routeQuery = computed(() => new URLSearchParams(path.value.split('?')[1] ?? ''))

/** The address of a page with its last state. */
export const pageHref = (page: string) => `#${visited.get(page) ?? page}`

export const nodeHref = (name: string) => `#/nodes/${encodeURIComponent(name)}`

export const podHref = (key: string) => `#/pods/${key.split('/').map(encodeURIComponent).join('/')}`

export const workloadHref = (key: string) => `#/workloads/${key.split('/').map(encodeURIComponent).join('/')}`

export function go(href: string): void {
  location.hash = href.slice(1)
}

export interface QueryState<Value extends string> {
  value: Value
}

/**
 * State of a page that is part of its address, so that every view can be linked to. Changing it replaces the address and
 * adds no entry to the history of the browser.
 */
export function queryState<Value extends string = string>(name: string, fallback: NoInfer<Value>): QueryState<Value> {
  return {
    get value() {
      return (routeQuery.value.get(name) as Value | null) ?? fallback
    },
    set value(next: Value) {
      const query = new URLSearchParams(routeQuery.peek())
      if (next === fallback) query.delete(name)
      else query.set(name, next)
      const [page = ''] = path.peek().split('?')
      const text = query.toString()
      path.value = `${page}${text === '' ? '' : `?${text}`}`
      history.replaceState(null, '', `#${path.value}`)
      remember()
    },
  }
}
