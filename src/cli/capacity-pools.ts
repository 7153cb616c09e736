import { parseLabelSelector } from '../api/label-selector.ts'
import type { Node } from '../api/objects/node.ts'
import { findHeadroom, type Headroom, type HeadroomRow, type LossRow } from '../whatif/capacity/headroom.ts'
import { findSmallest, type Smallest, type SmallestPool } from '../whatif/capacity/smallest.ts'
import type { ObjectSource } from '../whatif/explain/object-set.ts'
import { amountText } from '../whatif/explain/shortage.ts'
import { counted, listed } from '../whatif/report/phrases.ts'
import { shortNames } from '../whatif/report/short-names.ts'
import { readCapacityInput } from './capacity-input.ts'
import { clusterOptions } from './cluster-input.ts'
import { defineCommand, exitCodes, integer, text, wrongQuestion } from './command.ts'
import { schedulerOptions } from './control-plane-options.ts'
import {
  anyWidth,
  choosePalette,
  outputOption,
  printValue,
  renderTable,
  type TextPalette,
  wrapLines,
} from './output.ts'

export const smallestCommand = defineCommand({
  name: 'smallest',
  summary: 'Find the smallest number of nodes that holds the pods of a pool, for each node shape',
  description:
    'Places the pods of the pool on empty nodes with the scheduler itself, the largest first, and searches for the smallest number of ' +
    'nodes that holds all of them, once for each shape of the pool. New nodes are in the zones of the pool, and run the ' +
    'same daemon pods as the node that they copy. Nothing is written.',
  args: [],
  options: {
    ...clusterOptions(),
    pool: text({
      summary: 'Nodes of the pool: a label selector, or the value of a pool label such as eks.amazonaws.com/nodegroup',
      value: 'SELECTOR|NAME',
    }),
    headroom: integer({
      summary: 'Percentage of every node to leave free',
      value: 'PERCENT',
      default: 0,
      min: 0,
      max: 90,
    }),
    ...schedulerOptions,
    output: outputOption(),
  },
  examples: [
    {
      command: 'berth capacity smallest --pool pool=spot --from dump.json',
      summary: 'Select the nodes of the pool by a label',
    },
    {
      command: 'berth capacity smallest --pool web --headroom 20',
      summary: 'Select the pool by name, and leave a fifth of every node free',
    },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const { objects, profile } = await readCapacityInput(context)
    const { pool } = options
    const isInPool = poolOf(pool, objects.list('nodes'))
    const result = findSmallest({
      objects,
      profile,
      pool: pool ?? 'all nodes',
      isInPool,
      headroomPercent: options.headroom,
    })
    const short = shortNames(nodeNames(objects))
    printValue(stdout, options.output, result, () => smallestText(result, short, choosePalette(stdout, env)))
    return exitCodes.done
  },
})

export const headroomCommand = defineCommand({
  name: 'headroom',
  summary: 'Show free capacity per zone, pool and shape, and whether the cluster can lose its largest node or a zone',
  description:
    'Nodes that accept no pods are not counted. If the largest node or a zone is lost, the filters of the scheduler decide ' +
    'whether the pods of the lost nodes fit on the others. The exit code is 1 if a pod does not fit.',
  args: [],
  options: {
    ...clusterOptions(),
    poolLabel: text({
      summary: 'Node label with the name of the pool (default: that of EKS, GKE, AKS or Karpenter)',
      value: 'KEY',
    }),
    ...schedulerOptions,
    output: outputOption(),
  },
  examples: [
    { command: 'berth capacity headroom --from dump.json', summary: 'Read a dump' },
    {
      command: 'berth capacity headroom --pool-label pool -o json',
      summary: 'Group nodes by another pool label, and print JSON',
    },
  ],
  run: async (context) => {
    const { options, stdout, env } = context
    const { objects, profile } = await readCapacityInput(context)
    const poolLabel = options.poolLabel ?? knownPoolLabel(objects.list('nodes'))
    const result = findHeadroom({
      objects,
      profile,
      ...(poolLabel === undefined ? {} : { poolLabel }),
    })
    printValue(stdout, options.output, result, () => {
      const palette = choosePalette(stdout, env)
      const isWide = options.output === 'wide'
      const short = isWide ? (name: string) => name : shortNames(nodeNames(objects))
      return headroomText(result, short, isWide ? anyWidth(palette) : palette)
    })
    return result.losses.some(({ homeless }) => homeless > 0) ? exitCodes.answerIsNo : exitCodes.done
  },
})

const nodeNames = (objects: ObjectSource): readonly string[] =>
  objects.list('nodes').map(({ metadata }) => metadata.name)

type Shorten = (name: string) => string

const poolLabels = [
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'karpenter.sh/nodepool',
]

function knownPoolLabel(nodes: readonly Node[]): string | undefined {
  return poolLabels.find((key) => nodes.some(({ metadata }) => metadata.labels?.[key] !== undefined))
}

