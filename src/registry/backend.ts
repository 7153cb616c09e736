import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { formatTime } from '../api/time.ts'
import type { Random } from '../base/random.ts'
import type { Store } from '../store/contract.ts'
import type { Caller, Guard } from './contract.ts'
import type { Kind, KindTable, WriteContext } from './kinds/kind.ts'
import type { RegistryOptions } from './registry.ts'
import { inGoOrder } from './write/go-order.ts'

/** What every verb works with. */
export interface Desk {
  readonly store: Store
  readonly clock: { now(): number }
  readonly random: Random
  readonly kinds: KindTable
  readonly options: RegistryOptions
  readonly disabledAdmission: ReadonlySet<string>
  /** Rights of the caller that only the write itself can check. */
  readonly guard?: Guard
}

/** Controllers in the same process act with every right. */
export const insider: Caller = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] }

type CallOptions = { readonly dryRun?: boolean } & Pick<
  WriteContext,
  'subresource' | 'fieldValidation' | 'fieldManager'
>

export function contextOf(desk: Desk, caller: Caller, call: CallOptions): WriteContext {
  const nowMs = desk.clock.now()
  const context: { -readonly [K in keyof WriteContext]: WriteContext[K] } = {
    store: desk.store,
    nowMs,
    now: formatTime(nowMs),
    random: desk.random,
    kinds: desk.kinds,
    caller,
    disabledAdmission: desk.disabledAdmission,
    managedFields: desk.options.managedFields ?? 'named',
    dryRun: call.dryRun === true,
  }
  if (desk.guard !== undefined) context.guard = desk.guard
  if (call.subresource !== undefined) context.subresource = call.subresource
  if (call.fieldValidation !== undefined) context.fieldValidation = call.fieldValidation
  if (call.fieldManager !== undefined) context.fieldManager = call.fieldManager
  return context
}

/** The outcome with more to warn about. */
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

/** The object in the form its kind is stored in. `before` is what is stored now. */
export function asStored(desk: Desk, kind: Kind, object: KubeObject, before?: KubeObject): KubeObject {
  return kind.toStorage === undefined ? inOrder(desk, kind, object, before) : kind.toStorage(object)
}

/** The same for what is in that form already. */
export function inOrder({ options }: Desk, kind: Kind, object: KubeObject, before?: KubeObject): KubeObject {
  return options.goOrder === true ? inGoOrder(object, kind.shape, before) : object
}

/** The stored object in the form its kind shows. */
export function shown(kind: Kind, object: KubeObject): KubeObject {
  return kind.fromStorage === undefined ? object : kind.fromStorage(object)
}
