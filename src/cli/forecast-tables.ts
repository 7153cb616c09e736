// The tables of a printed forecast: workloads, nodes, the timeline, and pods.
import { lookupTable } from '../base/lookup-table.ts'
import { condense, type TimelineRow, tallied } from '../whatif/facts/timeline.ts'
import { fitList } from '../whatif/report/fitted-text.ts'
import type { Forecast, NodeEntry, PodEntry } from '../whatif/report/forecast.ts'
import { pendingReason } from '../whatif/report/pending-reason.ts'
import { counted, span } from '../whatif/report/phrases.ts'
import { shortNames } from '../whatif/report/short-names.ts'
import type { DeviceEntry, WorkloadEntry } from '../wire/forecast-entries.ts'
import { type OutputColumn, renderTable, type TextPalette } from './output.ts'

export interface TableOptions {
  /** Prints every row, with complete names. */
  readonly wide: boolean
  readonly palette: TextPalette
}

const mostWorkloads = 10
const mostNodes = 8
const mostLines = 40
const mostPods = 30
const mostDevices = 10

const time = (seconds: number): string => span(seconds * 1000)
const at = (seconds: number | undefined): string | undefined => (seconds === undefined ? undefined : time(seconds))
const orDash = (text: string): string => (text === '' ? '-' : text)

function table<Row>(
  columns: readonly OutputColumn<Row>[],
  rows: readonly Row[],
  { wide, palette }: TableOptions,
  {
    most,
    what,
    countOf = () => 1,
  }: { readonly most: number; readonly what: string; readonly countOf?: (row: Row) => number },
): string {
  if (rows.length === 0) return ''
  const shown = wide ? rows : rows.slice(0, most)
  const more = rows.slice(shown.length).reduce((sum, row) => sum + countOf(row), 0)
  return renderTable(columns, shown, palette) + (more === 0 ? '' : `… and ${counted(more, `more ${what}`)}: -o wide\n`)
}

/** Omits columns that are empty in every row. */
export function workloadsText({ workloads }: Forecast, options: TableOptions): string {
  const any = (of: (entry: WorkloadEntry) => number) => workloads.some((entry) => of(entry) > 0)
  const extra = ({ created, restarts }: WorkloadEntry) => created - restarts
  const columns: readonly OutputColumn<WorkloadEntry>[] = [
    { header: 'WORKLOAD', cell: ({ namespace, name }) => `${namespace}/${name}`, style: harmStyle },
    {
      header: 'KIND',
      cell: ({ kind }) => shortKinds[kind] ?? kind,
      wide: workloads.every(({ kind }) => kind === 'Deployment'),
    },
    { header: 'READY', cell: ({ ready }) => changed(ready.before, ready.after), align: 'right' },
    { header: 'OF', cell: ({ replicas }) => replicas, align: 'right', optional: true },
    {
      header: 'LOWEST',
      cell: ({ lowestReady: { count, at: since } }) => `${count} at ${time(since)}`,
      align: 'right',
    },
    ...(any(({ timeUnavailable }) => timeUnavailable)
      ? [durationColumn('UNAVAILABLE', ({ timeUnavailable }) => timeUnavailable)]
      : []),
    ...(any(({ timeBelowBudget }) => timeBelowBudget)
      ? [durationColumn('BELOW BUDGET', ({ timeBelowBudget }) => timeBelowBudget)]
      : []),
    ...(any(({ deleted }) => deleted)
      ? [
          {
            header: 'MOVED',
            cell: ({ moved, deleted }: WorkloadEntry) => (deleted === 0 ? '-' : `${moved} of ${deleted}`),
            align: 'right' as const,
            optional: true,
          },
        ]
      : []),
    ...(any(extra)
      ? [
          {
            header: 'NEW',
            cell: (entry: WorkloadEntry) => Math.max(0, extra(entry)),
            align: 'right' as const,
            optional: true,
          },
        ]
      : []),
    ...(workloads.some((entry) => remarkOf(entry) !== '')
      ? [{ header: 'REMARK', cell: (entry: WorkloadEntry) => orDash(remarkOf(entry)), cut: 'end' as const }]
      : []),
  ]
  const shown = columns.filter(({ wide: isWide = false }) => options.wide || !isWide)
  return table(shown, workloads, options, { most: mostWorkloads, what: 'workload' })
}

