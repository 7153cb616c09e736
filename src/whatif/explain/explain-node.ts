import { findCondition, isNodeReady, isPodTerminal } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { intValue, milliValue } from '../../api/quantity.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import { formatTaint } from '../../api/taints.ts'
import { estimateEviction } from '../../controllers/taint-eviction/pending-eviction.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { findRemovable } from '../capacity/removable.ts'
import type { ObjectSource } from './object-set.ts'

/** The state of a node, and the obstacles to its removal now. */
export interface NodeExplanation {
  readonly node: string
  readonly ready: boolean
  /** The reason why the node is not ready, from its condition. */
  readonly message?: string
  readonly unschedulable: boolean
  readonly taints: readonly string[]
  readonly pods: { readonly all: number; readonly daemons: number }
  readonly requested: Readonly<Record<'cpu' | 'memory', { readonly percent: number }>>
  /** Reports whether all pods that must move fit on other nodes; if not, the first pod that does not. */
  readonly removal: { readonly fits: boolean; readonly pod?: string; readonly reason?: string }
  /** Disruption budgets of its pods that allow no eviction now. */
  readonly blockedBy: readonly { readonly budget: string; readonly pods: number }[]
  /** Pods that NoExecute taints of the node will evict, earliest first. */
  readonly evictions: readonly { readonly pod: string; readonly at: number; readonly cause: string }[]
}

/** Explains a node without its autoscaler. Changes nothing. */
export function explainNode(objects: ObjectSource, node: Node, profile: Profile, now: number): NodeExplanation {
  const { name } = node.metadata
  const pods = objects.list('pods').filter((pod) => pod.spec.nodeName === name && !isPodTerminal(pod))
  const ready = isNodeReady(node)
  const message = findCondition(node.status?.conditions, 'Ready')?.message
  const [kept] = findRemovable(objects, profile, ({ metadata }) => metadata.name === name).kept
  return {
    node: name,
    ready,
    ...(ready || message === undefined || message === '' ? {} : { message }),
    unschedulable: node.spec?.unschedulable === true,
    taints: (node.spec?.taints ?? []).map(formatTaint),
    pods: { all: pods.length, daemons: pods.filter(isDaemon).length },
    requested: requestedOn(node, pods),
    removal:
      kept === undefined
        ? { fits: true }
        : { fits: false, ...(kept.pod === undefined ? {} : { pod: kept.pod }), reason: kept.reason },
    blockedBy: blockingBudgets(objects, pods),
    evictions: pods
      .flatMap((pod) => estimateEviction(pod, node, now) ?? [])
      .map(({ pod, fireAt, cause }) => ({ pod, at: fireAt, cause }))
      .sort((a, b) => a.at - b.at || (a.pod < b.pod ? -1 : 1)),
  }
}

const isDaemon = (pod: Pod): boolean => controllerOf(pod)?.kind === 'DaemonSet'

function requestedOn({ status }: Node, pods: readonly Pod[]): NodeExplanation['requested'] {
  const requests = pods.map((pod) => schedulingRequests(pod))
  const cpuMilli = requests.reduce((sum, each) => sum + each.cpuMilli, 0)
  const memoryBytes = requests.reduce((sum, each) => sum + each.memoryBytes, 0)
  const percent = (used: number, all: number) => (all === 0 ? 0 : Math.round((100 * used) / all))
  const { cpu = '0', memory = '0' } = status?.allocatable ?? {}
  return {
    cpu: { percent: percent(cpuMilli, milliValue(cpu)) },
    memory: { percent: percent(memoryBytes, intValue(memory)) },
  }
}

function blockingBudgets(objects: ObjectSource, pods: readonly Pod[]): NodeExplanation['blockedBy'] {
  return objects.list('poddisruptionbudgets.policy').flatMap((budget) => {
    if ((budget.status?.disruptionsAllowed ?? 0) > 0) return []
    const { namespace } = budget.metadata
    const count = pods.filter(
      (pod) =>
        !isDaemon(pod) && pod.metadata.namespace === namespace && selects(budget.spec?.selector, pod.metadata.labels),
    ).length
    return count === 0 ? [] : [{ budget: keyOf(budget), pods: count }]
  })
}
