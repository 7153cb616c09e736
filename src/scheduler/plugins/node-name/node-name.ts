import { defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { ok, unresolvable } from '../../contract/contract.ts'
import { nodeNameWake } from './wake.ts'

const otherNode = unresolvable("node(s) didn't match the requested node name")

export const nodeName = defineColumnarPlugin({
  name: 'NodeName',
  filter({ pod }, { name }) {
    const wanted = pod.spec.nodeName ?? ''
    return wanted === '' || wanted === name ? ok : otherNode
  },
  wakeOn: nodeNameWake,
  // Queued pods have no node name. A pod with one is evaluated on a single node.
  columns: { open: ({ pod }) => ((pod.spec.nodeName ?? '') === '' ? undefined : 'plain') },
})
