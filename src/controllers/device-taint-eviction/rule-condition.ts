import type { DeviceCondition, DeviceTaintRule } from '../../api/objects/devices.ts'

export const evictionInProgress = 'EvictionInProgress'

/** The current effects of a rule. */
export interface RuleCounts {
  readonly pendingPods: number
  readonly pendingNamespaces: number
  readonly publishedDevices: number
  readonly allocatedDevices: number
  /** The number of evicted pods since the controller started. */
  readonly evictedPods: number
}

/** The condition of a rule, without its time (v1.36, maybeUpdateRuleStatus). */
export function ruleCondition({ metadata, spec }: DeviceTaintRule, counts: RuleCounts): DeviceCondition {
  const { reason, message, isInProgress } = stateOf(spec.taint.effect, counts)
  const { evictedPods } = counts
  const evicted = evictedPods === 0 ? '' : `${pods(evictedPods)} evicted since starting the controller.`
  return {
    type: evictionInProgress,
    status: isInProgress === true ? 'True' : 'False',
    reason,
    message: [message, evicted].filter((text) => text !== '').join(' '),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  }
}

interface RuleState {
  readonly reason: string
  readonly message: string
  readonly isInProgress?: boolean
}

function stateOf(effect: string, counts: RuleCounts): RuleState {
  const { pendingPods, pendingNamespaces, publishedDevices, allocatedDevices, evictedPods } = counts
  const namespaces = pendingNamespaces === 1 ? '1 namespace' : `${pendingNamespaces} different namespaces`
  if (effect === 'NoExecute') {
    if (pendingPods === 0) return { reason: evictedPods > 0 ? 'Completed' : 'NotStarted', message: '' }
    const message = `${pendingPods === 1 ? '1 pod needs' : `${pendingPods} pods need`} to be evicted in ${namespaces}.`
    return { reason: 'PodsPendingEviction', message, isInProgress: true }
  }
  if (effect !== 'None') {
    return { reason: 'OtherEffect', message: 'Eviction only happens for the NoExecute effect.' }
  }
  const selected = (count: number, what: string) => `${count} ${what} device${count === 1 ? '' : 's'} selected.`
  const message = [
    selected(publishedDevices, 'published'),
    selected(allocatedDevices, 'allocated'),
    `${pods(pendingPods)} would be evicted in ${namespaces} if the effect was NoExecute.`,
    'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
  ].join(' ')
  return { reason: 'NoEffect', message }
}

const pods = (count: number): string => (count === 1 ? '1 pod' : `${count} pods`)

export function isSameCondition(a: DeviceCondition | undefined, b: DeviceCondition): boolean {
  return (
    a !== undefined &&
    a.status === b.status &&
    a.reason === b.reason &&
    (a.message ?? '') === b.message &&
    a.observedGeneration === b.observedGeneration
  )
}
