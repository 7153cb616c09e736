import { findCondition } from '../../../src/api/conditions.ts'
import type { Node, Taint } from '../../../src/api/objects/node.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { formatTaint } from '../../../src/api/taints.ts'
import type { PendingEviction } from '../../../src/controllers/taint-eviction/pending-eviction.ts'
import type { Change } from '../../../src/runtime/controller.ts'

/** A readable trace: an instant, an object, a fact. */
export interface Trace {
  fact(object: string, what: string): void
  say(text: string): void
  metric(line: string): void
  describe(what: string, held: unknown): readonly string[]
  end(): void
  readonly lines: readonly string[]
}

export function createTrace(elapsedMs: () => number): Trace {
  const lines: string[] = []
  const stamp = () => `${(elapsedMs() / 1000).toFixed(2).padStart(7)}s`
  return {
    lines,
    fact: (object, what) => lines.push(`${stamp()}  ${object.padEnd(16)} ${what}`),
    say: (text) => lines.push(`${stamp()}  ${text}`),
    metric: (line) => {
      if (line !== '' && !line.startsWith('#') && !line.includes('_bucket'))
        lines.push(`${''.padStart(10)}${line.split('\u0000').join('')}`)
    },
    describe: (what, held) =>
      what === 'evictions' ? evictions(held as readonly PendingEviction[]) : zones(what, held),
    end: () => lines.push(`${stamp()}  the end`),
  }
}

/** Instants in a trace count from the same beginning as the story. */
const beginning = Date.parse('2026-01-01T00:00:00Z')

function evictions(held: readonly PendingEviction[]): readonly string[] {
  if (held.length === 0) return ['no eviction is pending']
  return held.map(({ pod, node, stage, fireAt, createdAt, cause }) => {
    const [due, since] = [fireAt, createdAt].map((at) => `${(at - beginning) / 1000}s`)
    return `pending: ${pod} on ${node}, ${stage}, due ${due}, counted from ${since}: ${cause}`
  })
}

interface HeldZones {
  readonly zones: readonly {
    readonly zone: string
    readonly state: string
    readonly size: number
    readonly unhealthy: number
    readonly perSecond: number
    readonly waiting: readonly string[]
  }[]
}

function zones(what: string, held: unknown): readonly string[] {
  if (what !== 'zones') return []
  return (held as HeldZones).zones.map(({ zone, state, size, unhealthy, perSecond, waiting }) => {
    const name = zone.split('\u0000:').join('').replace(/^:/, '') || '(no zone)'
    const queue = waiting.length === 0 ? '' : `, waiting: ${waiting.join(' ')}`
    return `zone ${name}: ${state}, ${unhealthy} of ${size} unhealthy, ${perSecond} per second${queue}`
  })
}

export function traceChanges(changes: readonly Change[], trace: Trace): void {
  for (const change of changes) {
    if (change.resource === 'nodes') traceNode(change.key, change.before, change.after, trace)
    if (change.resource === 'pods') tracePod(change.key.split('/')[1] as string, change.before, change.after, trace)
  }
}

function traceNode(name: string, before: Node | undefined, after: Node | undefined, trace: Trace): void {
  const object = `node/${name}`
  if (before === undefined) trace.fact(object, 'created')
  if (after === undefined) trace.fact(object, 'deleted')
  if (before === undefined || after === undefined) return
  for (const condition of after.status?.conditions ?? []) {
    const old = findCondition(before.status?.conditions, condition.type)
    if (old?.status !== condition.status) {
      trace.fact(object, `${condition.type} is ${condition.status} (${condition.reason ?? ''})`)
    }
  }
  const had = new Set(before.spec?.taints?.map(formatTaint))
  const has = new Set(after.spec?.taints?.map(formatTaint))
  for (const taint of after.spec?.taints ?? [])
    if (!had.has(formatTaint(taint))) trace.fact(object, `tainted ${stamped(taint)}`)
  for (const taint of had) if (!has.has(taint)) trace.fact(object, `untainted ${taint}`)
  for (const [key, value] of Object.entries(after.metadata.labels ?? {})) {
    if (before.metadata.labels?.[key] !== value) trace.fact(object, `labeled ${key}=${value}`)
  }
  if (before.spec?.unschedulable !== after.spec?.unschedulable) {
    trace.fact(object, after.spec?.unschedulable === true ? 'cordoned' : 'uncordoned')
  }
}

function stamped(taint: Taint): string {
  return taint.timeAdded === undefined ? formatTaint(taint) : `${formatTaint(taint)} (timeAdded)`
}

function tracePod(name: string, before: Pod | undefined, after: Pod | undefined, trace: Trace): void {
  const object = `pod/${name}`
  const node = (after ?? before)?.spec.nodeName ?? ''
  if (before === undefined) trace.fact(object, 'created')
  if (after === undefined) {
    trace.fact(object, `gone from ${node || 'no node'}`)
    return
  }
  if (before?.spec.nodeName !== after.spec.nodeName) trace.fact(object, `bound to ${node}`)
  const was = findCondition(before?.status?.conditions, 'Ready')?.status
  const ready = findCondition(after.status?.conditions, 'Ready')?.status
  if (was !== undefined && ready === 'False' && was !== 'False') trace.fact(object, `not ready on ${node}`)
  const disruption = findCondition(after.status?.conditions, 'DisruptionTarget')
  if (disruption !== undefined && findCondition(before?.status?.conditions, 'DisruptionTarget') === undefined) {
    trace.fact(object, `disruption ${disruption.reason}: ${disruption.message}`)
  }
  if (after.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined) {
    trace.fact(object, `terminating on ${node}`)
  }
  if (before?.status?.phase !== after.status?.phase && after.status?.phase === 'Succeeded') {
    trace.fact(object, 'succeeded')
  }
}
