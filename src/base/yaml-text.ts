import { dump, visit } from 'js-yaml'
import { dumpSchema } from './yaml.ts'

/** YAML in the format of kubectl: sorted keys, no indentation of sequences, no line wrapping. */
export function dumpYaml(value: unknown, order: 'sorted' | 'given' = 'sorted'): string {
  return dump(withoutUndefined(value), {
    schema: dumpSchema,
    noRefs: true,
    seqNoIndent: true,
    lineWidth: -1,
    transform: (documents) =>
      visit(documents, (node) => {
        if (node.kind !== 'mapping' || order === 'given') return
        const nameOf = (item: (typeof node.items)[number]) => (item.key.kind === 'scalar' ? item.key.value : '')
        node.items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0))
      }),
  })
}

function withoutUndefined(value: unknown): unknown {
  if (value === undefined) return null
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, withoutUndefined(member)]),
  )
}
