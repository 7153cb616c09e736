import { compileLabelSelector } from '../../api/label-selector.ts'
import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/contract.ts'

/**
 * Splits the pods, in this order, by whether their eviction would violate a budget if all were evicted. Up to v1.36 a
 * covered pod counts against every budget (defaultpreemption filterPodsWithPDBViolation); since v1.37 the first budget
 * that it violates is the last one it counts against (preemption FilterVictimsWithPDBViolation).
 */
export function splitByBudgets(
  pods: readonly ParsedPod[],
  budgets: readonly PodDisruptionBudget[],
  endsAtViolation: boolean,
): { readonly violating: readonly ParsedPod[]; readonly harmless: readonly ParsedPod[] } {
  if (budgets.length === 0) return { violating: none, harmless: pods }
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0)
  const violating: ParsedPod[] = []
  const harmless: ParsedPod[] = []
  for (const pod of pods) {
    let violates = false
    for (const [i, budget] of budgets.entries()) {
      if (!covers(budget, pod)) continue
      const left = (allowed[i] as number) - 1
      allowed[i] = left
      if (left < 0) violates = true
      if (violates && endsAtViolation) break
    }
    ;(violates ? violating : harmless).push(pod)
  }
  return { violating, harmless }
}

const none: readonly ParsedPod[] = []

/** Reports whether the eviction of the pod counts against the budget. A pod in disruptedPods is already counted. */
export function covers({ metadata, spec, status }: PodDisruptionBudget, { pod, shape }: ParsedPod): boolean {
  if (metadata.namespace !== pod.metadata.namespace || isEmpty(shape.labels)) return false
  const selector = compileLabelSelector(spec?.selector)
  if (!selector.ok || selector.value.everything || !selector.value.matches(shape.labels)) return false
  return status?.disruptedPods?.[pod.metadata.name] === undefined
}

function isEmpty(labels: object | undefined): boolean {
  for (const _ in labels) return false
  return true
}
