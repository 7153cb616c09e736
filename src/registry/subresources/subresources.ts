import type { Call, Outcome } from '../../api/call.ts'
import { failure } from '../../api/status.ts'
import type { Desk } from '../backend.ts'
import type { Caller } from '../contract.ts'
import type { Kind, Subresource } from '../kinds/kind.ts'
import { getObject } from '../read/read.ts'
import { patchObject } from '../write/patch.ts'
import { updateObject } from '../write/pipeline.ts'
import { bindPod } from './binding.ts'
import { evictPod } from './eviction.ts'
import { scaleCall } from './scale.ts'

/** Subresources that are the object itself, read and written under another name. */
const viewsOfTheObject = new Set(['status', 'finalize', 'ephemeralcontainers', 'resize'])

const notAllowed = failure('MethodNotAllowed', 'the server does not allow this method on the requested resource')

function subresourceOf({ subresources }: Kind, wanted: string | undefined): Subresource | undefined {
  for (const subresource of subresources) if (subresource.name === wanted) return subresource
  return undefined
}

export function subresourceCall(desk: Desk, kind: Kind, call: Call, caller: Caller): Outcome {
  const subresource = subresourceOf(kind, call.subresource)
  if (subresource === undefined) return failure('NotFound', 'the server could not find the requested resource')
  if (!(subresource.verbs as readonly string[]).includes(call.verb)) return notAllowed
  if (viewsOfTheObject.has(subresource.name)) {
    if (call.verb === 'get') return getObject(desk, kind, call)
    if (call.verb === 'update') return updateObject(desk, kind, call, caller)
    if (call.verb === 'patch') return patchObject(desk, kind, call, caller)
  }
  if (subresource.name === 'scale') return scaleCall(desk, kind, call, caller) ?? notAllowed
  if (call.verb !== 'create') return notAllowed
  switch (subresource.name) {
    case 'binding':
      return bindPod(desk, kind, call)
    case 'eviction':
      return evictPod(desk, kind, call)
    default:
      return desk.options.subresource?.(kind, call, caller) ?? notAllowed
  }
}
