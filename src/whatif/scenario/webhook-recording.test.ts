import { describe, expect, it } from 'vitest'
import { readWebhookRecording, webhookRecording } from './webhook-recording.ts'

const document = (...answers: unknown[]) => ({ apiVersion: 'berth.dev/v1alpha1', kind: 'WebhookRecording', answers })
const response = { allowed: true }

describe('a webhook recording', () => {
  it('reads a recording that berth wrote', () => {
    const answers = [
      {
        configuration: 'sidecars',
        webhook: 'inject.example.com',
        match: { operation: 'CREATE', resource: 'pods', subresource: '', namespace: 'shop', name: 'web-*' },
        response: { allowed: true, jsonPatch: [{ op: 'remove', path: '/spec/nodeName' }] },
      },
    ]
    expect(readWebhookRecording(webhookRecording(answers))).toEqual(answers)
  })

  it.each<[unknown, string]>([
    [{ ...document(), kind: 'Recording' }, 'kind: must be WebhookRecording'],
    [document({ response }), 'answers[0].webhook: required; must be a string such as inject.example.com'],
    [document({ webhook: 'x', response: {} }), 'answers[0].response.allowed: must be true or false'],
    [document({ webhook: 'x', response, matches: {} }), 'answers[0].matches: unknown field'],
    [document({ webhook: 'x', response, match: { kind: 'Pod' } }), 'answers[0].match.kind: unknown field'],
    [
      document({ webhook: 'x', response: { allowed: true, jsonPatch: [{ op: 'add' }] } }),
      'answers[0].response.jsonPatch[0].path: must be a string',
    ],
  ])('refuses a recording with an invalid field: %j', (value, message) => {
    expect(() => readWebhookRecording(value)).toThrow(message)
  })
})
