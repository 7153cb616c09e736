import type { Call, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import type { Random } from '../base/random.ts'
import type { Store } from '../store/contract.ts'
import { type Desk, insider } from './backend.ts'
import type { Caller, Guard, Registry } from './contract.ts'
import type { Kind, KindTable, ManagedFieldsMode } from './kinds/kind.ts'
import { createKindTable } from './kinds/kinds.ts'
import { getObject, listObjects } from './read/read.ts'
import { subresourceCall } from './subresources/subresources.ts'
import { deleteCollection, deleteObject } from './write/delete.ts'
import { patchObject } from './write/patch.ts'
import { createObject, updateObject } from './write/pipeline.ts'

export interface RegistryOptions {
  /** Default: `named`. Controllers in the same process name no manager, so theirs cost nothing. */
  readonly managedFields?: ManagedFieldsMode
  /** Admission plugins that are off, by upstream's names: `Priority`, `TaintNodesByCondition`. */
  readonly disabledAdmission?: readonly string[]
  /** Members are stored in Go's order: for a server, whose clients may show an answer as it came. */
  readonly goOrder?: boolean
  /** Answers kinds that are never stored: access reviews, token reviews. */
  readonly review?: (kind: Kind, object: KubeObject, caller: Caller) => Outcome
  /** Answers subresources that are no part of the stored state: serviceaccounts/token, pods/exec. */
  readonly subresource?: (kind: Kind, call: Call, caller: Caller) => Outcome | undefined
}

export interface RegistryPorts {
  readonly store: Store
  readonly clock: { now(): number }
  readonly random: Random
  readonly options?: RegistryOptions
}

export function createRegistry({ store, clock, random, options = {} }: RegistryPorts): Registry {
  const kinds = createKindTable(store)
  const disabledAdmission = new Set(options.disabledAdmission ?? [])
  const desk: Desk = { store, clock, random, kinds, options, disabledAdmission }
  return {
    store,
    kinds,
    call(call, caller = insider, guard?: Guard) {
      const kind = kindOf(kinds, call)
      if (kind === undefined) return failure('NotFound', 'the server could not find the requested resource')
      if (kind.custom?.needsWebhook === true) return unconverted(kind, kind.custom.storageVersion)
      return dispatch(guard === undefined ? desk : { ...desk, guard }, kind, call, caller)
    },
  }
}

function kindOf(kinds: KindTable, { resource, version }: Call): Kind | undefined {
  const kind = kinds.find(resource)
  if (version === undefined || kind === undefined || kind.version === version) return kind
  return kinds.served(kind.group, version, kind.plural)
}

/** As a server answers whose conversion webhook cannot be reached: a wrong guess at the conversion would be worse. */
function unconverted(kind: Kind, storageVersion: string): Outcome {
  const stored = `${kind.group}/${storageVersion}, Kind=${kind.kind}`
  const why = `conversion webhook for ${stored} failed: webhooks are not called here; ask for ${storageVersion}`
  return failure('InternalError', `Internal error occurred: ${why}`)
}

function dispatch(desk: Desk, kind: Kind, call: Call, caller: Caller): Outcome {
  if (call.subresource !== undefined && call.subresource !== '') return subresourceCall(desk, kind, call, caller)
  if (!kind.verbs.includes(call.verb)) return methodNotAllowed(kind)
  if (kind.ephemeral === true) return ephemeralCall(desk, kind, call, caller)
  switch (call.verb) {
    case 'get':
      return getObject(desk, kind, call)
    case 'list':
      return listObjects(desk, kind, call)
    case 'create':
      return createObject(desk, kind, call, caller)
    case 'update':
      return updateObject(desk, kind, call, caller)
    case 'patch':
      return patchObject(desk, kind, call, caller)
    case 'delete':
      return deleteObject(desk, kind, call)
    case 'deletecollection':
      return deleteCollection(desk, kind, call)
  }
}

function ephemeralCall(desk: Desk, kind: Kind, call: Call, caller: Caller): Outcome {
  if (call.verb !== 'create') return methodNotAllowed(kind)
  if (kind.resource === 'bindings') {
    const pods = desk.kinds.find('pods')
    if (pods !== undefined) {
      const name = call.object.metadata?.name ?? ''
      return subresourceCall(desk, pods, { ...call, resource: 'pods', subresource: 'binding', name }, caller)
    }
  }
  return desk.options.review?.(kind, call.object, caller) ?? methodNotAllowed(kind)
}

export function methodNotAllowed(kind: Kind): Outcome {
  return failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  })
}
