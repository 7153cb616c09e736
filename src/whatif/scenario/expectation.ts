import {
  choiceAt,
  durationAt,
  fieldOf,
  integerAt,
  listAt,
  objectAt,
  textAt,
  WrongField,
} from '../../api/document-reader.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import type { Fields } from '../../base/fields.ts'

/** The pods that an expectation applies to. */
export interface ExpectedPods {
  readonly selector?: LabelMatcher
  readonly namespace?: string
}

/** A condition that the whole run must meet. */
export type Expectation = { readonly path: string } & (
  | {
      readonly kind: 'noPodPending'
      readonly afterMs: number
      /** Pending for this long without interruption, at any time. */
      readonly forMs?: number
      readonly pods: ExpectedPods
    }
  /** No workload has fewer ready pods than its budget desires, for longer than a time. */
  | { readonly kind: 'workloadsAvailable'; readonly forMs: number; readonly pods: ExpectedPods }
  /** No pod on a Ready node terminates for longer than a time. */
  | { readonly kind: 'noPodStuck'; readonly forMs: number; readonly pods: ExpectedPods }
  | { readonly kind: 'noPodDeleted'; readonly pods: ExpectedPods }
  | { readonly kind: 'allRunningWithin'; readonly withinMs: number; readonly pods: ExpectedPods }
  | { readonly kind: 'maxUnavailable'; readonly max: number; readonly pods: ExpectedPods }
  | { readonly kind: 'maxEvictionsPerMinute'; readonly max: number }
  | { readonly kind: 'pdbNeverViolated'; readonly name?: string; readonly namespace?: string }
  | { readonly kind: 'settlesWithin'; readonly withinMs: number }
  | { readonly kind: 'drainedWithin'; readonly withinMs: number }
  | { readonly kind: 'noNewPending' }
  | { readonly kind: 'noLoop' }
  /** The worst verdict that is accepted. */
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
    case 'noNewPending':
    case 'noLoop':
      optionsAt(value, path, [])
      return { kind, path }
    case 'verdict':
      return { kind, path, worst: choiceAt(value, path, acceptedVerdicts) }
  }
}

const podFields = ['selector', 'namespace']

/** `true` is the same as an empty object. */
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

function textField<Name extends string>(
  fields: Fields,
  name: Name,
  path: string,
  example: string,
): { readonly [N in Name]?: string } {
  const value = fields[name]
  if (value === undefined) return {}
  return { [name]: textAt(value, fieldOf(path, name), example) } as { readonly [N in Name]?: string }
}
