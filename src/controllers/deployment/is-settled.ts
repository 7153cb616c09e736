import { type DeploymentInput, decideDeployment } from './decide-deployment.ts'
import { activeAmong, setsByTemplate } from './replica-sets.ts'
import { historyLimit } from './rollout-limits.ts'

/**
 * Reports whether the rollout of a Deployment has ended: until a spec changes, the controller writes only its status.
 */
export function isSettled(input: DeploymentInput): boolean {
  const { deployment, replicaSets } = input
  const { planned, isCounted } = decideDeployment(input)
  if (isCounted !== true || planned.some(({ call }) => call.resource !== 'deployments.apps')) return false
  const { newSet, old } = setsByTemplate(deployment, replicaSets)
  // Old sets beyond the limit are deleted when the status reports that the rollout is complete.
  const isCleanedUp = old.length <= (historyLimit(deployment) ?? Number.POSITIVE_INFINITY)
  const isEmpty = activeAmong(old).length === 0 && old.every(({ status }) => (status?.replicas ?? 0) === 0)
  return newSet !== undefined && isCleanedUp && isEmpty
}
