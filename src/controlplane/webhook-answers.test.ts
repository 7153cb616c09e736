import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/objects/meta.ts'
import type { WebhookAsk } from '../registry/attempt.ts'
import { type RecordedAnswer, RecordedAnswers, WebhookAnswers } from './webhook-answers.ts'

const pod = { metadata: { generateName: 'web-', labels: { app: 'web' } }, spec: { containers: [] } }

function ask(failurePolicy: 'Fail' | 'Ignore' = 'Fail', request: JsonObject = {}): WebhookAsk {
  return {
    purpose: 'mutate',
    webhook: 'inject.example.com',
    configuration: 'sidecars',
    failurePolicy,
    target: { url: 'https://hooks.example/inject' },
    timeoutMs: 10_000,
    review: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u1',
        operation: 'CREATE',
        resource: { group: '', version: 'v1', resource: 'pods' },
        namespace: 'shop',
        object: pod,
        ...request,
      },
    },
  }
}

const answerOf = (match: RecordedAnswer['match'], response: JsonObject = { allowed: true }): RecordedAnswer => ({
  webhook: 'inject.example.com',
  match,
  response,
})

const isRecorded = (match: RecordedAnswer['match'], request: JsonObject = {}): boolean =>
  new WebhookAnswers({ recording: [answerOf(match)] }).answer(ask('Fail', request)).kind === 'ok'

describe('a recorded answer', () => {
  it.each<[boolean, RecordedAnswer['match'], JsonObject]>([
    [true, {}, {}],
    [true, { operation: 'CREATE', resource: 'pods', namespace: 'shop' }, {}],
    [false, { operation: 'UPDATE' }, {}],
    [false, { namespace: 'other' }, {}],
    [true, { resource: 'deployments.apps' }, { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
    [false, { resource: 'deployments' }, { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
    [true, { name: 'web-*' }, {}],
    [false, { name: 'api-*' }, {}],
    [true, { name: 'web-0' }, { name: 'web-0', object: { metadata: { name: 'web-0' } } }],
    [true, { object: { metadata: { labels: { app: 'web' } } } }, {}],
    [false, { object: { metadata: { labels: { app: 'api' } } } }, {}],
    [true, { subresource: '' }, {}],
    [false, { subresource: 'eviction' }, {}],
    [true, { subresource: 'eviction' }, { subResource: 'eviction' }],
  ])('a recorded answer matches (%s) by %j to %j', (applies, match, request) => {
    expect(isRecorded(match, request)).toBe(applies)
  })

  it('makes an AdmissionReview with the uid of the question and the patch in base64', () => {
    const operations = [{ op: 'add', path: '/metadata/labels/mesh', value: 'on' }]
    const answers = new WebhookAnswers({ recording: [answerOf({}, { allowed: true, jsonPatch: operations })] })
    expect(answers.answer(ask())).toEqual({
      kind: 'ok',
      body: {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: {
          uid: 'u1',
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
        },
      },
    })
  })

  it('a recorded answer takes precedence over a live one, and the first match is used', () => {
    const recording = [answerOf({ namespace: 'other' }), answerOf({}, { allowed: false, status: { message: 'no' } })]
    const live = () => {
      throw new Error('asked')
    }
    const answers = new WebhookAnswers({ recording, live })
    answers.answer(ask())
    expect(answers.uses()).toMatchObject([{ recorded: 1, live: 0, denied: 1, reason: 'no' }])
  })
})

describe('a webhook without a recorded answer', () => {
  it('a webhook without a recorded answer fails, and its failurePolicy decides', () => {
    const answers = new WebhookAnswers()
    expect([answers.answer(ask('Fail')).kind, answers.answer(ask('Ignore')).kind]).toEqual(['failed', 'failed'])
    const [use] = answers.uses()
    expect(use).toMatchObject({ webhook: 'inject.example.com', configuration: 'sidecars', failed: 2 })
  })

  it('a webhook without a recorded answer allows the request if unanswered webhooks are allowed', () => {
    const answers = new WebhookAnswers({ unanswered: 'allow' })
    expect(answers.answer(ask())).toMatchObject({ kind: 'ok', body: { response: { uid: 'u1', allowed: true } } })
    expect(answers.uses()).toMatchObject([{ skipped: 1, failed: 0 }])
  })

  it('calls a live webhook, and keeps its answers as a recording for the next run', () => {
    const response = { uid: 'u1', allowed: true, warnings: ['old'] }
    const live = () => ({ kind: 'ok', body: { response } }) as const
    const record = new RecordedAnswers()
    const answers = new WebhookAnswers({ live, record })
    answers.answer(ask())
    answers.answer(ask('Fail', { uid: 'u2' }))
    expect(record.all()).toEqual([
      {
        configuration: 'sidecars',
        webhook: 'inject.example.com',
        match: { operation: 'CREATE', resource: 'pods', subresource: '', namespace: 'shop', name: 'web-*' },
        response: { allowed: true, warnings: ['old'] },
      },
    ])
    const replay = new WebhookAnswers({ recording: record.all() })
    expect(replay.answer(ask()).kind).toBe('ok')
  })
})
