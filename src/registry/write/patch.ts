import type { Failure, Patch } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { failure, plainError } from '../../api/status.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { converterProblem } from '../patch/converter-problem.ts'
import { goPrint } from '../patch/go-print.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch, isJsonObject } from '../patch/merge-patch.ts'
import { applyStrategicMerge } from '../patch/strategic-merge.ts'

/** The object with the patch applied. */
export function patchedObject(kind: Kind, object: KubeObject, patch: Patch): KubeObject | Failure {
  if (patch.kind === 'strategic' && kind.shape === undefined) return strategicUnsupported(kind)
  return patchedJson(kind.shape, object as unknown as JsonObject, patch) as unknown as KubeObject | Failure
}

// v1.36, apiserver/pkg/endpoints/handlers/patch.go, maxJSONPatchOperations.
const maxOperations = 10_000

/** The JSON object with the patch applied. A strategic merge needs the shape, for its merge keys. */
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

/** Upstream answers these problems of a strategic merge with 400 and 422, and all others with 500 (handlers/patch.go). */
function mergeFailure(message: string): Failure {
  if (badRequests.includes(message)) return failure('BadRequest', message)
  return rejected.includes(message) ? unprocessable() : plainError(message)
}

/** The answer if the patched object cannot be decoded. It depends on the kind of patch, as upstream's does. */
export function patchedDecodeFailure({ release }: Kind, patch: Patch, patched: KubeObject, problem: string): Failure {
  if (patch.kind === 'strategic') {
    const why = converterProblem(release.api.types, problem)
    return invalidObject('', '', '', [invalid('patch', goPrint(patch.patch as Json), why)])
  }
  return invalidObject('', '', '', [invalid('patch', encodeJson(patched), problem)])
}

function strategicUnsupported(kind: Kind): Failure {
  return failure(
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, ' +
      'application/merge-patch+json, application/apply-patch+yaml',
    { ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural },
  )
}

// Upstream does not report why a JSON patch failed; this is its text for any 422 (handlers/patch.go, jsonPatcher).
function unprocessable(): Failure {
  return failure('Invalid', 'the server rejected our request due to an error in our request', {})
}
