import { describe, expect, it } from 'vitest'
import { readStage } from './read-stages.ts'

const stage = (spec: object, more: object = {}) => ({
  apiVersion: 'berth.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'mine' },
  spec,
  ...more,
})

describe('stages of users', () => {
  it('reads a stage with all its fields', () => {
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
  ])('reads a stage with %s', (_name, spec, expected) => {
    const read = readStage(stage(spec))
    expect(read.ok && read.value).toMatchObject(expected)
  })

  it.each<[unknown, string]>([
    ['text', 'must be an object, not "text"'],
    [stage({}, { kind: 'Pod' }), 'kind: must be one of Stage, not "Pod"'],
    [stage({}, { apiVersion: 'v1' }), 'apiVersion: must be one of berth.dev/v1alpha1, not "v1"'],
    [stage({}, { metadata: {} }), 'metadata.name: required; must be a string such as slow-start'],
    [stage({ of: 'Service' }), 'spec.of: must be one of Pod, Node, not "Service"'],
    [stage({ of: 'Pod', dealy: '1s' }), 'spec.dealy: unknown field; did you mean delay?'],
    [stage({ of: 'Pod', next: {} }), 'spec.next: must have exactly one of status, patch, delete, silence'],
    [stage({ of: 'Pod', next: { silence: '1m' } }), 'spec.next.silence: only a stage of nodes can silence'],
    [stage({ of: 'Node', next: { delete: true } }), 'spec.next.delete: only a stage of pods can delete'],
    [
      stage({ of: 'Pod', delay: 'soon', next: { delete: true } }),
      'spec.delay: must be a duration such as 30s or 1h15m, not "soon"',
    ],
    [
      stage({ of: 'Pod', selector: { fields: [{ field: 'a..b', operator: 'Exists' }] }, next: { delete: true } }),
      'spec: "a..b" is not a field path such as status.conditions[Ready].status',
    ],
    [
      stage({ of: 'Pod', selector: { fields: [{ field: 'a', operator: 'Is' }] }, next: { delete: true } }),
      'spec.selector.fields[0].operator: must be one of In, NotIn, Exists, DoesNotExist, not "Is"',
    ],
    [stage({ of: 'Pod', probability: 2, next: { delete: true } }), 'spec.probability: must be a number from 0 to 1'],
  ])('refuses %j and names the field', (document, message) => {
    expect(readStage(document)).toEqual({ ok: false, message })
  })
})
