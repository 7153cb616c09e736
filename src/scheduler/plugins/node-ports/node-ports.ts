import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { type HostPort, ok, skip, unschedulable } from '../../contract/contract.ts'
import { nodePortsWake } from './wake.ts'

const taken = unschedulable("node(s) didn't have free ports for the requested pod ports")

export function createNodePorts(release: KubernetesRelease): ColumnarPlugin<readonly HostPort[], undefined> {
  return defineColumnarPlugin<readonly HostPort[]>({
    name: 'NodePorts',
    withoutPreFilter: 'reading "PreFilterNodePorts" from cycleState: not found',
    preFilter: ({ shape }) => (shape.hostPorts.length === 0 ? skip : { state: shape.hostPorts }),
    filter: (_pod, node, wanted) => (node.portsFree(wanted) ? ok : taken),
    wakeOn: nodePortsWake(release),
    columns: {
      open({ shape }, { table, statuses }) {
        if (shape.hostPorts.length === 0) return undefined
        const status = statuses.idOf('NodePorts', taken)
        return { filterRow: (row) => (table.rows[row]?.portsFree(shape.hostPorts) === true ? 0 : status) }
      },
    },
  })
}
