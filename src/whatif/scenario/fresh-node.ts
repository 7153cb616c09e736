import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import { labels, taintKeys } from '../../api/well-known.ts'

const OWN_TAINTS: ReadonlySet<string> = new Set(Object.values(taintKeys))

/** A new node of the same kind as another: its labels, its own taints and its size, and nothing of its history. */
export function freshNode(like: Node, name: string): KubeObject {
  const { metadata, spec, status } = like
  const taints = (spec?.taints ?? []).filter(({ key }: Taint) => !OWN_TAINTS.has(key))
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...metadata.labels, [labels.hostname]: name } },
    spec: taints.length === 0 ? {} : { taints },
    status: {
      ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
      ...(status?.allocatable === undefined ? {} : { allocatable: status.allocatable }),
    },
  } as KubeObject
}
