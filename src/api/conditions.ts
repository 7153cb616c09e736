import { extended } from '../base/extended.ts'
import { semanticEqual } from './equality.ts'
import type { ConditionStatus } from './objects/meta.ts'
import type { Node } from './objects/node.ts'
import type { Pod } from './objects/pod.ts'

export interface AnyCondition {
  readonly type: string
  readonly status: ConditionStatus
  readonly lastTransitionTime?: string
}

export function findCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  if (conditions !== undefined) for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

/**
 * The list with this condition in place of the one with the same type, or at the end. The transition time is kept if
 * the status is unchanged, and is `now` otherwise. Returns the same list if nothing changes, so that `!==` shows
 * whether a write is needed (v1.36, pkg/api/v1/pod UpdatePodCondition).
 */
export function withCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  condition: C,
  now: string,
): readonly C[] {
  const before = conditions ?? []
  const index = before.findIndex((other) => other.type === condition.type)
  const old = before[index]
  if (old === undefined) return [...before, extended(condition, { lastTransitionTime: now }) as unknown as C]
  const lastTransitionTime = old.status === condition.status ? old.lastTransitionTime : now
  const next = extended(condition, { lastTransitionTime }) as unknown as C
  if (semanticEqual(old, next)) return before
  return before.map((other, i) => (i === index ? next : other))
}

export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

export function isPodReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, 'Ready')
}

/** A finished pod uses no resources and is not restarted. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function isNodeReady(node: Node): boolean {
  return isConditionTrue(node.status?.conditions, 'Ready')
}
