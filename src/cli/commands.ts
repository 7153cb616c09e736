import type { CommandEntry } from './command.ts'

/** Every command, in the order `berth --help` shows them. A command is loaded when it is called or asked about. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'A living cluster in one command: API server, control plane and hollow nodes',
    load: () => import('./commands/up.ts'),
  },
  {
    name: 'down',
    summary: 'Stop the cluster that berth up started; its data stays',
    load: () => import('./commands/down.ts'),
  },
  { name: 'reset', summary: 'Stop the cluster and forget everything in it', load: () => import('./commands/reset.ts') },
  {
    name: 'status',
    summary: 'Whether the cluster of berth up runs, where, and what is in it',
    load: () => import('./commands/status.ts'),
  },
  { name: 'node', summary: 'Make hollow nodes go wrong, and well again', load: () => import('./commands/node.ts') },
  {
    name: 'whatif',
    summary: 'Ask what a cluster would do, before it does',
    load: () => import('./commands/whatif.ts'),
  },
  { name: 'simulate', summary: 'Play a scenario in virtual time', load: () => import('./commands/simulate.ts') },
  { name: 'diff', summary: 'Compare two forecasts', load: () => import('./commands/diff.ts') },
  {
    name: 'snapshot',
    summary: 'Read a cluster into a file, to ask questions of',
    load: () => import('./commands/snapshot.ts'),
  },
  {
    name: 'explain',
    summary: 'Why a pod is pending, what would help, what will wake it, when it will be evicted',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'queue',
    summary: 'The scheduling queue: where each pending pod is, why, and what will wake it',
    load: () => import('./commands/queue.ts'),
  },
  {
    name: 'evictions',
    summary: 'Who will be evicted by a NoExecute taint, when and why',
    load: () => import('./commands/evictions.ts'),
  },
  {
    name: 'cidrs',
    summary: 'The blocks that nodes have for their pods: who holds what, what is left, and until when',
    load: () => import('./commands/cidrs.ts'),
  },
  {
    name: 'run',
    summary: "Run berth's scheduler and controllers on a real cluster",
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'apiserver',
    summary: 'A Kubernetes API server alone, for tests of controllers and for tools',
    load: () => import('./commands/apiserver.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  { name: 'version', summary: 'Print the version of berth', load: () => import('./commands/version.ts') },
]
