import type { JsonObject } from '../../api/objects/meta.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { ToolError, UsageError } from '../answer.ts'
import type { InputSchema } from '../input-schema.ts'
import type { Arguments } from '../tool.ts'

/** The nodes of a change: by name, by label, or a zone. */
export const nodeInputs = {
  nodes: {
    type: 'array',
    description: 'Names of nodes.',
    items: { type: 'string', minLength: 1, maxLength: 253 },
    minItems: 1,
    maxItems: 1_000,
  },
  selector: { type: 'string', description: 'Label selector for nodes, as kubectl -l.', minLength: 1, maxLength: 1_000 },
  zone: {
    type: 'string',
    description: 'All nodes with this topology.kubernetes.io/zone.',
    minLength: 1,
    maxLength: 253,
  },
} as const satisfies Readonly<Record<string, InputSchema>>

/** The nodes in the format of a scenario. */
export function writtenNodes(given: Arguments): JsonObject {
  const named = Object.keys(nodeInputs).filter((name) => given[name] !== undefined)
  const [name] = named
  if (name === undefined || named.length > 1)
    throw new UsageError('exactly one of nodes, selector and zone is required')
  return { [name]: given[name] as never }
}

/** `KIND/NAMESPACE/NAME`, the format of a scenario. */
export function writtenTarget(kind: Kind, name: string, namespace: string | undefined): string {
  for (const part of [name, namespace ?? ''])
    if (part.includes('/')) throw new ToolError(`invalid name ${JSON.stringify(part)}: must not contain /`)
  return kind.namespaced ? `${kind.resource}/${namespace ?? 'default'}/${name}` : `${kind.resource}/${name}`
}
