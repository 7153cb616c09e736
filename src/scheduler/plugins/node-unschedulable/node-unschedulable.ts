import type { Taint } from '../../../api/objects/node.ts'
import { isTolerated } from '../../../api/tolerations.ts'
import { taintKeys } from '../../../api/well-known.ts'
import { memoFilter } from '../../columns/memo.ts'
import { definePlugin, ok, type Plugin, unresolvable } from '../../contract/contract.ts'
import { nodeUnschedulableWake } from './wake.ts'

const cordon: Taint = { key: taintKeys.unschedulable, effect: 'NoSchedule' }
const cordoned = unresolvable('node(s) were unschedulable')

/** Cordoned nodes take only pods that tolerate the taint that goes with a cordon, whether or not it is there. */
export const nodeUnschedulable: Plugin<undefined, undefined> = definePlugin({
  name: 'NodeUnschedulable',
  filter({ pod }, { node }) {
    if (node.spec?.unschedulable !== true) return ok
    return isTolerated(cordon, pod.spec.tolerations) ? ok : cordoned
  },
  wakeOn: nodeUnschedulableWake,
  columns: {
    open: (pod, sources) => ({
      filterRow: memoFilter(nodeUnschedulable, pod, undefined, sources, (row) => sources.table.taintIds[row] as number),
    }),
  },
})
