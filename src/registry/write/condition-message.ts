import type { Patch } from '../../api/call.ts'
import type { JsonObject, KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { isJsonObject } from '../patch/merge-patch.ts'

/** The other parts of the pod with which a status was validated. */
interface Setting {
  readonly spec: Pod['spec']
  readonly annotations: StringMap | undefined
}

// Stored objects do not change, so a status that was decoded and validated once is valid as long as it is stored.
const settled = new WeakMap<NonNullable<Pod['status']>, Setting>()

/** Records that the status of the pod passed all stages of a status update. */
export function settleStatus(object: KubeObject): void {
  const { spec, status, metadata } = object as Pod
  if (status !== undefined) settled.set(status, { spec, annotations: metadata.annotations })
}

/** The condition, if the patch only sets one condition of the status. */
export function patchedCondition(patch: Patch): JsonObject | undefined {
  if (patch.kind !== 'strategic') return undefined
  const status = onlyMember(patch.patch, 'status')
  const conditions = isJsonObject(status) ? onlyMember(status, 'conditions') : undefined
  if (!Array.isArray(conditions) || conditions.length !== 1) return undefined
  const condition: unknown = conditions[0]
  return isJsonObject(condition) ? condition : undefined
}

/**
 * The pod with a new message of a condition, such as why the pod is not scheduled, which changes with each attempt.
 * Decoding and validation do not depend on the message. Undefined if the patch changes anything else.
 */
export function withConditionMessage(stored: KubeObject, condition: JsonObject): KubeObject | undefined {
  const { status, spec, metadata } = stored as Pod
  const setting = status === undefined ? undefined : settled.get(status)
  if (setting?.spec !== spec || setting.annotations !== metadata.annotations) return undefined
  if ((metadata.resourceVersion ?? '') === '') return undefined
  const conditions = status?.conditions ?? []
  const at = conditions.findIndex(({ type }) => type === condition['type'])
  const before = conditions[at]
  if (before === undefined || !differsInMessageOnly(condition, before as unknown as JsonObject)) return undefined
  const after = conditions.slice()
  after[at] = { ...before, message: condition['message'] as string }
  const changed = { ...stored, status: { ...status, conditions: after } } as KubeObject
  settleStatus(changed)
  return changed
}

function differsInMessageOnly(condition: JsonObject, before: JsonObject): boolean {
  for (const name in condition) {
    if (name !== 'message' && (condition[name] !== before[name] || before[name] === undefined)) return false
  }
  const { message } = condition as Partial<PodCondition>
  const { message: known } = before as Partial<PodCondition>
  return typeof message === 'string' && message !== '' && typeof known === 'string' && message !== known
}

function onlyMember(object: JsonObject, name: string): unknown {
  for (const other in object) if (other !== name) return undefined
  return object[name]
}
