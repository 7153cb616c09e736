import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { formatTime } from '../api/time.ts'
import type { Random } from '../base/random.ts'
import type { Store } from '../store/contract.ts'
import type { WriteAttempt } from './attempt.ts'
import type { Caller, Guard, Unstored } from './contract.ts'
import type { DynamicAdmission } from './dynamic/dynamic-admission.ts'
import type { Kind, KindTable, WriteContext } from './kinds/kind.ts'
import type { LargeObjects } from './large-objects.ts'
import type { ListedVersions } from './read/listed-versions.ts'
import type { RegistryOptions } from './registry.ts'
import { part } from './request-parts.ts'
import { inGoOrder } from './write/go-order.ts'

/** The store, the ports and the settings of a registry: the first argument of every verb. */
export interface Backend {
  readonly store: Store
  readonly clock: { now(): number }
  readonly random: Random
  readonly kinds: KindTable
  readonly versions: ListedVersions
  readonly release: KubernetesRelease
  readonly options: RegistryOptions
  readonly disabledAdmission: ReadonlySet<string>
  readonly largeObjects: LargeObjects
  /** Checks the rights of the caller that depend on the object written. */
  readonly guard?: Guard
  /** Set for a request that may ask webhooks. */
  readonly attempt?: WriteAttempt
  readonly dynamic?: DynamicAdmission
  readonly unstored?: Unstored
}

/** Controllers in the same process have all rights. */
export const inProcessCaller: Caller = {
  name: 'system:admin',
  groups: ['system:masters', 'system:authenticated'],
}

type CallOptions = { readonly dryRun?: boolean; readonly verb: WriteContext['verb'] } & Pick<
  WriteContext,
  'subresource' | 'fieldValidation' | 'fieldManager' | 'isManagerDerived'
>

export function writeContextOf(backend: Backend, caller: Caller, call: CallOptions): WriteContext {
  const nowMs = backend.clock.now()
  const context: { -readonly [K in keyof WriteContext]: WriteContext[K] } = {
    store: backend.store,
    nowMs,
    now: formatTime(nowMs),
    random: backend.random,
    kinds: backend.kinds,
    release: backend.release,
    caller,
    verb: call.verb,
    disabledAdmission: backend.disabledAdmission,
    managedFields: backend.options.managedFields ?? 'named',
    goOrder: backend.options.goOrder === true,
    dryRun: call.dryRun === true,
  }
  if (backend.guard !== undefined) context.guard = backend.guard
  if (backend.attempt?.parts !== undefined) context.parts = backend.attempt.parts
  if (backend.options.podSecurity !== undefined) context.podSecurity = backend.options.podSecurity
  if (backend.options.restrictsNodes === true) context.restrictsNodes = true
  if (backend.options.serviceRanges !== undefined) context.serviceRanges = backend.options.serviceRanges
  if (backend.dynamic !== undefined) {
    context.dynamic = backend.dynamic
    if (call.isManagerDerived !== undefined) context.isManagerDerived = call.isManagerDerived
  }
  if (backend.options.serviceAccounts !== undefined) context.serviceAccounts = backend.options.serviceAccounts
  if (call.subresource !== undefined) context.subresource = call.subresource
  if (call.fieldValidation !== undefined) context.fieldValidation = call.fieldValidation
  if (call.fieldManager !== undefined) context.fieldManager = call.fieldManager
  return context
}

/** The outcome with these warnings before its other warnings. */
export function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  if (warnings.length === 0 || (outcome.ok && outcome.kind === 'list')) return outcome
  return { ...outcome, warnings: [...warnings, ...(outcome.warnings ?? [])] }
}

export function storeKey(kind: Kind, namespace: string | undefined, name: string): string {
  return kind.namespaced ? `${namespace ?? ''}/${name}` : name
}

export function keyOfObject(kind: Kind, object: KubeObject): string {
  return storeKey(kind, object.metadata.namespace, object.metadata.name)
}

/** Converts the object to the form in which its kind is stored. `before` is the stored object. */
export function storedForm(backend: Backend, kind: Kind, object: KubeObject, before?: KubeObject): KubeObject {
  return kind.toStorage === undefined ? inStoredOrder(backend, kind, object, before) : kind.toStorage(object)
}

/** Orders the members of an object that already has its stored form. */
export function inStoredOrder(
  { options, attempt }: Backend,
  kind: Kind,
  object: KubeObject,
  before?: KubeObject,
): KubeObject {
  if (options.goOrder !== true) return object
  return part(attempt?.parts, 'ordered', [kind, object, before], () => inGoOrder(object, kind.shape, before))
}

/** Converts a stored object to the form in which its kind is served. */
export function servedForm(kind: Kind, object: KubeObject): KubeObject {
  return kind.fromStorage === undefined ? object : kind.fromStorage(object)
}
