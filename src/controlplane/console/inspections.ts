// The state of the controllers, as the console shows it.

import { type Cidr, cidrsOverlap, formatCidr, lastAddress, nthSubnet, parseCidr, subnetIndex } from '../../api/cidr.ts'
import { findCondition } from '../../api/conditions.ts'
import { formatTaint } from '../../api/taints.ts'
import { parseTime } from '../../api/time.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'
import type { NodeIpamInspection } from '../../controllers/node-ipam/controller.ts'
import type { PendingEviction } from '../../controllers/taint-eviction/controller.ts'
import type { SchedulerInspection } from '../../scheduler/observe/inspection.ts'
import type {
  CidrAnswer,
  CidrBlock,
  CidrRange,
  EvictionAnswer,
  EvictionItem,
  QueueAnswer,
  QueueCounts,
  QueueItem,
  SilentNode,
  Summary,
  ZoneSummary,
} from '../../wire/console-wire.ts'
import { healthOf, tolerationText } from './rows.ts'
import type { ConsoleSource } from './source.ts'

interface LifecycleInspection {
  readonly zones: readonly (Omit<ZoneSummary, 'waiting'> & { readonly waiting: readonly unknown[] })[]
  readonly nodes: readonly {
    readonly node: string
    readonly health: { readonly probeAt: number }
    readonly expiresAt?: number
  }[]
}

const schedulerOf = (source: ConsoleSource) => source.inspect('scheduler') as SchedulerInspection | undefined
const lifecycleOf = (source: ConsoleSource) =>
  source.inspect('node-lifecycle-controller') as LifecycleInspection | undefined
const evictionsOf = (source: ConsoleSource) =>
  source.inspect('taint-eviction-controller') as readonly PendingEviction[] | undefined

/** A controller without ranges has no inspection. */
function ipamOf(source: ConsoleSource): NodeIpamInspection | undefined {
  const found = source.inspect('node-ipam-controller') as NodeIpamInspection | undefined
  return found?.ranges === undefined ? undefined : found
}

export function summaryOf(source: ConsoleSource): Omit<Summary, 'drains'> {
  const scheduler = schedulerOf(source)
  const evictions = evictionsOf(source)
  const lifecycle = lifecycleOf(source)
  const ipam = ipamOf(source)
  const next = evictions?.[0]?.fireAt
  return {
    ...(scheduler === undefined ? {} : { queue: countsOf(scheduler) }),
    ...(evictions === undefined
      ? {}
      : { evictions: { count: evictions.length, ...(next === undefined ? {} : { nextAt: next }) } }),
    ...(lifecycle === undefined ? {} : { zones: zonesOf(lifecycle) }),
    ...(ipam === undefined ? {} : { cidrs: ipam.ranges.map(({ range, used, max }) => ({ range, used, max })) }),
    crashed: source.health()?.crashed ?? [],
  }
}

function countsOf({ queue }: SchedulerInspection): QueueCounts {
  const counts = { active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 }
  for (const { place } of queue) counts[place]++
  return counts
}

function zonesOf({ zones }: LifecycleInspection): readonly ZoneSummary[] {
  return zones.map(({ zone, state, size, unhealthy, perSecond, nextTaintAt, waiting }) => ({
    zone: zoneName(zone),
    state,
    size,
    unhealthy,
    perSecond,
    waiting: waiting.length,
    ...(nextTaintAt === undefined || !Number.isFinite(nextTaintAt) ? {} : { nextTaintAt }),
  }))
}

/** Upstream's key of a zone starts with the region and contains a zero byte. */
function zoneName(key: string): string {
  const [region = '', zone = region] = key.split(':\u0000:')
  return zone === '' ? region : zone
}

export interface ListQuestion {
  /** A part of the name. */
  readonly search: string
  readonly place?: string
  readonly limit: number
}

export function queueAnswer(source: ConsoleSource, question: ListQuestion, now: number): QueueAnswer | undefined {
  const scheduler = schedulerOf(source)
  if (scheduler === undefined) return undefined
  const wanted = scheduler.queue.filter(
    ({ pod, place }) => (question.place === undefined || place === question.place) && pod.includes(question.search),
  )
  return {
    now,
    total: wanted.length,
    counts: countsOf(scheduler),
    entries: wanted.slice(0, question.limit).map((entry) => queueItem(source, entry)),
    nominations: nominationsOf(source, scheduler),
    bindings: scheduler.bindings
      .slice(0, question.limit)
      .map(({ pod, node, waitsFor }) => ({ pod, node, waitsFor: [...waitsFor] })),
  }
}

