import type { Failure, Outcome, Patch, PatchCall } from '../api/call.ts'
import type { Json, KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import type { Caller } from './contract.ts'
import { contextOf, type Desk } from './desk.ts'
import type { Kind } from './kind.ts'
import { applyJsonPatch } from './patch/json-patch.ts'
import { applyMergePatch, isJsonObject } from './patch/merge-patch.ts'
import { type Rewrite, rewriteObject } from './writing.ts'

export function patchObject(desk: Desk, kind: Kind, call: PatchCall, caller: Caller): Outcome {
  const { patch } = call
  return rewriteObject(desk, kind, {
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    context: contextOf(desk, caller, call),
    change: (existing) => patched(existing, patch),
    ...(patch.kind === 'apply' ? createdByApply(patch.object, call) : {}),
  })
}

function createdByApply(object: Json, call: PatchCall): Pick<Rewrite, 'createFrom'> {
  return call.subresource === undefined ? { createFrom: object as unknown as KubeObject } : {}
}

function patched(existing: KubeObject, patch: Patch): KubeObject | Failure {
  const document = existing as unknown as Json
  switch (patch.kind) {
    case 'json': {
      const result = applyJsonPatch(document, patch.operations)
      if (!result.ok) return unprocessable()
      return isJsonObject(result.value) ? (result.value as unknown as KubeObject) : unprocessable()
    }
    case 'merge':
      return applyMergePatch(document, patch.patch) as unknown as KubeObject
    case 'strategic':
      return applyMergePatch(document, patch.patch) as unknown as KubeObject
    case 'apply':
      return applyMergePatch(document, patch.object) as unknown as KubeObject
  }
}

// Upstream hides why a JSON patch did not apply behind the words for any 422 (handlers/patch.go, jsonPatcher).
function unprocessable(): Failure {
  return failure('Invalid', 'the server rejected our request due to an error in our request')
}
