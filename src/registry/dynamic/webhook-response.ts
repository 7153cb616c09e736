import type { Failure } from '../../api/call.ts'
import type { JsonObject, Status } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { AnsweredWebhook } from '../attempt.ts'
import { decode } from '../decode/decode.ts'
import type { Hook } from './webhooks.ts'

export interface WebhookResponse {
  readonly allowed: boolean
  /** JSON, decoded from base64. */
  readonly patch?: string
  readonly result?: Status
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The response of a webhook, or why it counts as a failed call (webhook/request, VerifyAdmissionResponse). */
export function readResponse(
  { uid, answer }: AnsweredWebhook,
  version: string,
  purpose: 'mutate' | 'validate',
  release: KubernetesRelease,
): WebhookResponse | { readonly failed: string } {
  if (answer.kind === 'failed') return { failed: `failed to call webhook: ${answer.message}` }
  const { body } = answer
  const malformed = (why: string) => ({ failed: `failed to call webhook: ${why}` })
  if (!isMap(body))
    return malformed("couldn't get version/kind; json parse error: json: cannot unmarshal into Go value")
  const kind = String(body['kind'] ?? '')
  const apiVersion = String(body['apiVersion'] ?? '')
  const unknown = typeProblem(kind, apiVersion)
  if (unknown !== undefined) return malformed(unknown)
  const invalid = (why: string) => ({ failed: `received invalid webhook response: ${why}` })
  const response = body['response']
  if (!isMap(response)) return invalid('webhook response was absent')
  const wrong = fieldProblem(response, release)
  if (wrong !== undefined) return malformed(wrong)
  const patch = response['patch'] as string | undefined
  const hasPatch = patch !== undefined && patch !== null && patch !== ''
  if (version === 'v1') {
    const refusal = v1Problem(response, uid, purpose, hasPatch, kind, apiVersion)
    if (refusal !== undefined) return invalid(refusal)
  }
  return {
    allowed: response['allowed'] === true,
    ...(hasPatch && purpose === 'mutate' ? { patch: Buffer.from(patch, 'base64').toString('utf8') } : {}),
    ...(isMap(response['status']) ? { result: response['status'] as unknown as Status } : {}),
    warnings: (response['warnings'] ?? []) as readonly string[],
    auditAnnotations: (response['auditAnnotations'] ?? {}) as Readonly<Record<string, string>>,
  }
}

const known = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']

function typeProblem(kind: string, apiVersion: string): string | undefined {
  if (kind === '') return `Object 'Kind' is missing in response`
  if (apiVersion === '') return `Object 'apiVersion' is missing in response`
  if (kind === 'AdmissionReview' && known.includes(apiVersion)) return undefined
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
}

/** Fields whose type differs from AdmissionResponse. */
function fieldProblem(response: JsonObject, release: KubernetesRelease): string | undefined {
  const place = 'Go struct field AdmissionResponse.response'
  const wrong = (field: string, found: unknown, type: string) =>
    `json: cannot unmarshal ${Array.isArray(found) ? 'array' : found === null ? 'null' : typeof found} into ${place}.${field} of type ${type}`
  for (const field of ['uid', 'patch', 'patchType']) {
    const value = response[field]
    if (value !== undefined && value !== null && typeof value !== 'string') return wrong(field, value, 'string')
  }
  const { allowed, warnings, auditAnnotations, status } = response
  if (allowed !== undefined && typeof allowed !== 'boolean') return wrong('allowed', allowed, 'bool')
  if (warnings !== undefined && warnings !== null) {
    if (!Array.isArray(warnings) || warnings.some((one) => typeof one !== 'string')) {
      return wrong('warnings', warnings, '[]string')
    }
  }
  if (auditAnnotations !== undefined && auditAnnotations !== null) {
    if (!isMap(auditAnnotations) || Object.values(auditAnnotations).some((one) => typeof one !== 'string')) {
      return wrong('auditAnnotations', auditAnnotations, 'map[string]string')
    }
  }
  if (status === undefined || status === null) return undefined
  if (!isMap(status)) return wrong('status', status, 'v1.Status')
  const statusShape = release.api.types.get('meta.Status')
  const decoded = statusShape === undefined ? undefined : decode(statusShape, status)
  return decoded?.ok === false ? decoded.message : undefined
}

function v1Problem(
  response: JsonObject,
  uid: string,
  purpose: 'mutate' | 'validate',
  hasPatch: boolean,
  kind: string,
  apiVersion: string,
): string | undefined {
  const given = String(response['uid'] ?? '')
  if (given !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`
  if (apiVersion !== 'admission.k8s.io/v1') {
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`
  }
  const patchType = response['patchType']
  const hasType = patchType !== undefined && patchType !== null
  if (purpose === 'validate') {
    if (hasPatch) return 'validating webhook may not return response.patch'
    return hasType ? 'validating webhook may not return response.patchType' : undefined
  }
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType'
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch'
  return hasType && patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}

/** The refusal of a webhook (webhook/errors, ToStatusErr). */
export function denial({ name }: Hook, given: Status | undefined): Failure {
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`
  const { message = '', reason = '', code = 0, details, metadata = {} } = given ?? {}
  const why = message !== '' ? `: ${message}` : reason !== '' ? `: ${reason}` : ' without explanation'
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: given?.status === undefined || ['', 'Success'].includes(given.status) ? 'Failure' : given.status,
    message: `${deniedBy}${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: Math.max(code, 400),
  }
  return { ok: false, status }
}
