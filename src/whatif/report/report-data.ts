import { type Cidr, containsCidr, formatCidr, parseCidr, subnetCount, subnetIndex } from '../../api/cidr.ts'
import type { CidrBlock, CidrRange, NodeHealthCode, NodeRow, PodRow } from '../../wire/console-wire.ts'
import type { QuietPrefix, Remark, ReportChart, ReportData, ReportLine } from '../../wire/report-wire.ts'
import type { TraceLine } from '../facts/fact.ts'
import { stepText } from '../facts/timeline.ts'
import type { Forecast, NodeEntry, PodEntry } from './forecast.ts'
import { span } from './phrases.ts'
import { type PodRequests, shownForecast } from './shown-forecast.ts'

const quietPrefix: QuietPrefix = '(quiet)/'

/** The data of the HTML report, in the form that the components of the console display. */
export function reportData(forecast: Forecast, requests: PodRequests): ReportData {
  const { seconds, start, seed, berth, kubernetes } = forecast
  return {
    forecast: { ...shownForecast(forecast, { requests }), notes: [], loops: [] },
    about: `${span(seconds * 1000)} from ${start}, seed ${seed}, berth ${berth}, Kubernetes ${kubernetes}`,
    remarks: remarksOf(forecast),
    nodes: forecast.nodes.filter(({ state }) => state !== 'added').map(nodeAtStart),
    pods: podsAtStart(forecast, requests),
    added: forecast.nodes.filter(({ state }) => state === 'added').map(nodeAtStart),
    timeline: forecast.timeline.filter(({ what }) => what !== 'disruption').map(lineOf),
    charts: chartsOf(forecast),
    addresses: addressRanges(forecast.nodes),
  }
}

function remarksOf({ loops, notes, expectations, drains, interrupted, seconds }: Forecast): readonly Remark[] {
  const failed = expectations.filter(({ holds }) => !holds)
  return [
    ...(interrupted ? [warn(`Interrupted: this is the forecast up to ${span(seconds * 1000)}.`)] : []),
    ...failed.map(
      ({ kind, violation }): Remark => ({
        tone: 'bad',
        text: `Expectation ${kind} not met at ${span((violation?.seconds ?? 0) * 1000)}: ${violation?.text}`,
      }),
    ),
    ...loops.map(({ text }) => warn(`Loop: ${text}.`)),
    ...(drains?.blocked ?? []).map(({ pod, node, why }) => warn(`Drain blocked: ${pod} on ${node}: ${why}.`)),
    ...notes.map(({ text }): Remark => ({ tone: '', text: `${text}.` })),
  ]
}

const warn = (text: string): Remark => ({ tone: 'warn', text })

const cordoned = 1

function nodeAtStart(node: NodeEntry): NodeRow {
  const { isReady, isCordoned, taints } = node.before ?? { isReady: false, isCordoned: false, taints: [] }
  // A forecast does not contain the pod capacity of nodes, so no share of it is shown.
  const maxPods = 0
  const health: NodeHealthCode = isReady ? 0 : node.before === undefined ? 3 : 1
  const { cpu, memory, podCIDR = '' } = node
  return [
    node.node,
    node.zone ?? '',
    cpu.allocatable,
    memory.allocatable,
    maxPods,
    health,
    isCordoned ? cordoned : 0,
    taints,
    0,
    0,
    podCIDR,
  ]
}

/**
 * The pods with a fact in the forecast, by name. Other pods of a node are counted, and share the rest of its requests
 * equally.
 */
function podsAtStart({ pods, nodes }: Forecast, requests: PodRequests): readonly PodRow[] {
  const rows: PodRow[] = []
  const told = new Map<string, { pods: number; cpuMilli: number; memoryBytes: number }>()
  const removed = new Set(nodes.filter(({ state }) => state === 'removed').map(({ node }) => node))
  const add = (node: string | undefined, pod: string) => {
    if (node === undefined) return
    const sums = told.get(node) ?? { pods: 0, cpuMilli: 0, memoryBytes: 0 }
    sums.pods++
    sums.cpuMilli += requests.get(pod)?.cpuMilli ?? 0
    sums.memoryBytes += requests.get(pod)?.memoryBytes ?? 0
    told.set(node, sums)
  }
  for (const pod of pods) {
    if (!pod.isNew) rows.push(podAtStart(pod, requests))
    const end = nodeAtEnd(pod)
    // A removed node is shown in its state at the start.
    if (pod.from !== undefined && removed.has(pod.from)) add(pod.from, pod.pod)
    else if (end !== undefined && !removed.has(end)) add(end, pod.pod)
  }
  for (const { node, pods: count, cpu, memory } of nodes) {
    const known = told.get(node) ?? { pods: 0, cpuMilli: 0, memoryBytes: 0 }
    const quiet = Math.max(0, count - known.pods)
    const share = (total: number, of: number) => Math.max(0, (total - of) / quiet)
    for (let each = 1; each <= quiet; each++)
      rows.push([
        `${quietPrefix}${node} ${each}`,
        node,
        3,
        share(cpu.requested, known.cpuMilli),
        share(memory.requested, known.memoryBytes),
        0,
        0,
        0,
        '',
        '',
        0,
      ])
  }
  return rows
}

