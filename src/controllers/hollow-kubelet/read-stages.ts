import { choiceAt, durationAt, listAt, objectAt, textAt, WrongField } from '../../api/document-reader.ts'
import type { Json } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { compileStage } from './compiled-stage.ts'
import type { Stage, StageDelay, StageEvent, StageNext, StageSelector } from './stage.ts'

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

function stageOf(document: unknown): Stage {
  const { apiVersion, kind, metadata, spec } = objectAt(document, '', ['apiVersion', 'kind', 'metadata', 'spec'])
  choiceAt(apiVersion, 'apiVersion', ['berth.dev/v1alpha1'])
  choiceAt(kind, 'kind', ['Stage'])
  const name = textAt((metadata as Fields | undefined)?.['name'], 'metadata.name', 'slow-start')
  const fields = objectAt(spec, 'spec', ['of', 'selector', 'delay', 'probability', 'on', 'next'])
  const { probability, on } = fields
  const of = choiceAt(fields['of'], 'spec.of', ['Pod', 'Node'])
  if (probability !== undefined && !(typeof probability === 'number' && probability >= 0 && probability <= 1))
    throw new WrongField('spec.probability', 'must be a number from 0 to 1')
  if (on !== undefined && on !== 'reboot') throw new WrongField('spec.on', 'must be reboot, or absent')
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
    ...(labels === undefined ? {} : { labels: objectAt(labels, 'spec.selector.labels', labelSelector) }),
    ...(annotations === undefined
      ? {}
      : { annotations: objectAt(annotations, 'spec.selector.annotations', labelSelector) }),
    fields: listed.map((item, index) => {
      const path = `spec.selector.fields[${index}]`
      const { field, operator, values } = objectAt(item, path, ['field', 'operator', 'values'])
      return {
        field: textAt(field, `${path}.field`, 'status.phase'),
        operator: choiceAt(operator, `${path}.operator`, ['In', 'NotIn', 'Exists', 'DoesNotExist']),
        ...(values === undefined ? {} : { values: listAt(values, `${path}.values`).map(String) }),
      }
    }),
  }
}

const labelSelector = ['matchLabels', 'matchExpressions']

function delayOf(value: unknown): StageDelay {
  if (typeof value === 'string') return { afterMs: durationAt(value, 'spec.delay') }
  const fields = objectAt(value, 'spec.delay', ['after', 'jitter', 'annotation', 'grace', 'backoff'])
  const { after, jitter, annotation, grace, backoff } = fields
  const times = backoff === undefined ? undefined : objectAt(backoff, 'spec.delay.backoff', ['initial', 'max'])
  return {
    ...(after === undefined ? {} : { afterMs: durationAt(after, 'spec.delay.after') }),
    ...(jitter === undefined ? {} : { jitterMs: durationAt(jitter, 'spec.delay.jitter') }),
    ...(annotation === undefined
      ? {}
      : { annotation: textAt(annotation, 'spec.delay.annotation', 'example.com/delay') }),
    ...(grace === undefined ? {} : { grace: choiceAt(grace, 'spec.delay.grace', ['full', 'at-most']) }),
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
  if (given.length !== 1) throw new WrongField('spec.next', 'must have exactly one of status, patch, delete, silence')
  switch (given[0]) {
    case 'status':
      return { kind: 'status', status: fields['status'] as Json, ...events }
    case 'patch':
      return { kind: 'patch', patch: fields['patch'] as Json, ...events }
    case 'delete':
      if (fields['delete'] !== true) throw new WrongField('spec.next.delete', 'must be true')
      if (of !== 'Pod') throw new WrongField('spec.next.delete', 'only a stage of pods can delete')
      return { kind: 'delete', ...events }
    default:
      if (of !== 'Node') throw new WrongField('spec.next.silence', 'only a stage of nodes can silence')
      return { kind: 'silence', forMs: durationAt(fields['silence'], 'spec.next.silence'), ...events }
  }
}

function eventsOf(value: unknown): readonly StageEvent[] {
  return listAt(value, 'spec.next.events').map((item, index) => {
    const path = `spec.next.events[${index}]`
    const { type = 'Normal', reason, message } = objectAt(item, path, ['type', 'reason', 'message'])
    return {
      type: choiceAt(type, `${path}.type`, ['Normal', 'Warning']),
      reason: textAt(reason, `${path}.reason`, 'Started'),
      message: textAt(message, `${path}.message`, '"Started container"'),
    }
  })
}
