import { selection } from '../model/selection.ts'

/** A longer address is cut by some programs, so the selection is used instead. */
const mostLetters = 3_000

/** The address of the page What if, with a prepared question. */
export function whatIfHref(kind: string, nodes: readonly string[]): string {
  const names = nodes.join(',')
  if (names.length > mostLetters && nodes.every((node) => selection.value.has(node)))
    return `#/what-if?${new URLSearchParams({ ask: kind, nodes: 'selected' })}`
  return `#/what-if?${new URLSearchParams({ ask: kind, nodes: names })}`
}

/** The same for the failure of a device, named DRIVER/POOL/DEVICE. */
export const deviceFailureHref = (device: string): string =>
  `#/what-if?${new URLSearchParams({ ask: 'fail', a0: 'device', a1: device })}`
