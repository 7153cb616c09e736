import type { NodeClaim, NodePool } from '../../api/objects/karpenter.ts'
import type { Condition, ObjectMeta } from '../../api/objects/meta.ts'
import { formatTime } from '../../api/time.ts'

export interface ConditionChange extends Pick<Condition, 'type' | 'status'> {
  readonly reason?: string
  readonly message?: string
}

/** An object whose `Ready` condition depends on other conditions. */
interface Conditioned {
  readonly metadata: ObjectMeta
  readonly status?: { readonly conditions?: readonly Condition[] }
}

const root = 'Ready'
const ofClaims = ['Launched', 'Registered', 'Initialized']
const ofPools = ['ValidationSucceeded', 'NodeClassReady']
const awaiting = { reason: 'AwaitingReconciliation', message: 'object is awaiting reconciliation' }

/**
 * The claim with one condition set, and with the resulting `Ready` condition. Returns the same claim if nothing
 * changes.
 */
export function withClaimCondition(claim: NodeClaim, change: ConditionChange, wall: number): NodeClaim {
  return withConditions(claim, conditionsWith(claim, ofClaims, change, wall))
}

export function withPoolCondition(pool: NodePool, change: ConditionChange, wall: number): NodePool {
  return withConditions(pool, conditionsWith(pool, ofPools, change, wall))
}

/** Upstream sorts the conditions by type when it removes a condition. */
export function withoutClaimCondition(claim: NodeClaim, type: string): NodeClaim {
  const all = claim.status?.conditions ?? []
  if (!all.some((each) => each.type === type)) return claim
  const left = all.filter((each) => each.type !== type).sort((a, b) => (a.type < b.type ? -1 : 1))
  return withConditions(claim, left)
}

function withConditions<T extends Conditioned>(object: T, conditions: readonly Condition[]): T {
  return conditions === object.status?.conditions ? object : { ...object, status: { ...object.status, conditions } }
}

/**
 * v1.14 with operatorpkg, status.ConditionSet: `Ready` and the conditions that it depends on are Unknown from the
 * creation on.
 */
function conditionsWith(
  object: Conditioned,
  dependents: readonly string[],
  change: ConditionChange,
  wall: number,
): readonly Condition[] {
  const set = new ConditionSet(object, dependents, wall)
  for (const type of [root, ...dependents])
    if (set.find(type) === undefined) set.set({ type, status: 'Unknown', ...awaiting })
  set.set(change)
  return set.conditions
}

class ConditionSet {
  conditions: readonly Condition[]
  private readonly metadata: ObjectMeta
  private readonly dependents: readonly string[]
  private readonly now: string

  constructor({ metadata, status }: Conditioned, dependents: readonly string[], wall: number) {
    this.conditions = status?.conditions ?? []
    this.metadata = metadata
    this.dependents = dependents
    this.now = formatTime(wall)
  }

  find(type: string): Condition | undefined {
    return this.conditions.find((each) => each.type === type)
  }

  set({ type, status, reason = type, message = '' }: ConditionChange): void {
    const { generation: observedGeneration = 0, creationTimestamp, deletionTimestamp } = this.metadata
    const old = this.find(type)
    const isSame =
      old?.status === status &&
      old.reason === reason &&
      old.message === message &&
      (old.observedGeneration ?? 0) === observedGeneration
    if (isSame) return
    const first = this.isDependent(type) ? (creationTimestamp ?? this.now) : this.now
    const since = old === undefined ? first : old.status === status ? old.lastTransitionTime : this.now
    const next: Condition = {
      type,
      status,
      ...(observedGeneration === 0 ? {} : { observedGeneration }),
      lastTransitionTime: since ?? this.now,
      reason,
      message,
    }
    const others = this.conditions.filter((each) => each.type !== type)
    const seen = deletionTimestamp === undefined ? others : others.map((each) => ({ ...each, observedGeneration }))
    this.conditions = [...seen, next].sort(byTime)
    if (type !== root) this.deriveRoot()
  }

  private isDependent(type: string): boolean {
    return type === root || this.dependents.includes(type)
  }

  private deriveRoot(): void {
    const { generation = 0 } = this.metadata
    const isSeen = ({ observedGeneration = 0 }: Condition) => observedGeneration === generation
    const unhealthy = this.conditions
      .filter((each) => this.dependents.includes(each.type) && (each.status !== 'True' || !isSeen(each)))
      .sort((a, b) => compare(timeOf(b), timeOf(a)))
    if (unhealthy.length === 0) {
      this.set({ type: root, status: 'True' })
      return
    }
    const isFalse = unhealthy.some((each) => each.status === 'False' && isSeen(each))
    const message = unhealthy.map(({ type, status }) => `${type}=${status}`).join(', ')
    if (isFalse) this.set({ type: root, status: 'False', reason: 'UnhealthyDependents', message })
    else this.set({ type: root, status: 'Unknown', reason: 'ReconcilingDependents', message })
  }
}

const timeOf = ({ lastTransitionTime = '' }: Condition): string => lastTransitionTime

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** The root condition comes last. */
function byTime(a: Condition, b: Condition): number {
  if (a.type === root || b.type === root) return Number(a.type === root) - Number(b.type === root)
  return compare(timeOf(a), timeOf(b))
}
