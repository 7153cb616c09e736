import { lookupTable } from '../../base/lookup-table.ts'
import type { TraceLine } from './fact.ts'

/** One line of the printed timeline: the same event of several objects at about the same time. */
export interface TimelineRow {
  readonly seconds: number
  readonly what: string
  readonly objects: readonly string[]
}

export interface CondenseOptions {
  /** Events of one kind within this time are one row. */
  readonly withinSeconds?: number
  /** Pods on different nodes are different rows. */
  readonly byNode?: boolean
}

// Verbs whose detail is the node of a pod.
const placed: ReadonlySet<string> = new Set(['bound', 'notReady', 'terminating', 'gone'])

export function condense(
  lines: readonly TraceLine[],
  { withinSeconds = 0.05, byNode = true }: CondenseOptions = {},
): readonly TimelineRow[] {
  const rows: { seconds: number; what: string; objects: string[] }[] = []
  let open = new Map<string, { seconds: number; what: string; objects: string[] }>()
  let openedAt = Number.NEGATIVE_INFINITY
  for (const line of lines) {
    // The deletion follows immediately and has the same meaning.
    if (line.what === 'disruption') continue
    if (line.t - openedAt > withinSeconds) {
      open = new Map()
      openedAt = line.t
    }
    const what = !byNode && placed.has(line.what) ? (verbs[line.what] as string) : phraseOf(line)
    const row = open.get(what)
    if (row !== undefined) {
      row.objects.push(nameOf(line))
      continue
    }
    const fresh = { seconds: line.t, what, objects: [nameOf(line)] }
    open.set(what, fresh)
    rows.push(fresh)
  }
  return rows
}

const verbs = lookupTable<string>({
  bound: 'bound',
  notReady: 'not ready',
  terminating: 'deleted',
  gone: 'terminated',
})

function nameOf({ what, object, namespace }: TraceLine): string {
  if (what === 'step') return ''
  return namespace === undefined ? object : `${namespace}/${object.slice(object.indexOf('/') + 1)}`
}

/** `pod/web-*` three times is `pod/web-* ×3`. */
export function tallied(objects: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const object of objects) counts.set(object, (counts.get(object) ?? 0) + 1)
  return [...counts].map(([object, count]) => (count === 1 ? object : `${object} ×${count}`))
}

function phraseOf({ what, object, detail }: TraceLine): string {
  const said = typeof detail === 'string' ? detail : ''
  switch (what) {
    case 'step':
      return `step: ${object} ${stepText(object, detail)}`.trimEnd()
    case 'ready':
      return `Ready is ${said}`
    case 'tainted':
      return `tainted ${said}`
    case 'untainted':
      return `untainted ${said}`
    case 'podCIDR':
      return `podCIDR ${said}`
    case 'bound':
      return `bound to ${said}`
    case 'unschedulable':
      return `unschedulable: ${said}`
    case 'gated':
      return 'gated'
    case 'nominated':
      return `nominated to ${said}`
    case 'notReady':
      return `not ready on ${said}`
    case 'terminating':
      return said === '' ? 'deleted' : `deleted on ${said}`
    case 'gone':
      return said === '' ? 'terminated' : `terminated on ${said}`
    default:
      return what
  }
}

/** The step as written, without its time, and with names instead of objects. */
export function stepText(kind: string, detail: unknown): string {
  const content = (detail as Readonly<Record<string, unknown>> | undefined)?.[kind]
  if (content === undefined) return ''
  const listed = (content as { readonly objects?: readonly string[] }).objects
  if (listed !== undefined) return listed.join(', ')
  if (kind === 'apply') {
    const objects = [content].flat() as readonly { kind?: string; metadata?: { name?: string } }[]
    return objects.map((item) => (typeof item === 'string' ? item : `${item.kind}/${item.metadata?.name}`)).join(', ')
  }
  if (typeof content !== 'object' || content === null) return String(content)
  return Object.entries(content)
    .map(([name, value]) => fieldText(name, value))
    .join(', ')
}

// Fields that are printed without their name, and options that are printed as words.
const unnamed: ReadonlySet<string> = new Set(['node', 'nodes', 'target', 'controller'])
const choices = lookupTable<string>({ oneByOne: 'one after the other', force: 'forced' })

function fieldText(name: string, value: unknown): string {
  if (value === true && choices[name] !== undefined) return choices[name]
  const text = typeof value === 'object' ? compact(value) : String(value)
  if (name === 'afterwards') return `then ${text}`
  if (name === 'selector') return `nodes with ${text}`
  return unnamed.has(name) ? text : `${name} ${text}`
}

function compact(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