const shortKinds = lookupTable<string>({
  Deployment: 'deploy',
  StatefulSet: 'sts',
  DaemonSet: 'ds',
  ReplicaSet: 'rs',
  ReplicationController: 'rc',
  Job: 'job',
  CronJob: 'cj',
  Pod: 'pod',
})

function durationColumn(header: string, of: (entry: WorkloadEntry) => number): OutputColumn<WorkloadEntry> {
  return { header, cell: (entry) => (of(entry) === 0 ? '-' : time(of(entry))), align: 'right', optional: true }
}

function remarkOf({ pending, lost, terminating }: WorkloadEntry): string {
  return [
    ...(terminating.length === 0 ? [] : [`${terminating.length} Terminating`]),
    ...(lost === 0 ? [] : [`${lost} lost`]),
    ...pending.map(({ reason, count }) => `${count} pending: ${reason}`),
  ].join('; ')
}

function harmStyle({ lost, terminating, timeBelowBudget, pending, recovered }: WorkloadEntry) {
  if (lost + terminating.length + timeBelowBudget > 0) return 'red' as const
  return pending.length > 0 || recovered === undefined ? ('yellow' as const) : undefined
}

function changed(before: number | string, after: number | string): string {
  return before === after ? String(after) : `${before} → ${after}`
}

interface NodeRow {
  readonly node: string
  /** The number of nodes of the row. */
  readonly nodes: number
  readonly zone?: string
  readonly change: string
  readonly pods: readonly [before: number, after: number]
  readonly cpu: readonly [before: number, after: number, allocatable: number]
  readonly memory: readonly [before: number, after: number, allocatable: number]
}

/** Nodes whose state changes, and nodes that get pods because of the change. Many nodes with the same change share a row. */
export function nodesText({ nodes, drains, answer }: Forecast, options: TableOptions): string {
  const drained = new Map(drains?.drained.map(({ node, until }) => [node, until]))
  const open = new Set(drains?.open)
  const landed = new Map(answer.landed.map(({ node, pods }) => [node, pods]))
  const short = options.wide ? (name: string) => name : shortNames(nodes.map(({ node }) => node))
  const rows = nodes
    .map((entry): NodeRow => {
      const { node, zone, before, pods, cpu, memory } = entry
      return {
        node: short(node),
        nodes: 1,
        ...(zone === undefined ? {} : { zone }),
        change: nodeState(entry, drained.get(node), open.has(node)),
        pods: [before?.pods ?? 0, entry.state === 'removed' ? 0 : pods],
        cpu: [before?.cpuMilli ?? 0, cpu.requested, cpu.allocatable],
        memory: [before?.memoryBytes ?? 0, memory.requested, memory.allocatable],
      }
    })
    .filter(({ change }, index) => change !== '' || landed.has(nodes[index]?.node ?? ''))
    .toSorted(
      (a, b) =>
        (b.change === '' ? 0 : 1) - (a.change === '' ? 0 : 1) ||
        b.pods[1] - b.pods[0] - (a.pods[1] - a.pods[0]) ||
        (a.node < b.node ? -1 : 1),
    )
  const share = ([before, after, all]: readonly [number, number, number]) =>
    all === 0 ? '-' : changed(`${Math.round((100 * before) / all)}%`, `${Math.round((100 * after) / all)}%`)
  const columns: readonly OutputColumn<NodeRow>[] = [
    { header: 'NODE', cell: ({ node }) => node },
    ...(options.wide ? [{ header: 'ZONE', cell: ({ zone }: NodeRow) => zone }] : []),
    { header: 'CHANGE', cell: ({ change }) => orDash(change), cut: 'end' },
    { header: 'PODS', cell: ({ pods }) => changed(...pods), align: 'right' },
    { header: 'CPU', cell: ({ cpu }) => share(cpu), align: 'right', optional: true },
    { header: 'MEMORY', cell: ({ memory }) => share(memory), align: 'right', optional: true },
  ]
  const shown = options.wide || rows.length <= mostNodes ? rows : groupedNodes(rows)
  return table(columns, shown, options, { most: mostNodes, what: 'node', countOf: ({ nodes }) => nodes })
}

