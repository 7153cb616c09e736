import type { ListPage } from './parse-route.ts'

export interface ListedPage {
  readonly page: ListPage
  /** In addresses. */
  readonly path: string
  readonly title: string
  /** After `g`. */
  readonly key: string
}

/** The pages of the navigation, in order. */
export const pageList: readonly ListedPage[] = [
  { page: 'home', path: '/', title: 'Cluster', key: 'm' },
  { page: 'nodes', path: '/nodes', title: 'Nodes', key: 'n' },
  { page: 'workloads', path: '/workloads', title: 'Workloads', key: 'w' },
  { page: 'budgets', path: '/budgets', title: 'Budgets', key: 'b' },
  { page: 'pods', path: '/pods', title: 'Pods', key: 'p' },
  { page: 'queue', path: '/queue', title: 'Queue', key: 'q' },
  { page: 'evictions', path: '/evictions', title: 'Evictions', key: 'e' },
  { page: 'devices', path: '/devices', title: 'Devices', key: 'd' },
  { page: 'addresses', path: '/addresses', title: 'Addresses', key: 'a' },
  { page: 'what-if', path: '/what-if', title: 'What if', key: 'i' },
  { page: 'search', path: '/search', title: 'Search', key: 's' },
  { page: 'time', path: '/time', title: 'Time', key: 't' },
]
