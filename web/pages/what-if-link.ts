import type { ConsoleAction } from '../../src/wire/console-wire.ts'

/** The page that asks what would happen, with the question filled in. */
export function whatIfHref(kind: ConsoleAction['kind'], nodes: readonly string[]): string {
  return `#/time?${new URLSearchParams({ ask: kind, nodes: nodes.join(',') })}`
}
