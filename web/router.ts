import { computed, signal } from '@preact/signals'
import { type PageRoute, parseRoute } from './parse-route.ts'

const path = signal(location.hash.slice(1))

addEventListener('hashchange', () => {
  path.value = location.hash.slice(1)
})

export const route = computed<PageRoute>(() => parseRoute(path.value))

/** The part of the hash after the question mark. */
export const routeQuery = computed(() => new URLSearchParams(path.value.split('?')[1] ?? ''))

export const nodeHref = (name: string) => `#/nodes/${encodeURIComponent(name)}`

export const podHref = (key: string) => `#/pods/${key.split('/').map(encodeURIComponent).join('/')}`

export function go(href: string): void {
  location.hash = href.slice(1)
}
