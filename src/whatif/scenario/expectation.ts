import {
  choiceAt,
  durationAt,
  fieldOf,
  integerAt,
  listAt,
  objectAt,
  optionalAt,
  textAt,
  WrongField,
} from '../../api/document-reader.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { Fields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'

/** The pods that an expectation applies to. */
export interface ExpectedPods {
  readonly selector?: LabelMatcher
  readonly namespace?: string
}

/** Absent fields select all. */
export interface ExpectedWorkload {
  /** In lower case. */
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

export function selectsWorkload(
  { kind, name, namespace }: ExpectedWorkload,
  workload: { readonly kind: string; readonly name: string; readonly namespace: string },
): boolean {
  return (
    (kind === undefined || kind === workload.kind.toLowerCase()) &&
    (name === undefined || name === workload.name) &&
    (namespace === undefined || namespace === workload.namespace)
  )
}

/** A condition that the whole run must meet. */
export type Expectation = { readonly path: string } & (
  | {
      readonly kind: 'noPodPending'
      readonly afterMs: number
      /** The pod is pending for this time without interruption, at any time. */
      readonly forMs?: number
      readonly pods: ExpectedPods
    }
  /** No workload has fewer ready pods than its budget desires for longer than a time. */
  | { readonly kind: 'workloadsAvailable'; readonly forMs: number; readonly pods: ExpectedPods }
  /** No pod on a Ready node is terminating for longer than a time. */
  | { readonly kind: 'noPodStuck'; readonly forMs: number; readonly pods: ExpectedPods }
  | { readonly kind: 'noPodDeleted'; readonly pods: ExpectedPods }
  | { readonly kind: 'allRunningWithin'; readonly withinMs: number; readonly pods: ExpectedPods }
  | { readonly kind: 'maxUnavailable'; readonly max: number; readonly pods: ExpectedPods }
  | { readonly kind: 'maxEvictionsPerMinute'; readonly max: number }
  | { readonly kind: 'pdbNeverViolated'; readonly name?: string; readonly namespace?: string }
  | { readonly kind: 'settlesWithin'; readonly withinMs: number }
  | { readonly kind: 'drainedWithin'; readonly withinMs: number }
  /** The workload never has fewer ready pods, unless this also happens without the steps. */
  | { readonly kind: 'minReady'; readonly workload: ExpectedWorkload; readonly count: number }
  /** No workload has fewer ready pods than before for longer than this in total. */
  | { readonly kind: 'maxUnavailableTime'; readonly workload: ExpectedWorkload; readonly maxMs: number }
  | { readonly kind: 'noNewPending' }
  | { readonly kind: 'noLoop' }
  /** The worst accepted verdict. */
  | { readonly kind: 'verdict'; readonly worst: AcceptedVerdict }
)

const acceptedVerdicts = ['SAFE', 'DEGRADED', 'BLOCKED'] as const
type AcceptedVerdict = (typeof acceptedVerdicts)[number]

export const expectationKinds = [
  'noPodPending',
  'workloadsAvailable',
  'noPodStuck',
  'noPodDeleted',
  'allRunningWithin',
  'maxUnavailable',
  'maxEvictionsPerMinute',
  'pdbNeverViolated',
  'settlesWithin',
  'drainedWithin',
  'minReady',
  'maxUnavailableTime',
  'noNewPending',
  'noLoop',
  'verdict',
] as const satisfies readonly Expectation['kind'][]

/** Reads a list of expectations, or an object with one field per expectation. */
export function readExpectations(value: unknown, path: string): readonly Expectation[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return readSet(value, path)
  return listAt(value, path).flatMap((item, at) =>
    typeof item === 'string' ? readSet({ [item]: true }, `${path}[${at}]`) : readSet(item, `${path}[${at}]`),
  )
}

function readSet(value: unknown, path: string): readonly Expectation[] {
  const fields = objectAt(value, path, expectationKinds)
  return expectationKinds
    .filter((kind) => fields[kind] !== undefined)
    .map((kind) => readOne(kind, fields[kind], fieldOf(path, kind)))
}

function readOne(kind: Expectation['kind'], value: unknown, path: string): Expectation {
  switch (kind) {
    case 'noPodPending': {
      const fields = optionsAt(value, path, ['after', 'for', ...podFields])
      const afterMs = fields['after'] === undefined ? 0 : durationAt(fields['after'], fieldOf(path, 'after'))
      const lasting = fields['for'] === undefined ? {} : { forMs: durationAt(fields['for'], fieldOf(path, 'for')) }
      return { kind, path, afterMs, ...lasting, pods: podsAt(fields, path) }
    }
    case 'workloadsAvailable':
    case 'noPodStuck': {
      const fields = optionsAt(value, path, ['for', ...podFields])
      const usualMs = kind === 'noPodStuck' ? 600_000 : 0
      const forMs = fields['for'] === undefined ? usualMs : durationAt(fields['for'], fieldOf(path, 'for'))
      return { kind, path, forMs, pods: podsAt(fields, path) }
    }
    case 'noPodDeleted':
      return { kind, path, pods: podsAt(optionsAt(value, path, podFields), path) }
    case 'allRunningWithin': {
      if (typeof value === 'string') return { kind, path, withinMs: durationAt(value, path), pods: {} }
      const fields = objectAt(value, path, ['within', ...podFields])
      return { kind, path, withinMs: durationAt(fields['within'], fieldOf(path, 'within')), pods: podsAt(fields, path) }
    }
    case 'maxUnavailable': {
      if (typeof value === 'number') return { kind, path, max: integerAt(value, path), pods: {} }
      const fields = objectAt(value, path, ['max', ...podFields])
      return { kind, path, max: integerAt(fields['max'], fieldOf(path, 'max')), pods: podsAt(fields, path) }
    }
    case 'maxEvictionsPerMinute':
      return { kind, path, max: integerAt(value, path) }
    case 'pdbNeverViolated': {
      const fields = optionsAt(value, path, ['name', 'namespace'])
      return {
        kind,
        path,
        ...textField(fields, 'name', path, 'web'),
        ...textField(fields, 'namespace', path, 'default'),
      }
    }
    case 'settlesWithin':
    case 'drainedWithin':
      return { kind, path, withinMs: durationAt(value, path) }
    case 'minReady':
      return minReadyAt(value, path)
    case 'maxUnavailableTime':
      return maxUnavailableTimeAt(value, path)
    case 'noNewPending':
    case 'noLoop':
      optionsAt(value, path, [])
      return { kind, path }
    case 'verdict':
      return { kind, path, worst: choiceAt(value, path, acceptedVerdicts) }
  }
}

function minReadyAt(value: unknown, path: string): Expectation {
  const fields = objectAt(value, path, ['workload', 'namespace', 'count'])
  const count = integerAt(fields['count'], fieldOf(path, 'count'))
  return { kind: 'minReady', path, workload: namedWorkload(fields, path), count }
}

function maxUnavailableTimeAt(value: unknown, path: string): Expectation {
  const kind = 'maxUnavailableTime'
  if (typeof value === 'string') return { kind, path, workload: {}, maxMs: durationAt(value, path) }
  const fields = objectAt(value, path, ['workload', 'namespace', 'max'])
  const isNamed = fields['workload'] !== undefined
  const workload = isNamed ? namedWorkload(fields, path) : textField(fields, 'namespace', path, 'default')
  return { kind, path, workload, maxMs: durationAt(fields['max'], fieldOf(path, 'max')) }
}

/** As with kubectl, the namespace of a named object is `default` unless it is set. */
function namedWorkload(fields: Fields, path: string): ExpectedWorkload {
  const at = fieldOf(path, 'workload')
  const workload = workloadOf(textAt(fields['workload'], at, 'deployment/web'), at)
  return { ...workload, namespace: 'default', ...textField(fields, 'namespace', path, 'default') }
}

const kindNames = lookupTable<string>({
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  rs: 'replicaset',
  rc: 'replicationcontroller',
  cj: 'cronjob',
  po: 'pod',
})

/** `deployment/web`, or `web` of any kind. */
function workloadOf(text: string, path: string): ExpectedWorkload {
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2 || parts.includes(''))
    throw new WrongField(path, 'must be KIND/NAME, for example deployment/web')
  const kind = parts.length === 1 ? undefined : parts[0]?.toLowerCase()
  if (kind === undefined) return { name }
  return { kind: kindNames[kind] ?? kindNames[kind.replace(/s$/, '')] ?? kind.replace(/s$/, ''), name }
}

const podFields = ['selector', 'namespace']

/** `true` is equivalent to an empty object. */
function optionsAt(value: unknown, path: string, known: readonly string[]): Fields {
  if (value === true) return {}
  if (value === false) throw new WrongField(path, 'must be true or an object; omit the field instead of false')
  return objectAt(value, path, known)
}

function podsAt(fields: Fields, path: string): ExpectedPods {
  const namespace = textField(fields, 'namespace', path, 'default')
  if (fields['selector'] === undefined) return namespace
  const parsed = parseLabelSelector(textAt(fields['selector'], fieldOf(path, 'selector'), 'app=web'))
  if (!parsed.ok) throw new WrongField(fieldOf(path, 'selector'), parsed.message)
  return { selector: parsed.value, ...namespace }
}

function textField<Name extends string>(fields: Fields, name: Name, path: string, example: string) {
  return optionalAt(fields, name, path, (value, at) => textAt(value, at, example))
}