function podAtStart({ pod, from, priority, owner = '' }: PodEntry, requests: PodRequests): PodRow {
  const { cpuMilli = 0, memoryBytes = 0 } = requests.get(pod) ?? {}
  return [pod, from ?? '', from === undefined ? 0 : 3, cpuMilli, memoryBytes, priority, 0, 0, owner, '', 0]
}

/** The node on which the pod holds resources at the end. */
function nodeAtEnd({ gone, ended, from, bound, node }: PodEntry): string | undefined {
  if (gone !== undefined || ended !== undefined) return undefined
  return from ?? (bound === undefined ? undefined : node)
}

function lineOf({ t, what, object, detail }: TraceLine): ReportLine {
  if (what === 'step') return [t, 'step', object, what, stepText(object, detail)]
  const [kind, name = ''] = [object.slice(0, object.indexOf('/')), object.slice(object.indexOf('/') + 1)]
  return [t, kind === 'node' ? 'node' : 'pods', name, what, typeof detail === 'string' ? detail : '']
}

function chartsOf({ series, before }: Forecast): readonly ReportChart[] {
  const share = (values: readonly number[], { requested, allocatable }: Forecast['before']['cpu']) =>
    values.map((value) => (allocatable === 0 ? 0 : Math.round((1000 * (requested + value)) / allocatable) / 10))
  const one = (title: string, name: string, color: string, values: readonly number[]): ReportChart => ({
    title,
    lines: [{ name, color, values }],
  })
  const step = Math.ceil(series.seconds.length / 1_500)
  const all: readonly ReportChart[] = [
    one('Pods running', 'Pods running', '--pod-running', series.running),
    one('Pods evicted', 'Pods evicted so far', '--pod-terminating', series.disrupted),
    one('Nodes ready', 'Nodes ready', '--health-ready', series.nodesReady),
    {
      title: 'Requested, %',
      lines: [
        { name: 'CPU, %', color: '--pod-running', values: share(series.cpuMilli, before.cpu) },
        { name: 'Memory, %', color: '--health-unknown', values: share(series.memoryBytes, before.memory) },
      ],
    },
  ]
  // A chart shows at most 1,500 points, as the series of the forecast does.
  const some = (values: readonly number[]) => values.filter((_, at) => at % step === 0 || at === values.length - 1)
  return all.map(({ title, lines }) => ({
    title,
    lines: lines.map((line) => ({ ...line, values: some(line.values) })),
  }))
}

// A larger range cannot be drawn.
const mostBlocks = 1n << 20n

/**
 * For each mask size, the smallest range that contains the pod CIDRs of all nodes. The forecast does not contain the
 * configured range.
 */
function addressRanges(nodes: readonly NodeEntry[]): readonly CidrRange[] {
  const bySize = new Map<string, { readonly node: string; readonly cidr: Cidr }[]>()
  for (const { node, podCIDR } of nodes) {
    const cidr = podCIDR === undefined ? undefined : parseCidr(podCIDR)
    if (cidr === undefined) continue
    const size = `${cidr.family} ${cidr.prefix}`
    bySize.set(size, [...(bySize.get(size) ?? []), { node, cidr }])
  }
  return [...bySize.values()].map(rangeOver).filter((range) => range !== undefined)
}

function rangeOver(blocks: readonly { readonly node: string; readonly cidr: Cidr }[]): CidrRange | undefined {
  const [first] = blocks
  if (first === undefined) return undefined
  let outer = first.cidr
  while (!blocks.every(({ cidr }) => containsCidr(outer, cidr))) outer = widened(outer)
  const maskSize = first.cidr.prefix
  if (subnetCount(outer, maskSize) > mostBlocks) return undefined
  const holders = new Map<number, { readonly cidr: Cidr; readonly nodes: string[] }>()
  for (const { node, cidr } of blocks) {
    const place = Number(subnetIndex(outer, maskSize, { family: cidr.family, bits: cidr.base }) ?? 0n)
    const held = holders.get(place) ?? { cidr, nodes: [] }
    held.nodes.push(node)
    holders.set(place, held)
  }
  return {
    range: formatCidr(outer),
    maskSize,
    max: Number(subnetCount(outer, maskSize)),
    used: holders.size,
    next: '',
    blocks: [...holders]
      .sort(([a], [b]) => a - b)
      .map(
        ([place, { cidr, nodes }]): CidrBlock => [
          place,
          formatCidr(cidr),
          nodes.length > 1 ? 'duplicate' : 'node',
          nodes,
        ],
      ),
  }
}

function widened({ family, base, prefix }: Cidr): Cidr {
  const text = formatCidr({ family, base, prefix: prefix - 1 })
  // Parsing clears the bits after the prefix.
  return parseCidr(text) as Cidr
}
