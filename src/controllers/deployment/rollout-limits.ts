import type { Deployment } from '../../api/objects/workloads.ts'
import { rollingLimits } from '../scaled-value.ts'

// The largest int32 means no limit, as older API versions wrote it.
const noLimit = 2 ** 31 - 1

export const replicasOf = (deployment: Deployment): number => deployment.spec?.replicas ?? 1

export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
}

/** The maximum number of unavailable pods during a rollout. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment)
  if (!isRollingUpdate(deployment) || replicas === 0) return 0
  const { unavailable } = rollingLimits(deployment.spec?.strategy?.rollingUpdate ?? {}, replicas)
  return Math.min(unavailable, replicas)
}

/** The maximum number of pods above the wanted number during a rollout. */
export function maxSurge(deployment: Deployment): number {
  if (!isRollingUpdate(deployment)) return 0
  return rollingLimits(deployment.spec?.strategy?.rollingUpdate ?? {}, replicasOf(deployment)).surge
}

export function progressDeadlineMs(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds
  return seconds === undefined || seconds === noLimit ? undefined : seconds * 1000
}

export function historyLimit(deployment: Deployment): number | undefined {
  const limit = deployment.spec?.revisionHistoryLimit
  return limit === undefined || limit === noLimit ? undefined : limit
}
