import { fieldOf, jsonObjectAt, listAt, objectAt, textAt, WrongField } from '../../api/document-reader.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { RecordedAnswer, RecordedMatch } from '../../controlplane/webhook-answers.ts'

export const recordingApiVersion = 'berth.dev/v1alpha1'
export const recordingKind = 'WebhookRecording'

const texts = ['operation', 'resource', 'namespace', 'name'] as const
const patches = ['patch', 'patchType', 'jsonPatch'] as const
const responseFields = ['allowed', 'status', 'warnings', 'auditAnnotations', ...patches]

/** Reads a document of kind WebhookRecording. Throws WrongField. */
export function readWebhookRecording(value: unknown): readonly RecordedAnswer[] {
  const fields = objectAt(value, '', ['apiVersion', 'kind', 'answers'])
  if (fields['apiVersion'] !== recordingApiVersion) throw new WrongField('apiVersion', `must be ${recordingApiVersion}`)
  if (fields['kind'] !== recordingKind) throw new WrongField('kind', `must be ${recordingKind}`)
  return listAt(fields['answers'], 'answers').map((answer, i) => answerAt(answer, `answers[${i}]`))
}

function answerAt(value: unknown, path: string): RecordedAnswer {
  const fields = objectAt(value, path, ['configuration', 'webhook', 'match', 'response'])
  const { configuration, match } = fields
  return {
    ...(configuration === undefined
      ? {}
      : { configuration: textAt(configuration, fieldOf(path, 'configuration'), 'sidecars') }),
    webhook: textAt(fields['webhook'], fieldOf(path, 'webhook'), 'inject.example.com'),
    match: match === undefined ? {} : matchAt(match, fieldOf(path, 'match')),
    response: responseAt(fields['response'], fieldOf(path, 'response')),
  }
}

function matchAt(value: unknown, path: string): RecordedMatch {
  const fields = objectAt(value, path, [...texts, 'subresource', 'object'])
  const match: { -readonly [K in keyof RecordedMatch]: RecordedMatch[K] } = {}
  for (const name of texts) {
    const given = fields[name]
    // A live recording has empty names of cluster-scoped objects.
    if (given !== undefined && given !== '') match[name] = textAt(given, fieldOf(path, name), 'pods')
  }
  const { subresource, object } = fields
  if (subresource !== undefined) {
    if (typeof subresource !== 'string') throw new WrongField(fieldOf(path, 'subresource'), 'must be a string')
    match.subresource = subresource
  }
  if (object !== undefined) match.object = jsonObjectAt(object, fieldOf(path, 'object'))
  return match
}

function responseAt(value: unknown, path: string): JsonObject {
  const response = objectAt(value, path, responseFields)
  if (typeof response['allowed'] !== 'boolean') throw new WrongField(fieldOf(path, 'allowed'), 'must be true or false')
  const { jsonPatch, patch } = response
  if (jsonPatch === undefined) return response as JsonObject
  if (patch !== undefined) throw new WrongField(path, 'patch and jsonPatch are mutually exclusive')
  listAt(jsonPatch, fieldOf(path, 'jsonPatch')).forEach((operation, i) => {
    const at = `${fieldOf(path, 'jsonPatch')}[${i}]`
    const fields = objectAt(operation, at, ['op', 'path', 'from', 'value'])
    textAt(fields['op'], fieldOf(at, 'op'), 'add')
    if (typeof fields['path'] !== 'string') throw new WrongField(fieldOf(at, 'path'), 'must be a string')
  })
  return response as JsonObject
}

/** The document that `readWebhookRecording` reads. */
export function webhookRecording(answers: readonly RecordedAnswer[]): JsonObject {
  return { apiVersion: recordingApiVersion, kind: recordingKind, answers: answers as unknown as JsonObject[] }
}
