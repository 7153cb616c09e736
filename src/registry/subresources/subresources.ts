import type { Call, Outcome } from '../../api/call.ts'
import { failure } from '../../api/status.ts'
import type { Backend } from '../backend.ts'
import type { Caller } from '../contract.ts'
import type { Kind, Subresource } from '../kinds/kind.ts'
import { getObject } from '../read/read.ts'

import { patchObject, updateObject } from '../write/pipeline.ts'
import { bindPod } from './binding.ts'
import { evictPod } from './eviction.ts'
import { scaleCall } from './scale.ts'

/** Subresources that have the form of the object. */
const objectSubresources = new Set(['status', 'approval', 'finalize', 'ephemeralcontainers', 'resize'])

const notAllowed = failure('MethodNotAllowed', 'the server does not allow this method on the requested resource')

function subresourceOf({ subresources }: Kind, wanted: string | undefined): Subresource | undefined {
  for (const subresource of subresources) if (subresource.name === wanted) return subresource
  return undefined
}

export function subresourceCall(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome {
  const subresource = subresourceOf(kind, call.subresource)
  if (subresource === undefined) return failure('NotFound', 'the server could not find the requested resource')
  if (!(subresource.verbs as readonly string[]).includes(call.verb)) return notAllowed
  if (objectSubresources.has(subresource.name)) {
    if (call.verb === 'get') return getObject(backend, kind, call)
    if (call.verb === 'update') return updateObject(backend, kind, call, caller)
    if (call.verb === 'patch') return patchObject(backend, kind, call, caller)
  }
  if (subresource.name === 'scale') return scaleCall(backend, kind, call, caller) ?? notAllowed
  if (call.verb !== 'create') return notAllowed
  switch (subresource.name) {
    case 'binding':
      return bindPod(backend, kind, call, caller)
    case 'eviction':
      return evictPod(backend, kind, call, caller)
    default:
      return notAllowed
  }
}