function queueItem(source: ConsoleSource, entry: SchedulerInspection['queue'][number]): QueueItem {
  const pod = source.get('pods', entry.pod)
  const message = findCondition(pod?.status?.conditions, 'PodScheduled')?.message
  const { uid: _uid, schedulerName: _scheduler, ...item } = entry
  return { ...item, ...(message === undefined ? {} : { message }) }
}

export function queueItemOf(source: ConsoleSource, key: string): QueueItem | undefined {
  const entry = schedulerOf(source)?.queue.find(({ pod }) => pod === key)
  return entry === undefined ? undefined : queueItem(source, entry)
}

/** Nominations, each with the pods on that node that preemption has marked. */
function nominationsOf(source: ConsoleSource, { nominations }: SchedulerInspection): QueueAnswer['nominations'] {
  if (nominations.length === 0) return []
  const victims = new Map<string, string[]>(nominations.map(({ node }) => [node, []]))
  for (const { metadata, spec, status } of source.list('pods')) {
    const list = victims.get(spec.nodeName ?? '')
    if (list === undefined || metadata.deletionTimestamp === undefined) continue
    const marked = findCondition(status?.conditions, 'DisruptionTarget')
    if (marked?.reason === 'PreemptionByScheduler') list.push(`${metadata.namespace}/${metadata.name}`)
  }
  return nominations.map(({ pod, node }) => ({ pod, node, victims: victims.get(node) ?? [] }))
}

export function evictionAnswer(source: ConsoleSource, question: ListQuestion, now: number): EvictionAnswer {
  const wanted = (evictionsOf(source) ?? []).filter(
    ({ pod, node }) => pod.includes(question.search) || node.includes(question.search),
  )
  const lifecycle = lifecycleOf(source)
  return {
    now,
    total: wanted.length,
    entries: wanted.slice(0, question.limit).map(evictionItem),
    zones: lifecycle === undefined ? [] : zonesOf(lifecycle),
    silent: lifecycle === undefined ? [] : silentNodes(source, lifecycle, now),
  }
}

function evictionItem(eviction: PendingEviction): EvictionItem {
  const { pod, node, stage, fireAt, createdAt, cause, failures } = eviction
  return {
    pod,
    node,
    stage,
    fireAt,
    createdAt,
    cause,
    failures,
    taints: eviction.taints.map(formatTaint),
    tolerations: eviction.tolerations.map(tolerationText),
  }
}

export function evictionsWhere(
  source: ConsoleSource,
  holds: (eviction: PendingEviction) => boolean,
): readonly EvictionItem[] {
  return (evictionsOf(source) ?? []).filter(holds).map(evictionItem)
}

// A kubelet renews its Lease every ten seconds. Two missed renewals are reported, unless most of the grace period is
// left.
const quietMs = 25_000
const isQuiet = (silentMs: number, leftMs: number) => silentMs >= quietMs && silentMs >= leftMs

function silentNodes(source: ConsoleSource, { nodes }: LifecycleInspection, now: number): readonly SilentNode[] {
  const found: SilentNode[] = []
  for (const { node: name, expiresAt } of nodes) {
    const node = source.get('nodes', name)
    if (node === undefined) continue
    const health = healthOf(node)
    const lastSeen = lastSignOfLife(source, name)
    if (health === 0 && (lastSeen === undefined || !isQuiet(now - lastSeen, (expiresAt ?? now) - now))) continue
    found.push({
      node: name,
      health,
      ...(lastSeen === undefined ? {} : { lastSeen }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })
  }
  return found.sort((a, b) => (a.lastSeen ?? 0) - (b.lastSeen ?? 0))
}

export function lastSignOfLife(source: ConsoleSource, node: string): number | undefined {
  const lease = source.get('leases.coordination.k8s.io', `${nodeLeaseNamespace}/${node}`)
  const conditions = source.get('nodes', node)?.status?.conditions ?? []
  const times = [lease?.spec?.renewTime, ...conditions.map(({ lastHeartbeatTime }) => lastHeartbeatTime)]
  const seen = times.map((text) => parseTime(text) ?? 0)
  const newest = Math.max(0, ...seen)
  return newest === 0 ? undefined : newest
}

/** The time for which the node lifecycle controller waits for a node, if the controller runs. */
export function watchOf(source: ConsoleSource, node: string): { lastSeen?: number; expiresAt?: number } | undefined {
  const found = lifecycleOf(source)?.nodes.find((one) => one.node === node)
  if (found === undefined) return undefined
  return {
    lastSeen: found.health.probeAt,
    ...(found.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }),
  }
}