/** An argument without an operator is the value of a pool label. */
function poolOf(given: string | undefined, nodes: readonly Node[]): (node: Node) => boolean {
  if (given === undefined) return () => true
  const key = knownPoolLabel(nodes)
  const isName = (node: Node) => key !== undefined && node.metadata.labels?.[key] === given
  if (nodes.some(isName)) return isName
  const selector = parseLabelSelector(given)
  if (!selector.ok) throw wrongQuestion(`--pool: ${selector.message}`)
  const matches = ({ metadata }: Node) => selector.value.matches(metadata.labels ?? {})
  if (!nodes.some(matches)) {
    const names =
      key === undefined ? [] : [...new Set(nodes.map(({ metadata }) => metadata.labels?.[key] ?? ''))].sort()
    const hint = names.length > 0 ? `; pools are ${listed(names, 8)}` : labelHint(given, nodes)
    throw wrongQuestion(`--pool ${given}: no node matches${hint}`)
  }
  return matches
}

/** The labels of nodes that have this value, as selectors. */
function labelHint(value: string, nodes: readonly Node[]): string {
  const all = nodes.flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}))
  const keys = new Set(all.filter(([, each]) => each === value).map(([key]) => key))
  if (keys.size === 0) return '; pass a label selector, for example pool=web'
  return `; did you mean ${listed([...keys].sort().map((key) => `${key}=${value}`))}?`
}

function smallestText(
  { pool, nodesNow, pods, shapes, unplaceable, headroomPercent }: Smallest,
  short: Shorten,
  palette: TextPalette,
): string {
  const [best] = shapes
  const room = headroomPercent === 0 ? '' : ` with ${headroomPercent}% of every node free`
  const first =
    best?.nodes === undefined
      ? `No number of nodes of the shapes of ${pool} holds its ${counted(pods, 'pod')}${room}.\n`
      : `${counted(best.nodes, 'node')} like ${short(best.like)} (${best.shape}) ${best.nodes === 1 ? 'holds' : 'hold'} the ${counted(pods, 'pod')} of ${pool}${room}; it has ${counted(nodesNow, 'node')} now.\n`
  const table = renderTable<SmallestPool>(
    [
      { header: 'SHAPE', cell: ({ shape }) => shape },
      { header: 'LIKE', cell: ({ like }) => short(like) },
      { header: 'NODES', cell: ({ nodes }) => (nodes === undefined ? 'none' : String(nodes)), align: 'right' },
      { header: 'AT LEAST', cell: ({ atLeast, limit }) => `${atLeast} (${limit})` },
      { header: 'ONE LESS', cell: ({ oneLess }) => (oneLess === undefined ? '-' : `${oneLess.pod} does not fit`) },
    ],
    shapes,
    palette,
  )
  const [stuck] = unplaceable
  const left =
    stuck === undefined
      ? ''
      : `${counted(unplaceable.length, 'pod is', 'pods are')} not counted, because they do not fit on such a node: ${stuck.pod}: ${stuck.message}\n`
  return `${wrapLines(first, palette)}${table}${wrapLines(left, palette)}`
}

/** In cores, so that sums and sizes are easy to compare. */
const coresText = (milli: number): string => String(Math.round(milli / 100) / 10)

function headroomText({ rows, losses }: Headroom, short: Shorten, palette: TextPalette): string {
  const bytes = (amount: number) => amountText('memory', amount)
  const table = renderTable<HeadroomRow>(
    [
      { header: 'SCOPE', cell: ({ scope }) => scope },
      { header: 'NAME', cell: ({ name }) => name },
      { header: 'NODES', cell: ({ nodes }) => String(nodes), align: 'right' },
      {
        header: 'CPU FREE',
        cell: ({ cpu }) => `${coresText(cpu.freeMilli)} (${cpu.freePercent}%)`,
        align: 'right',
      },
      {
        header: 'MEMORY FREE',
        cell: ({ memory }) => `${bytes(memory.freeBytes)} (${memory.freePercent}%)`,
        align: 'right',
      },
      {
        header: 'LARGEST ON A NODE',
        cell: ({ largestFree }) => `${coresText(largestFree.cpuMilli)} cpu, ${bytes(largestFree.memoryBytes)}`,
        align: 'right',
      },
      { header: 'POD SLOTS', cell: ({ podSlots }) => String(podSlots), align: 'right', optional: true },
    ],
    rows,
    palette,
  )
  const lines = losses.map((loss) => `${lossText(loss, short, palette)}\n`).join('')
  return `${wrapLines(lines, palette)}\n${table}`
}

function lossText({ lost, name, pods, homeless, workloads }: LossRow, short: Shorten, { paint }: TextPalette): string {
  const what = lost === 'node' ? `the largest node, ${short(name)}` : `zone ${name}`
  if (homeless === 0)
    return `${paint('green', 'Enough')}: without ${what}, all of its ${counted(pods, 'pod')} fit elsewhere.`
  const which = listed(
    workloads.map((each) => `${each.pods} of ${each.workload}`),
    4,
  )
  return `${paint('red', 'Not enough')}: without ${what}, ${homeless} of its ${counted(pods, 'pod')} do not fit elsewhere (${which}).`
}
