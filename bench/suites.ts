import type { SuiteEntry } from './suite.ts'

/** Every suite, in the order `npm run bench` runs them. A suite is a file in this folder that exports `suite`. */
export const suites: readonly SuiteEntry[] = [
  {
    name: 'base',
    summary: 'indexed heap, random streams and virtual clock beside plain JavaScript',
    load: () => import('./base.ts'),
  },
  {
    name: 'apiserver',
    summary: 'creates, reads, lists and watches over HTTPS, durable; time to ready; memory',
    load: () => import('./suites/apiserver.ts'),
  },
  {
    name: 'store',
    summary: 'writes in memory and on disk, watch fan-out, and the fork of a large cluster',
    load: () => import('./suites/store.ts'),
  },
]
