import { describe, expect, it } from 'vitest'
import { readStage } from './read-stages.ts'

const stage = (spec: object, more: object = {}) => ({
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'mine' },
  spec,
  ...more,
})

describe('a stage that a user wrote', () => {
  it('is read with all its fields', () => {
    const read = readStage(
      stage({
        of: 'Pod',
        selector: {
          labels: { matchLabels: { app: 'db' } },
          fields: [{ field: 'status.conditions[Ready].status', operator: 'In', values: ['False'] }],
        },
        delay: { after: '1m30s', jitter: '10s', annotation: 'example.com/delay' },
        probability: 0.5,
        next: { status: { phase: 'Running' }, events: [{ reason: 'Started', message: 'It runs' }] },
      }),
    )
    expect(read).toEqual({
      ok: true,
      value: {
        name: 'mine',
        of: 'Pod',
        selector: {
          labels: { matchLabels: { app: 'db' } },
          fields: [{ field: 'status.conditions[Ready].status', operator: 'In', values: ['False'] }],
        },
        delay: { afterMs: 90_000, jitterMs: 10_000, annotation: 'example.com/delay' },
        probability: 0.5,
        next: {
          kind: 'status',
          status: { phase: 'Running' },
          events: [{ type: 'Normal', reason: 'Started', message: 'It runs' }],
        },
      },
    })
  })

  it.each([
    ['a short delay', { of: 'Pod', delay: '5s', next: { delete: true } }, { delay: { afterMs: 5000 } }],
    ['a silence', { of: 'Node', next: { silence: '2m' } }, { next: { kind: 'silence', forMs: 120_000 } }],
    [
      'a backoff',
      { of: 'Pod', delay: { backoff: { initial: '1s', max: '8s' } }, next: { delete: true } },
      { delay: { backoff: { initialMs: 1000, maxMs: 8000 } } },
    ],
  ])('may have %s', (_name, spec, expected) => {
    const read = readStage(stage(spec))
    expect(read.ok && read.value).toMatchObject(expected)
  })

  it.each<[unknown, string]>([
    ['text', 'the document: it must be an object'],
    [stage({}, { kind: 'Pod' }), 'kind: it must be Stage'],
    [stage({}, { apiVersion: 'v1' }), 'apiVersion: it must be berth.dev/v1alpha1'],
    [stage({}, { metadata: {} }), 'metadata.name: it must be a text that is not empty'],
    [stage({ of: 'Service' }), 'spec.of: it must be Pod or Node'],
    [
      stage({ of: 'Pod', dealy: '1s' }),
      'spec.dealy: there is no such field; there are of, selector, delay, probability, on, next',
    ],
    [stage({ of: 'Pod', next: {} }), 'spec.next: it must have one of status, patch, delete, silence'],
    [stage({ of: 'Pod', next: { silence: '1m' } }), 'spec.next.silence: only nodes fall silent'],
    [stage({ of: 'Node', next: { delete: true } }), 'spec.next.delete: only pods are deleted'],
    [
      stage({ of: 'Pod', delay: 'soon', next: { delete: true } }),
      'spec.delay: it must be a duration such as 10s or 1m30s',
    ],
    [
      stage({ of: 'Pod', selector: { fields: [{ field: 'a..b', operator: 'Exists' }] }, next: { delete: true } }),
      'spec: "a..b" is not a field path such as status.conditions[Ready].status',
    ],
    [
      stage({ of: 'Pod', selector: { fields: [{ field: 'a', operator: 'Is' }] }, next: { delete: true } }),
      'spec.selector.fields[0].operator: it must be In, NotIn, Exists or DoesNotExist',
    ],
    [stage({ of: 'Pod', probability: 2, next: { delete: true } }), 'spec.probability: it must be a number from 0 to 1'],
  ])('%j is refused with its field', (document, message) => {
    expect(readStage(document)).toEqual({ ok: false, message })
  })
})
