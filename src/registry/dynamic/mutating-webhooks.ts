import type { Failure, JsonPatchOperation } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import type { Json, KubeObject } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import { encodeJson, parseJson } from '../../base/exact-json.ts'
import type { WriteAttempt } from '../attempt.ts'
import { decode } from '../decode/decode.ts'
import { decodeObject, withDefaults } from '../decode/decode-object.ts'
import { isFailure } from '../errors/is-failure.ts'
import { patchedDocument } from '../patch/patch-problem.ts'
import { type AdmissionRequest, convertedTo, type Match, shownAs } from './admission-request.ts'
import { denial, readResponse } from './webhook-response.ts'
import {
  callFailure,
  type Hook,
  hooksOf,
  matchHook,
  mutatingConfigurations,
  questionFor,
  type WebhookSurroundings,
} from './webhooks.ts'

export function internalError(message: string): Failure {
  return failure('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

/** Which webhooks are asked again in the second round (webhook/mutating, reinvocationcontext). */
export class Reinvocation {
  isSecondRound = false
  /** A webhook or a policy changed the object in the first round. */
  isNeeded = false
  private output: KubeObject | undefined
  private invoked = new Set<string>()
  private readonly again = new Set<string>()

  /**
   * Called before the webhooks of a round. Notes whether anything else changed the object since the webhooks were
   * asked.
   */
  begin(object: KubeObject | undefined): void {
    if (this.isSecondRound && !semanticEqual(this.output, object)) this.changed()
  }

  end(object: KubeObject | undefined): void {
    this.output = object
  }

  skips(id: string): boolean {
    return this.isSecondRound && !this.again.has(id)
  }

  changed(): void {
    for (const id of this.invoked) this.again.add(id)
    this.invoked = new Set()
  }

  mayRepeat(id: string): void {
    this.invoked.add(id)
  }
}

/** Asks the mutating webhooks, one after the other. Returns the object that the last one leaves. */
export function mutateByWebhooks(
  request: AdmissionRequest,
  attempt: WriteAttempt,
  surroundings: WebhookSurroundings,
  reinvocation: Reinvocation,
): KubeObject | undefined | Failure {
  const hooks = hooksOf(surroundings.store, mutatingConfigurations)
  reinvocation.begin(request.object)
  let current = request
  for (const [index, hook] of hooks.entries()) {
    const match = matchHook(hook, current, surroundings)
    if (match === undefined) continue
    if ('ok' in match) return match
    if (reinvocation.skips(hook.id)) continue
    const place = `round_${reinvocation.isSecondRound ? 1 : 0}_index_${index}`
    const object = askHook(hook, current, match, attempt, surroundings, place)
    if (object !== undefined && isFailure(object)) return object
    const isChanged = object !== undefined && !semanticEqual(object, current.object)
    note(attempt, hook, place, isChanged)
    if (isChanged) {
      current = { ...current, object }
      reinvocation.changed()
      reinvocation.isNeeded = true
    }
    if (hook.reinvocationPolicy === 'IfNeeded') reinvocation.mayRepeat(hook.id)
  }
  reinvocation.end(current.object)
  return current.object
}

function note(attempt: WriteAttempt, { configuration, name }: Hook, place: string, mutated: boolean): void {
  const key = `mutation.webhook.admission.k8s.io/${place}`
  attempt.note(key, encodeJson({ configuration, webhook: name, mutated }))
}

/** The object as one webhook leaves it; undefined if it does not change it. */
function askHook(
  hook: Hook,
  request: AdmissionRequest,
  match: Match,
  attempt: WriteAttempt,
  { services }: WebhookSurroundings,
  place: string,
): KubeObject | undefined | Failure {
  const failed = (why: string): Failure | undefined => {
    const refusal = callFailure(hook, why)
    if (refusal === undefined) attempt.note(`failed-open.mutation.webhook.admission.k8s.io/${place}`, hook.name)
    return refusal
  }
  const question = questionFor(hook, 'mutate', request, match, services)
  if ('failed' in question) return failed(question.failed)
  if ('refused' in question) return question.refused
  const [answered] = attempt.ask([question.ask])
  if (answered === undefined) return failed('no answer')
  const version = String(question.ask.review['apiVersion']).slice('admission.k8s.io/'.length)
  const response = readResponse(answered, version, 'mutate', request.target.release)
  if ('failed' in response) return failed(response.failed)
  for (const [key, value] of Object.entries(response.auditAnnotations)) attempt.note(`${hook.name}/${key}`, value)
  for (const warning of response.warnings) attempt.warn(warning)
  if (!response.allowed) return denial(hook, response.result)
  if (response.patch === undefined) return undefined
  const operations = readPatch(response.patch)
  if (typeof operations === 'string') {
    return failed(`received undecodable patch in webhook response: ${operations}`)
  }
  if (operations.length === 0) return undefined
  const patched = patchedBy(hook, request, match, operations)
  if (!isFailure(patched)) {
    const said = { configuration: hook.configuration, webhook: hook.name, patch: operations, patchType: 'JSONPatch' }
    attempt.note(`patch.webhook.admission.k8s.io/${place}`, encodeJson(said), 'Request')
  }
  return patched
}

function readPatch(text: string): readonly JsonPatchOperation[] | string {
  let parsed: unknown
  try {
    parsed = parseJson(text)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  if (parsed === null) return []
  if (!Array.isArray(parsed)) {
    const found = typeof parsed
    return `json: cannot unmarshal ${found} into Go value of type jsonpatch.Patch`
  }
  return parsed as readonly JsonPatchOperation[]
}

function patchedBy(
  hook: Hook,
  request: AdmissionRequest,
  match: Match,
  operations: readonly JsonPatchOperation[],
): KubeObject | Failure {
  const shown = shownAs(request, match, request.object)
  if (shown === undefined) {
    const name = JSON.stringify(hook.name)
    return internalError(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    )
  }
  const patched = patchedDocument(shown as unknown as Json, operations)
  if ('failed' in patched) return internalError(patched.failed)
  return decodePatched(request, match, patched.value as unknown as KubeObject)
}

/** An object that a webhook or a policy changed: decoded, with defaults, in the version of the request. */
export function decodePatched(request: AdmissionRequest, match: Match, patched: KubeObject): KubeObject | Failure {
  const { kind, apiVersion } = patched
  const { target } = request
  if (request.kind.kind !== target.kind) {
    const shape = target.release.api.shapeOfKind(request.kind.group, 'v1', request.kind.kind)
    const decoded = shape === undefined ? undefined : decode(shape, patched)
    if (decoded?.ok === false) return internalError(decoded.message)
    return decoded === undefined ? patched : (decoded.value as unknown as KubeObject)
  }
  if (kind !== match.as.kind || apiVersion !== match.as.apiVersion) {
    const shown = `no kind ${JSON.stringify(String(kind ?? ''))} is registered for version ${JSON.stringify(String(apiVersion ?? ''))}`
    return internalError(`${shown} in scheme "pkg/api/legacyscheme/scheme.go:30"`)
  }
  const decoded = decodeObject(match.as, patched, 'Ignore')
  if (isFailure(decoded)) return internalError(decoded.status.message ?? '')
  return convertedTo(match.as, target, withDefaults(match.as, decoded.object))
}