// Maximum number of rows with the same change; the other nodes share a row.
const sameChange = 2

function groupedNodes(rows: readonly NodeRow[]): readonly NodeRow[] {
  const groups = new Map<string, NodeRow[]>()
  for (const row of rows) {
    const change = row.change.replaceAll(/ at \S+(?=,|$)/g, '')
    const group = groups.get(change)
    if (group === undefined) groups.set(change, [row])
    else group.push(row)
  }
  return [...groups].flatMap(([change, group]) => {
    if (group.length <= sameChange + 1) return group
    const [first, ...others] = group.slice(sameChange) as [NodeRow, ...NodeRow[]]
    const sum = others.reduce(added, first)
    return [...group.slice(0, sameChange), { ...sum, node: `and ${others.length + 1} more`, change }]
  })
}

function added(a: NodeRow, b: NodeRow): NodeRow {
  const pair = (of: (row: NodeRow) => readonly [number, number, number]) =>
    of(a).map((value, index) => value + (of(b)[index] as number)) as unknown as readonly [number, number, number]
  return {
    ...a,
    nodes: a.nodes + b.nodes,
    pods: [a.pods[0] + b.pods[0], a.pods[1] + b.pods[1]],
    cpu: pair(({ cpu }) => cpu),
    memory: pair(({ memory }) => memory),
  }
}

function nodeState(
  { state, before, isReady, isCordoned, taints, changesAnyway }: NodeEntry,
  drainedAt: number | undefined,
  isOpen: boolean,
): string {
  if (state !== 'kept') return changesAnyway === true ? '' : state
  if (before === undefined) return ''
  if (changesAnyway === true)
    return isOpen ? 'not drained' : drainedAt === undefined ? '' : `drained at ${time(drainedAt)}`
  return [
    ...(before.isReady === isReady ? [] : [isReady ? 'Ready' : 'not ready']),
    ...(drainedAt === undefined ? [] : [`drained at ${time(drainedAt)}`]),
    ...(isOpen ? ['not drained'] : []),
    ...(before.isCordoned === isCordoned ? [] : [isCordoned ? 'cordoned' : 'uncordoned']),
    // The text before has the health and the cordon.
    ...taints.filter((taint) => !before.taints.includes(taint) && !taint.startsWith('node.kubernetes.io/')),
    ...before.taints.filter((taint) => !taints.includes(taint)).map((taint) => `without ${taint}`),
  ].join(', ')
}

export function timelineText({ timeline, nodes }: Forecast, options: TableOptions): string {
  const { wide } = options
  const short = wide ? (text: string) => text : shortNames(nodes.map(({ node }) => node))
  const rows = condense(timeline)
  if (rows.length === 0) return 'Nothing happens.\n'
  // Rate limits delay requests, so one eviction of many pods has many instants.
  const shown = wide || rows.length <= mostLines ? rows : condense(timeline, { withinSeconds: 10, byNode: false })
  const columns: readonly OutputColumn<TimelineRow>[] = [
    { header: 'TIME', cell: ({ seconds }) => time(seconds), align: 'right' },
    {
      header: 'EVENT',
      cell: ({ what }) => (wide ? what : short(withReason(what))),
      style: ({ what }) => eventStyle(what),
      cut: 'end',
    },
    {
      header: 'OBJECTS',
      cell: ({ objects }) =>
        fitList(
          tallied(objects.map(short)).filter((name) => name !== ''),
          { width: wide ? Number.POSITIVE_INFINITY : 60 },
        ) || ' ',
      cut: 'end',
    },
  ]
  return table(columns, shown, options, { most: mostLines, what: 'line' })
}

