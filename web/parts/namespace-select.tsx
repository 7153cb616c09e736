import { bound } from './controls.tsx'
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
