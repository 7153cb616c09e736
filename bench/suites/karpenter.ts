import { writeFileSync } from 'node:fs'
import { karpenterDefinitions } from '../../src/autoscalers/karpenter/definitions.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'
import { type Plot, svgPlot } from '../svg-plot.ts'
import { karpenterObjects, karpenterOf } from '../workloads/karpenter-cluster.ts'
import { answerAlone, silence } from './whatif.ts'

const podsPerNode = 20
const aimSeconds = 10
const aimNodes = 1_000

/** `npm run bench -- karpenter [--full]` */
export const suite: Suite = {
  name: 'karpenter',
  summary:
    'the hour after a zone becomes silent, with Karpenter: 1,000 nodes and 20,000 pods; --full up to 5,000 nodes',
  run: async (context) => {
    const sizes = context.full ? [250, 500, aimNodes, 2_000, 5_000] : [250, aimNodes]
    const rows = sizes.map((nodes) => measured(context, nodes))
    context.table('an hour after a silent zone, with Karpenter', ['nodes', 'pods', 's of CPU', 'answer'], rows)
    if (context.full) writeFileSync('bench/plots/karpenter.svg', svgPlot(growthPlot(context, rows)))
  },
}

function growthPlot(
  { machine, commit }: BenchContext,
  rows: readonly (readonly [nodes: number, pods: number, seconds: number, answer: string])[],
): Plot {
  return {
    title: 'The hour after a silent zone, with Karpenter',
    x: 'nodes, 20 pods on each',
    y: 's of processor time',
    lines: [{ name: 'one hour', points: rows.map(([nodes, , seconds]) => ({ x: nodes, y: seconds })) }],
    note: `${commit.replace(/-dirty$/, '')}, ${machine.cores} × ${machine.cpu}, Node ${machine.node}`,
  }
}

function measured(context: BenchContext, nodes: number): readonly [number, number, number, string] {
  const pods = nodes * podsPerNode
  const objects = [...karpenterDefinitions, ...karpenterObjects(nodes, pods)]
  const found = findCluster({ objects })
  const before = process.cpuUsage()
  const { progress } = context
  const { lines } = answerAlone(found, silence, { autoscaling: { karpenter: karpenterOf() }, progress })
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  context.progress(`${nodes} nodes: ${formatNumber(seconds)} s of CPU, ${lines[0] ?? ''}`)
  const aim = nodes === aimNodes ? { aim: aimSeconds } : {}
  context.record({ name: `an hour after a silent zone, ${nodes} nodes`, value: seconds, unit: 's of CPU', ...aim })
  return [nodes, pods, seconds, lines[0] ?? '']
}
