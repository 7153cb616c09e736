import type { DisruptionExplanation, NodeDisruption, Removal } from '../whatif/explain/explain-disruption.ts'
import type { NodeScaleDown } from '../whatif/explain/explain-scale-down.ts'
import { fitList, usualWidth } from '../whatif/report/fitted-text.ts'
import { counted } from '../whatif/report/phrases.ts'
import { shortNames } from '../whatif/report/short-names.ts'
import { type OutputFormat, plainPalette, renderTable } from './output.ts'

/** The removals of Karpenter: the sum, each command, and the other nodes grouped by the reason that keeps them. */
export function consolidationText(
  explanation: DisruptionExplanation,
  output: OutputFormat,
  width: number = usualWidth,
): string {
  const { removals, nodes } = explanation
  const lines = [summaryOf(explanation), ...removals.flatMap((removal) => commandText(removal, explanation, width))]
  const isWide = output === 'wide'
  const kept = nodes.filter(({ decision }) => decision === 'keep')
  const shown = isWide ? nodeTable(nodes) : kept.length === 0 ? '' : reasonTable(kept, 'NODEPOOL', width)
  return `${lines.join('\n')}\n${shown === '' ? '' : `\n${shown}`}`
}

function summaryOf({ removals, nodes, pricePerHour }: DisruptionExplanation): string {
  const gone = removals.reduce((sum, removal) => sum + removal.nodes.length, 0)
  if (gone === 0) return `Karpenter removes none of ${counted(nodes.length, 'node')} now${costText(pricePerHour)}.`
  const saved = removals.reduce((sum, { savingsPerHour }) => sum + savingsPerHour, 0)
  const cost =
    pricePerHour > 0 ? `; the cost changes from ${money(pricePerHour)} to ${money(pricePerHour - saved)} per hour` : ''
  return `Karpenter removes ${gone} of ${counted(nodes.length, 'node')} now${cost}.`
}

const costText = (price: number): string => (price > 0 ? `; they cost ${money(price)} per hour` : '')

function commandText(
  { reason, nodes, replacement, savingsPerHour }: Removal,
  { pricePerHour }: DisruptionExplanation,
  width: number,
): readonly string[] {
  const saved = pricePerHour > 0 ? `, saves ${money(savingsPerHour)} per hour` : ''
  if (replacement.length === 0) return [fitList(nodes, { before: `${reason}: deletes `, after: saved, width })]
  return [
    fitList(nodes, { before: `${reason}: replaces `, after: saved, width }),
    fitList(replacement, { before: '  with one of ', width }),
  ]
}

interface KeptNodes {
  readonly pool: string
  readonly reason: string
  readonly nodes: readonly string[]
}

/** The unneeded nodes of Cluster Autoscaler, and the other nodes grouped by the reason that keeps them. */
export function scaleDownText(
  nodes: readonly NodeScaleDown[],
  output: OutputFormat,
  width: number = usualWidth,
): string {
  const short = shortNames(nodes.map(({ node }) => node))
  const removed = nodes.filter(({ decision }) => decision === 'remove').map(({ node }) => short(node))
  const kept = nodes.filter(({ decision }) => decision === 'keep')
  const first =
    removed.length === 0
      ? `Cluster Autoscaler needs all of ${counted(nodes.length, 'node')}.`
      : fitList(removed, {
          before: `Cluster Autoscaler does not need ${removed.length} of ${counted(nodes.length, 'node')}: `,
          after: '.',
          width,
        })
  if (output === 'wide') return `${first}\n\n${scaleDownTable(nodes)}`
  const inGroups = kept.map(({ node, group, reason }) => ({ node, pool: group === '' ? '<none>' : group, reason }))
  return kept.length === 0 ? `${first}\n` : `${first}\n\n${reasonTable(inGroups, 'GROUP', width)}`
}

function scaleDownTable(nodes: readonly NodeScaleDown[]): string {
  return renderTable(
    [
      { header: 'NODE', cell: ({ node }: NodeScaleDown) => node },
      { header: 'GROUP', cell: ({ group }) => (group === '' ? '<none>' : group) },
      {
        header: 'REQUESTED',
        cell: ({ utilization }) => (utilization === undefined ? '' : `${Math.round(utilization * 100)}%`),
      },
      { header: 'DECISION', cell: ({ decision }) => decision },
      { header: 'REASON', cell: ({ reason }) => reason },
    ],
    nodes,
  )
}

/** Messages that differ only in the name of a pod or a budget count as one reason. */
function reasonTable(
  kept: readonly Pick<NodeDisruption, 'node' | 'pool' | 'reason'>[],
  header: 'NODEPOOL' | 'GROUP',
  width: number,
): string {
  const groups = new Map<string, { pool: string; reason: string; nodes: string[] }>()
  for (const { node, pool, reason } of kept) {
    const general = generalReason(reason)
    const group = groups.get(`${pool} ${general}`) ?? { pool, reason: general, nodes: [] }
    groups.set(`${pool} ${general}`, group)
    group.nodes.push(node)
  }
  const short = shortNames(kept.map(({ node }) => node))
  const rows = [...groups.values()].toSorted((a, b) => b.nodes.length - a.nodes.length)
  const table = renderTable(
    [
      { header: 'KEPT', cell: ({ nodes }: KeptNodes) => nodes.length, align: 'right' },
      { header, cell: ({ pool }) => pool },
      { header: 'WHY', cell: ({ reason }) => reason, cut: 'end' },
      { header: 'NODES', cell: ({ nodes }) => fitList(nodes.map(short), { width: nodesWidth }) },
    ],
    rows,
    { ...plainPalette, width },
  )
  return `${table}For each node: -o wide, or berth explain node NAME\n`
}

const nodesWidth = 26

/** The message without names that differ between nodes, and without facts of other columns, so that it fits its column. */
function generalReason(reason: string): string {
  return reason
    .replace(/ \((Pod|PodDisruptionBudget)=.*$/, '')
    .replace(/^(not all pods would schedule),.*$/, '$1')
    .replace(/^NodePool "[^"]*" has /, '')
    .replace(/^No allowed disruptions for (disruption reason .*) due to blocking budget$/, 'blocking budget for $1')
}

function nodeTable(nodes: readonly NodeDisruption[]): string {
  const hasPrices = nodes.some(({ pricePerHour }) => pricePerHour > 0)
  return renderTable(
    [
      { header: 'NODE', cell: ({ node }: NodeDisruption) => node },
      { header: 'NODEPOOL', cell: ({ pool }) => pool },
      { header: 'TYPE', cell: ({ type }) => type },
      { header: 'ZONE', cell: ({ zone }) => zone },
      { header: 'CAPACITY', cell: ({ capacityType }) => capacityType },
      ...(hasPrices ? [{ header: 'PRICE/H', cell: ({ pricePerHour }: NodeDisruption) => money(pricePerHour) }] : []),
      { header: 'DECISION', cell: ({ decision }) => decision },
      { header: 'REASON', cell: ({ reason }) => reason },
    ],
    nodes,
  )
}

/** Prices of small machines have up to four digits. */
function money(amount: number): string {
  const text = amount.toFixed(4)
  return text.endsWith('00') ? text.slice(0, -2) : text
}