export function cidrAnswer(source: ConsoleSource, now: number): CidrAnswer {
  const ipam = ipamOf(source)
  if (ipam === undefined) return { now, allocator: 'none', ranges: [], serviceRanges: [], outOfRange: [], waiting: [] }
  const { allocator, serviceRanges, outOfRange, waiting } = ipam
  const ranges = ipam.ranges.map((one) => {
    const blocks = blocksOf(one, ipam)
    return {
      range: one.range,
      maskSize: one.maskSize,
      max: one.max,
      used: one.used,
      next: nextFree(one, blocks),
      ...(one.name === undefined ? {} : { name: one.name }),
      blocks,
    }
  })
  return { now, allocator, ranges, serviceRanges, outOfRange, waiting }
}

/**
 * The block that the next node gets: the first free block, starting at the candidate of the allocator; empty if no
 * block is free.
 */
export function nextFree(
  { range: text, maskSize, max, next }: Pick<CidrRange, 'range' | 'maskSize' | 'max' | 'next'>,
  blocks: readonly CidrBlock[],
): string {
  const range = parseCidr(text)
  if (range === undefined || blocks.length >= max) return ''
  const taken = new Set(blocks.map(([place]) => place))
  const candidate = parseCidr(next)
  const first =
    candidate === undefined
      ? 0n
      : (subnetIndex(range, maskSize, { family: candidate.family, bits: candidate.base }) ?? 0n)
  for (let step = 0; step < max; step++) {
    const place = (Number(first) + step) % max
    if (!taken.has(place)) return formatCidr(nthSubnet(range, maskSize, place))
  }
  return ''
}

/** The blocks of a range that are not free, each with its holders. */
function blocksOf(
  { range: text, maskSize, max }: NodeIpamInspection['ranges'][number],
  ipam: NodeIpamInspection,
): readonly CidrBlock[] {
  const range = parseCidr(text)
  if (range === undefined) return []
  const places = new Map<number, { kind: CidrBlock[2]; holders: string[] }>()
  const enter = (cidrText: string, kind: CidrBlock[2], holder: string) => {
    const cidr = parseCidr(cidrText)
    if (cidr === undefined || !cidrsOverlap(cidr, range)) return
    const [first, last] = spanOf(range, maskSize, max, cidr)
    for (let place = first; place <= last; place++) {
      const present = places.get(place)
      if (present === undefined) places.set(place, { kind, holders: holder === '' ? [] : [holder] })
      else if (!present.holders.includes(holder)) {
        present.kind = present.kind === 'leaked' ? kind : 'duplicate'
        present.holders.push(holder)
      }
    }
  }
  for (const service of ipam.serviceRanges) enter(service, 'service', 'services')
  for (const { node, cidrs } of ipam.holders) for (const cidr of cidrs) enter(cidr, 'node', node)
  for (const { node, cidrs } of ipam.reserved) for (const cidr of cidrs) enter(cidr, 'reserved', node)
  for (const cidr of ipam.leaked) enter(cidr, 'leaked', '')
  return [...places]
    .sort(([a], [b]) => a - b)
    .map(([place, { kind, holders }]) => [place, formatCidr(nthSubnet(range, maskSize, place)), kind, holders])
}

function spanOf(range: Cidr, maskSize: number, max: number, cidr: Cidr): readonly [number, number] {
  if (cidr.prefix <= range.prefix) return [0, max - 1]
  const first = subnetIndex(range, maskSize, { family: cidr.family, bits: cidr.base }) ?? 0n
  const last = subnetIndex(range, maskSize, lastAddress(cidr)) ?? first
  return [Number(first), Number(last)]
}
