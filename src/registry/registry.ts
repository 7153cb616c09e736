import type { Call, Outcome } from '../api/call.ts'
import { failure } from '../api/status.ts'
import type { Random } from '../base/random.ts'
import type { Store } from '../store/contract.ts'
import { type Backend, inProcessCaller } from './backend.ts'
import type { Caller, Guard, Registry } from './contract.ts'
import type { Kind, KindTable, ManagedFieldsMode } from './kinds/kind.ts'
import { createKindTable } from './kinds/kinds.ts'
import { getObject, listObjects } from './read/read.ts'
import { subresourceCall } from './subresources/subresources.ts'
import { createObject, deleteCollection, deleteObject, patchObject, updateObject } from './write/pipeline.ts'

export interface RegistryOptions {
  /** Default: `named`. Controllers in the same process name no manager, so their writes are not recorded. */
  readonly managedFields?: ManagedFieldsMode
  /** Disabled admission plugins, by upstream's names: `Priority`, `TaintNodesByCondition`. */
  readonly disabledAdmission?: readonly string[]
  /** Store the members of objects in Go's order, so that a server sends them as kube-apiserver does. Default: false. */
  readonly goOrder?: boolean
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
  const backend: Backend = { store, clock, random, kinds, options, disabledAdmission }
  return {
    store,
    kinds,
    call(call, caller = inProcessCaller, guard?: Guard) {
      const kind = kindOf(kinds, call)
      if (kind === undefined) return failure('NotFound', 'the server could not find the requested resource')
      if (kind.custom?.needsWebhook === true) return webhookFailure(kind, kind.custom.storageVersion)
      return dispatch(guard === undefined ? backend : { ...backend, guard }, kind, call, caller)
    },
  }
}

function kindOf(kinds: KindTable, { resource, version }: Call): Kind | undefined {
  const kind = kinds.find(resource)
  if (version === undefined || kind === undefined || kind.version === version) return kind
  return kinds.served(kind.group, version, kind.plural)
}

/** The answer of kube-apiserver if a conversion webhook cannot be reached. Conversion webhooks are not supported. */
function webhookFailure(kind: Kind, storageVersion: string): Outcome {
  const stored = `${kind.group}/${storageVersion}, Kind=${kind.kind}`
  const why = `conversion webhook for ${stored} failed: conversion webhooks are not supported; request version ${storageVersion}`
  return failure('InternalError', `Internal error occurred: ${why}`)
}

function dispatch(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome {
  if (call.subresource !== undefined && call.subresource !== '') return subresourceCall(backend, kind, call, caller)
  if (!kind.verbs.includes(call.verb)) return methodNotAllowed(kind)
  if (kind.ephemeral === true) return ephemeralCall(backend, kind, call, caller)
  switch (call.verb) {
    case 'get':
      return getObject(backend, kind, call)
    case 'list':
      return listObjects(backend, kind, call)
    case 'create':
      return createObject(backend, kind, call, caller)
    case 'update':
      return updateObject(backend, kind, call, caller)
    case 'patch':
      return patchObject(backend, kind, call, caller)
    case 'delete':
      return deleteObject(backend, kind, call)
    case 'deletecollection':
      return deleteCollection(backend, kind, call)
  }
}

/** Kinds that are not stored. The API server answers reviews itself. */
function ephemeralCall(backend: Backend, kind: Kind, call: Call, caller: Caller): Outcome {
  if (call.verb !== 'create') return methodNotAllowed(kind)
  if (kind.resource === 'bindings') {
    const pods = backend.kinds.find('pods')
    if (pods !== undefined) {
      const name = call.object.metadata?.name ?? ''
      return subresourceCall(backend, pods, { ...call, resource: 'pods', subresource: 'binding', name }, caller)
    }
  }
  return methodNotAllowed(kind)
}

export function methodNotAllowed(kind: Kind): Outcome {
  return failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
  })
}
