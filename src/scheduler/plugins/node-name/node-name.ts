import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { ok, type ParsedPod, skip, unresolvable } from '../../contract/contract.ts'
import { nodeNameWake } from './wake.ts'

const otherNode = unresolvable("node(s) didn't match the requested node name")

export function createNodeName({ changes }: KubernetesRelease): ColumnarPlugin {
  return defineColumnarPlugin({
    name: 'NodeName',
    ...(changes.has('NodeNameNarrows') ? { preFilter: narrow } : {}),
    filter({ pod }, { name }) {
      const wanted = pod.spec.nodeName ?? ''
      return wanted === '' || wanted === name ? ok : otherNode
    },
    wakeOn: nodeNameWake,
    // Queued pods have no node name. A pod with one is evaluated on a single node.
    columns: { open: ({ pod }) => ((pod.spec.nodeName ?? '') === '' ? undefined : 'plain') },
  }) as ColumnarPlugin
}

function narrow({ pod }: ParsedPod) {
  const name = pod.spec.nodeName ?? ''
  return name === '' ? skip : { state: undefined, nodes: new Set([name]) }
}
