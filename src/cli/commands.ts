import type { CommandEntry } from './command.ts'

/** All commands, in the order of `berth --help`. A command is loaded only when it runs or prints its help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Start a cluster: API server, control plane and hollow nodes',
    load: () => import('./commands/up.ts'),
  },
  {
    name: 'down',
    summary: 'Stop the cluster that berth up started and keep its data',
    load: () => import('./commands/down.ts'),
  },
  { name: 'reset', summary: 'Stop the cluster and delete its data', load: () => import('./commands/reset.ts') },
  {
    name: 'status',
    summary: 'Show the address, the state and the contents of the cluster that berth up started',
    load: () => import('./commands/status.ts'),
  },
  { name: 'node', summary: 'Inject or clear failures on hollow nodes', load: () => import('./commands/node.ts') },
  {
    name: 'whatif',
    summary: 'Forecast what a cluster does after a change',
    load: () => import('./commands/whatif.ts'),
  },
  { name: 'simulate', summary: 'Run a scenario in virtual time', load: () => import('./commands/simulate.ts') },
  {
    name: 'search',
    summary: 'Search for the smallest failure that breaks an expectation',
    load: () => import('./commands/search.ts'),
  },
  { name: 'diff', summary: 'Compare two forecasts', load: () => import('./commands/diff.ts') },
  {
    name: 'snapshot',
    summary: 'Save a cluster to a file for later forecasts',
    load: () => import('./commands/snapshot.ts'),
  },
  {
    name: 'explain',
    summary: 'Explain why a pod is pending, what would place it, and when it is retried or evicted',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'lint',
    summary: 'Find problems in disruption budgets, workloads, tolerations and priorities, and suggest fixes',
    load: () => import('./commands/lint.ts'),
  },
  {
    name: 'capacity',
    summary: 'Show how many more pods fit, which nodes can be removed, how many nodes are needed, and how much is free',
    load: () => import('./commands/capacity.ts'),
  },
  {
    name: 'queue',
    summary: 'List pending pods with their queue, the reason and the events that requeue them',
    load: () => import('./commands/queue.ts'),
  },
  {
    name: 'evictions',
    summary: 'List the pods that NoExecute taints of nodes and devices will evict, with time and reason',
    load: () => import('./commands/evictions.ts'),
  },
  {
    name: 'cidrs',
    summary: 'Show the pod CIDRs of nodes, how many are free, and when the range is exhausted',
    load: () => import('./commands/cidrs.ts'),
  },
  {
    name: 'devices',
    summary: 'Show the devices of dynamic resource allocation: pools, holders, and free devices',
    load: () => import('./commands/devices.ts'),
  },
  {
    name: 'console',
    summary: 'Serve the console on a snapshot or a dump, read-only',
    load: () => import('./commands/console.ts'),
  },
  {
    name: 'report',
    summary: 'Write the state of a cluster and the console to one HTML file',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve disposable forks of a cluster to AI agents over the Model Context Protocol',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'run',
    summary: "Run berth's scheduler and controllers on a real cluster",
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'apiserver',
    summary: 'Run only the Kubernetes API server, for tests of controllers and for tools',
    load: () => import('./commands/apiserver.ts'),
  },
  {
    name: 'envtest',
    summary: 'Print the directory with kube-apiserver, etcd and kubectl for envtest',
    load: () => import('./commands/envtest.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  { name: 'version', summary: 'Print the version of berth', load: () => import('./commands/version.ts') },
]
