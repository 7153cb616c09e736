import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { Json } from '../../api/objects/meta.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { compileStage } from './compiled-stage.ts'
import type { Stage, StageDelay, StageEvent, StageNext, StageSelector } from './stage.ts'

type Fields = Readonly<Record<string, unknown>>

/** A stage as users write it: `kind: Stage` of berth.dev/v1alpha1. The message of a failure begins with the field. */
export function readStage(document: unknown): Result<Stage> {
  try {
    const stage = stageOf(document)
    const compiled = compileStage(stage)
    return compiled.ok ? done(stage) : failed(`spec: ${compiled.message}`)
  } catch (error) {
    if (error instanceof WrongField) return failed(error.message)
    throw error
  }
}

/** Raised and caught in this file only: reading is a long chain of fields, each of which may be wrong. */
class WrongField extends Error {
  constructor(path: string, what: string) {
    super(`${path}: ${what}`)
  }
}

function stageOf(document: unknown): Stage {
  const { apiVersion, kind, metadata, spec } = objectAt(document, '', ['apiVersion', 'kind', 'metadata', 'spec'])
  if (apiVersion !== 'berth.dev/v1alpha1') throw new WrongField('apiVersion', 'it must be berth.dev/v1alpha1')
  if (kind !== 'Stage') throw new WrongField('kind', 'it must be Stage')
  const name = textAt((metadata as Fields | undefined)?.['name'], 'metadata.name')
  const fields = objectAt(spec, 'spec', ['of', 'selector', 'delay', 'probability', 'on', 'next'])
  const { of, probability, on } = fields
  if (of !== 'Pod' && of !== 'Node') throw new WrongField('spec.of', 'it must be Pod or Node')
  if (probability !== undefined && !(typeof probability === 'number' && probability >= 0 && probability <= 1))
    throw new WrongField('spec.probability', 'it must be a number from 0 to 1')
  if (on !== undefined && on !== 'reboot') throw new WrongField('spec.on', 'it must be reboot, or absent')
  const next = nextOf(fields['next'], of)
  return {
    name,
    of,
    ...(fields['selector'] === undefined ? {} : { selector: selectorOf(fields['selector']) }),
    ...(fields['delay'] === undefined ? {} : { delay: delayOf(fields['delay']) }),
    ...(probability === undefined ? {} : { probability }),
    ...(on === undefined ? {} : { on }),
    next,
  }
}

function selectorOf(value: unknown): StageSelector {
  const { labels, annotations, fields } = objectAt(value, 'spec.selector', ['labels', 'annotations', 'fields'])
  const listed = fields === undefined ? [] : listAt(fields, 'spec.selector.fields')
  return {
    ...(labels === undefined ? {} : { labels: objectAt(labels, 'spec.selector.labels', LABEL_SELECTOR) }),
    ...(annotations === undefined
      ? {}
      : { annotations: objectAt(annotations, 'spec.selector.annotations', LABEL_SELECTOR) }),
    fields: listed.map((item, index) => {
      const path = `spec.selector.fields[${index}]`
      const { field, operator, values } = objectAt(item, path, ['field', 'operator', 'values'])
      if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(String(operator)))
        throw new WrongField(`${path}.operator`, 'it must be In, NotIn, Exists or DoesNotExist')
      return {
        field: textAt(field, `${path}.field`),
        operator: operator as 'In',
        ...(values === undefined ? {} : { values: listAt(values, `${path}.values`).map(String) }),
      }
    }),
  }
}

const LABEL_SELECTOR = ['matchLabels', 'matchExpressions']

function delayOf(value: unknown): StageDelay {
  if (typeof value === 'string') return { afterMs: durationAt(value, 'spec.delay') }
  const fields = objectAt(value, 'spec.delay', ['after', 'jitter', 'annotation', 'grace', 'backoff'])
  const { after, jitter, annotation, grace, backoff } = fields
  if (grace !== undefined && grace !== 'full' && grace !== 'at-most')
    throw new WrongField('spec.delay.grace', 'it must be full or at-most')
  const times = backoff === undefined ? undefined : objectAt(backoff, 'spec.delay.backoff', ['initial', 'max'])
  return {
    ...(after === undefined ? {} : { afterMs: durationAt(after, 'spec.delay.after') }),
    ...(jitter === undefined ? {} : { jitterMs: durationAt(jitter, 'spec.delay.jitter') }),
    ...(annotation === undefined ? {} : { annotation: textAt(annotation, 'spec.delay.annotation') }),
    ...(grace === undefined ? {} : { grace }),
    ...(times === undefined
      ? {}
      : {
          backoff: {
            initialMs: durationAt(times['initial'], 'spec.delay.backoff.initial'),
            maxMs: durationAt(times['max'], 'spec.delay.backoff.max'),
          },
        }),
  }
}

function nextOf(value: unknown, of: Stage['of']): StageNext {
  const fields = objectAt(value, 'spec.next', ['status', 'patch', 'delete', 'silence', 'events'])
  const events = fields['events'] === undefined ? {} : { events: eventsOf(fields['events']) }
  const given = ['status', 'patch', 'delete', 'silence'].filter((name) => fields[name] !== undefined)
  if (given.length !== 1) throw new WrongField('spec.next', 'it must have one of status, patch, delete, silence')
  switch (given[0]) {
    case 'status':
      return { kind: 'status', status: fields['status'] as Json, ...events }
    case 'patch':
      return { kind: 'patch', patch: fields['patch'] as Json, ...events }
    case 'delete':
      if (fields['delete'] !== true) throw new WrongField('spec.next.delete', 'it must be true')
      if (of !== 'Pod') throw new WrongField('spec.next.delete', 'only pods are deleted')
      return { kind: 'delete', ...events }
    default:
      if (of !== 'Node') throw new WrongField('spec.next.silence', 'only nodes fall silent')
      return { kind: 'silence', forMs: durationAt(fields['silence'], 'spec.next.silence'), ...events }
  }
}

function eventsOf(value: unknown): readonly StageEvent[] {
  return listAt(value, 'spec.next.events').map((item, index) => {
    const path = `spec.next.events[${index}]`
    const { type = 'Normal', reason, message } = objectAt(item, path, ['type', 'reason', 'message'])
    if (type !== 'Normal' && type !== 'Warning') throw new WrongField(`${path}.type`, 'it must be Normal or Warning')
    return { type, reason: textAt(reason, `${path}.reason`), message: textAt(message, `${path}.message`) }
  })
}

function objectAt(value: unknown, path: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WrongField(path || 'the document', 'it must be an object')
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      throw new WrongField(
        `${path === '' ? '' : `${path}.`}${name}`,
        `there is no such field; there are ${known.join(', ')}`,
      )
  }
  return value as Fields
}

function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongField(path, 'it must be a list')
  return value
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new WrongField(path, 'it must be a text that is not empty')
  return value
}

function durationAt(value: unknown, path: string): number {
  const parsed = typeof value === 'string' ? parseGoDurationMs(value) : undefined
  if (parsed?.ok !== true || parsed.value < 0) throw new WrongField(path, 'it must be a duration such as 10s or 1m30s')
  return parsed.value
}
