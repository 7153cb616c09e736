import type { Failure, Outcome, Patch, PatchCall } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { failure, plainError } from '../../api/status.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { contextOf, type Desk } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { converterProblem } from '../patch/converter-problem.ts'
import { goPrint } from '../patch/go-print.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch, isJsonObject } from '../patch/merge-patch.ts'
import { applyStrategicMerge } from '../patch/strategic-merge.ts'
import { applyObject } from './apply.ts'
import { rewriteObject } from './pipeline.ts'

export function patchObject(desk: Desk, kind: Kind, call: PatchCall, caller: Caller): Outcome {
  const { patch } = call
  if (patch.kind === 'apply') return applyObject(desk, kind, call, patch, caller)
  return rewriteObject(desk, kind, {
    name: call.name,
    namespace: call.namespace,
    context: contextOf(desk, caller, call),
    change: (existing) => patched(kind, existing, patch),
    unreadable: (changed, why) => unreadablePatch(patch, changed, why),
  })
}

function patched(kind: Kind, existing: KubeObject, patch: Patch): KubeObject | Failure {
  if (patch.kind === 'strategic' && kind.shape === undefined) return notStrategic(kind)
  return patchedJson(kind.shape, existing as unknown as JsonObject, patch) as unknown as KubeObject | Failure
}

// v1.36, apiserver/pkg/endpoints/handlers/patch.go, maxJSONPatchOperations.
const maxOperations = 10_000

/** The patch applied to a JSON object. `shape` is what a strategic merge goes by. */
export function patchedJson(shape: StructShape | undefined, document: JsonObject, patch: Patch): JsonObject | Failure {
  switch (patch.kind) {
    case 'json': {
      const { length } = patch.operations
      if (length > maxOperations) {
        const why = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${length}`
        return failure('RequestEntityTooLarge', `Request entity too large: ${why}`)
      }
      const result = applyJsonPatch(document, patch.operations)
      return result.ok && isJsonObject(result.value) ? result.value : unprocessable()
    }
    case 'merge':
      return applyMergePatch(document, patch.patch) as JsonObject
    case 'strategic': {
      if (shape === undefined) return unprocessable()
      const result = applyStrategicMerge(document, patch.patch, shape)
      return result.ok ? result.value : mergeFailure(result.message)
    }
    case 'apply':
      return unprocessable()
  }
}

const badRequests = [
  'invalid JSON document',
  'invalid patch format of primitive list',
  'invalid patch format of retainKeys',
  'invalid patch format of setElementOrder list',
  'strategic merge patch format is not supported',
]
const rejected = ['lists of lists are not supported', "patch content doesn't match retainKeys list"]

/** Upstream tells a few problems of a strategic merge apart; the others are errors of the server (patch.go). */
function mergeFailure(message: string): Failure {
  if (badRequests.includes(message)) return failure('BadRequest', message)
  return rejected.includes(message) ? unprocessable() : plainError(message)
}

/** The patched object could not be read, said as upstream says it for this kind of patch. */
function unreadablePatch(patch: Patch, patched: KubeObject, problem: string): Failure {
  if (patch.kind === 'strategic') {
    return invalidObject('', '', '', [invalid('patch', goPrint(patch.patch as Json), converterProblem(problem))])
  }
  return invalidObject('', '', '', [invalid('patch', encodeJson(patched), problem)])
}

function notStrategic(kind: Kind): Failure {
  return failure(
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, ' +
      'application/merge-patch+json, application/apply-patch+yaml',
    { ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural },
  )
}

// Upstream hides why a JSON patch did not apply behind the words for any 422 (handlers/patch.go, jsonPatcher).
function unprocessable(): Failure {
  return failure('Invalid', 'the server rejected our request due to an error in our request', {})
}
