import { signal } from '@preact/signals'

/** The nodes that are selected on the map; What if can use them. */
export const selection = signal<ReadonlySet<string>>(new Set())

export function clearSelection(): void {
  selection.value = new Set()
}
