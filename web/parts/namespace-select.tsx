import { bound, Search } from './controls.tsx'
import { Select } from './select.tsx'

/** The namespaces of some rows, in order. */
export const namespacesOf = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()

export function NamespaceSelect(props: { readonly state: { value: string }; readonly names: readonly string[] }) {
  return (
    <Select
      label="Namespace"
      options={[{ value: '', text: 'all' }, ...props.names.map((value) => ({ value, text: value }))]}
      {...bound(props.state)}
    />
  )
}

/** Whether rows of a namespace are shown; an empty choice is all namespaces. */
export const isShownIn = (chosen: { readonly value: string }, namespace: string): boolean =>
  chosen.value === '' || namespace === chosen.value

/** The filters by name and namespace of a list. */
export function NameFilters(props: {
  readonly label: string
  readonly search: { value: string }
  readonly namespace: { value: string }
  readonly names: Iterable<string>
}) {
  return (
    <>
      <Search label={props.label} placeholder="Part of a name" {...bound(props.search)} />
      <NamespaceSelect state={props.namespace} names={namespacesOf(props.names)} />
    </>
  )
}
