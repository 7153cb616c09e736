import type { CommandEntry } from './command.ts'

/** Every command, in the order `berth --help` shows them. A command is loaded when it is called or asked about. */
export const commands: readonly CommandEntry[] = [
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
