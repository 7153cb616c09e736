import type { ComponentChildren } from 'preact'
import { Search } from './controls.tsx'

/** The line above a table or a map with a text to filter by, and more filters. */
export function FilterLine(props: {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children?: ComponentChildren
}) {
  const { children, ...search } = props
  return (
    <div class="filter-line">
      <Search {...search} />
      {children}
    </div>
  )
}