/** A part of the scheduler's message: the complete message leaves no space for the reason. */
function withReason(what: string): string {
  const [, before = '', message] = /^(unschedulable: )(.*)$/s.exec(what) ?? []
  return message === undefined ? what : before + pendingReason(message)
}

function eventStyle(what: string) {
  if (what.startsWith('step:')) return 'bold' as const
  if (/^(deleted|not ready|Ready is (Unknown|False)|unschedulable)/.test(what)) return 'red' as const
  return /^(bound|Ready is True|uncordoned)/.test(what) ? ('green' as const) : undefined
}

export function podsText({ pods, timeline, nodes }: Forecast, options: TableOptions): string {
  const byName = new Map(pods.map((entry) => [entry.pod, entry]))
  const replacements = new Set(pods.map(({ replacement }) => replacement).filter((name) => name !== undefined))
  const firstStep = timeline.find(({ what }) => what === 'step')?.t ?? 0
  // A replacement is in the row of the pod that it replaces. Pods created before the first step are omitted.
  const reported = pods.filter(({ pod, deleted, pending, created = -1 }) => {
    if (deleted !== undefined || pending !== undefined) return true
    return created >= firstStep && !replacements.has(pod)
  })
  const successor = ({ replacement }: PodEntry) => (replacement === undefined ? undefined : byName.get(replacement))
  const short = options.wide ? (name: string) => name : shortNames(nodes.map(({ node }) => node))
  const place = (node: string | undefined) => (node === undefined ? undefined : short(node))
  const reason = (message: string | undefined) =>
    options.wide || message === undefined ? message : pendingReason(message)
  const columns: readonly OutputColumn<PodEntry>[] = [
    { header: 'POD', cell: ({ pod }) => pod },
    { header: 'NODE', cell: ({ from, node }) => place(from ?? node) },
    { header: 'DELETED', cell: ({ deleted }) => at(deleted), align: 'right', optional: true },
    { header: 'REASON', cell: ({ cause, pending }) => cause ?? reason(pending), cut: 'end' },
    ...(options.wide ? [{ header: 'REPLACED BY', cell: ({ replacement }: PodEntry) => replacement }] : []),
    { header: 'NEW NODE', cell: (entry) => place(successor(entry)?.node) },
    {
      header: 'BOUND',
      cell: (entry) => at(entry.deleted === undefined ? entry.bound : successor(entry)?.bound),
      align: 'right',
      optional: true,
    },
  ]
  return table(columns, reported, options, { most: mostPods, what: 'pod' })
}

/** `DRIVER/POOL/gpu-0, gpu-1`: a pool that several devices share is named once. */
function deviceNames(devices: readonly string[]): string {
  return devices
    .map((device, at) => {
      const pool = device.slice(0, device.lastIndexOf('/') + 1)
      return devices[at - 1]?.startsWith(pool) === true ? device.slice(pool.length) : device
    })
    .join(', ')
}

/** The devices whose claim changes: one row for each claim. */
export function devicesText({ devices = [], nodes }: Forecast, options: TableOptions): string {
  const short = options.wide ? (name: string) => name : shortNames(nodes.map(({ node }) => node))
  const columns: readonly OutputColumn<DeviceEntry>[] = [
    { header: 'DEVICE', cell: (entry) => orDash(deviceNames(entry.devices.map(({ device }) => device))) },
    { header: 'NODE', cell: ({ node }) => (node === undefined ? '-' : short(node)) },
    { header: 'CLAIM', cell: ({ claim }) => claim },
    ...(options.wide ? [{ header: 'PODS', cell: ({ pods }: DeviceEntry) => orDash(pods.join(', ')) }] : []),
    { header: 'ALLOCATED', cell: ({ allocated }) => at(allocated) ?? 'before', align: 'right' },
    { header: 'RELEASED', cell: ({ released }) => at(released) ?? '-', align: 'right' },
  ]
  return table(columns, devices, options, { most: mostDevices, what: 'claim' })
}
