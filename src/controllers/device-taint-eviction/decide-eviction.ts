import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ResourceClaim,
} from '../../api/objects/devices.ts'
import { parseTime } from '../../api/time.ts'
import type { DevicePools } from './device-pools.ts'

/** The origin of a taint: a rule, or a device in a slice. */
export interface EvictionCause {
  readonly taint: DeviceTaint
  readonly driver: string
  readonly pool: string
  readonly device: string
  /** The name of a DeviceTaintRule; absent: the slice has the taint. */
  readonly rule?: string
}

/** The wall time at which a pod or the users of a claim are evicted. */
export interface DeviceEviction {
  readonly at: number
  readonly causes: readonly EvictionCause[]
}

/** v1.36, resourceclaim.ToleratesTaint. */
export function toleratesDeviceTaint(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false
  if ((toleration.key ?? '') !== '' && toleration.key !== taint.key) return false
  const { operator = 'Equal' } = toleration
  return operator === 'Exists' || (operator === 'Equal' && (toleration.value ?? '') === (taint.value ?? ''))
}

/** Reports whether a rule selects a device. A rule without a selector selects none (v1.36, ruleMatchesDevice). */
export function selectsDevice(
  { spec }: DeviceTaintRule,
  { driver, pool, device }: { readonly driver: string; readonly pool: string; readonly device: string },
): boolean {
  const { deviceSelector: selector } = spec
  if (selector === undefined) return false
  return (
    (selector.driver === undefined || selector.driver === driver) &&
    (selector.pool === undefined || selector.pool === pool) &&
    (selector.device === undefined || selector.device === device)
  )
}

/** v1.36, claimEvictionTime: the first time at which a device of the claim has a taint that is no longer tolerated. */
export function claimEviction(
  claim: ResourceClaim,
  pools: DevicePools,
  rules: Iterable<DeviceTaintRule>,
): DeviceEviction | undefined {
  let at: number | undefined
  const causes: EvictionCause[] = []
  for (const result of claim.status?.allocation?.devices?.results ?? []) {
    for (const cause of evictingTaints(result, pools, rules)) {
      const tolerated = toleratedSeconds(result.tolerations ?? [], cause.taint)
      if (tolerated === 'forever') continue
      const due = (parseTime(cause.taint.timeAdded) ?? 0) + tolerated * 1000
      causes.push(cause)
      at = at === undefined ? due : Math.min(at, due)
    }
  }
  return at === undefined ? undefined : { at, causes: causes.sort(byCause) }
}

function* evictingTaints(
  { driver, pool, device }: DeviceRequestAllocationResult,
  pools: DevicePools,
  rules: Iterable<DeviceTaintRule>,
): IterableIterator<EvictionCause> {
  for (const taint of pools.find(driver, pool, device)?.device.taints ?? []) {
    if (taint.effect === 'NoExecute') yield { taint, driver, pool, device }
  }
  for (const rule of rules) {
    if (rule.spec.taint.effect !== 'NoExecute' || !selectsDevice(rule, { driver, pool, device })) continue
    yield { taint: rule.spec.taint, driver, pool, device, rule: rule.metadata.name }
  }
}

/** Only tolerations that name the effect count. 0: the taint is not tolerated. */
function toleratedSeconds(tolerations: readonly DeviceToleration[], taint: DeviceTaint): number | 'forever' {
  let seconds = Number.POSITIVE_INFINITY
  for (const toleration of tolerations) {
    if (toleration.effect !== 'NoExecute' || !toleratesDeviceTaint(toleration, taint)) continue
    if (toleration.tolerationSeconds === undefined) return 'forever'
    seconds = Math.min(seconds, Math.max(0, toleration.tolerationSeconds))
  }
  return seconds === Number.POSITIVE_INFINITY ? 0 : seconds
}

/** The eviction of a pod that uses several claims: the earliest one, with all causes. */
export function combined(evictions: readonly DeviceEviction[]): DeviceEviction | undefined {
  const [first] = evictions
  if (first === undefined || evictions.length === 1) return first
  const causes = new Map(evictions.flatMap(({ causes }) => causes.map((cause) => [causeText(cause), cause])))
  return { at: Math.min(...evictions.map(({ at }) => at)), causes: [...causes.values()].sort(byCause) }
}

/** Rules first, then devices by name (v1.36, trackedTaint.Compare). */
function byCause(a: EvictionCause, b: EvictionCause): number {
  if (a.rule !== undefined || b.rule !== undefined) {
    if (a.rule === undefined || b.rule === undefined) return a.rule === undefined ? 1 : -1
    return a.rule < b.rule ? -1 : 1
  }
  const [left, right] = [deviceText(a), deviceText(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const deviceText = ({ driver, pool, device }: EvictionCause): string => `${driver}/${pool}/${device}`

export function causeText(cause: EvictionCause): string {
  const { key, value, effect } = cause.taint
  const taint = `${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`
  const from = cause.rule === undefined ? '' : ` by DeviceTaintRule ${cause.rule}`
  return `device ${deviceText(cause)} has taint ${taint}${from}`
}

export function sameEviction(a: DeviceEviction | undefined, b: DeviceEviction | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.at !== b.at || a.causes.length !== b.causes.length) return false
  return a.causes.every((cause, i) => causeText(cause) === causeText(b.causes[i] as EvictionCause))
}
