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
    name: 'registry',
    summary: 'the cost of one write in the process: create, bind, status, event, delete',
    load: () => import('./suites/registry.ts'),
  },
  {
    name: 'store',
    summary: 'writes in memory and on disk, watch fan-out, and the fork of a large cluster',
    load: () => import('./suites/store.ts'),
  },
  {
    name: 'node-lifecycle',
    summary: 'a zone of a large cluster becomes silent: virtual hours per second, and the cost of one monitor pass',
    load: () => import('./suites/node-lifecycle.ts'),
  },
  {
    name: 'node-ipam',
    summary:
      '15,000 nodes on a /8 with /24s: the cost of a block as the range fills up, and of a start with all of them',
    load: () => import('./suites/node-ipam.ts'),
  },
  {
    name: 'scheduler',
    summary: "upstream's scheduler_perf workloads on the embedded control plane, with real binding",
    load: () => import('./suites/scheduler.ts'),
  },
  {
    name: 'scheduler-core',
    summary: 'the scheduling cycle alone, without store, registry and events, at growing numbers of nodes',
    load: () => import('./suites/scheduler-core.ts'),
  },
  {
    name: 'whatif',
    summary: 'a snapshot of a large cluster: loading it, the answer to a taint, the hour after a zone becomes silent',
    load: () => import('./suites/whatif.ts'),
  },
  {
    name: 'karpenter',
    summary:
      'the hour after a zone becomes silent, with Karpenter: 1,000 nodes and 20,000 pods; --full up to 5,000 nodes',
    load: () => import('./suites/karpenter.ts'),
  },
  {
    name: 'search',
    summary:
      'berth search: forecasts of the hour after a node fails per minute, and all pairs of failures of 100 nodes',
    load: () => import('./suites/search.ts'),
  },
  {
    name: 'cluster',
    summary: 'berth up: a large deployment until all pods run, memory per node and pod, CPU at rest',
    load: () => import('./suites/cluster.ts'),
  },
  {
    name: 'growth',
    summary: 'how cost grows: scheduler by nodes, API server by objects, what-if by pods; with plots',
    load: () => import('./suites/growth.ts'),
  },
  {
    name: 'cluster-api',
    summary: 'kube-scheduler and berth on the same kube-apiserver and etcd: pods/s and CPU per bound pod',
    load: () => import('./suites/cluster-api.ts'),
  },
]
