import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import { budgetsThatBlock } from './blocking-budgets.ts'
import { cutMiddle } from './fitted-text.ts'
import { type ForecastFacts, nameOf } from './verdict.ts'

/** The first remedy for the worst problem of a forecast, in a few words. */
export function adviceFor(facts: ForecastFacts, short: (node: string) => string): string | undefined {
  const { workloads } = facts
  const stuck = workloads.flatMap(({ terminating }) => terminating)
  if (stuck.length > 0) {
    const nodes = new Set(stuck.map(({ node }) => node))
    const which = nodes.size === 1 ? short(stuck[0]?.node ?? '') : 'the nodes'
    return `power off ${which}, then add the taint node.kubernetes.io/out-of-service or delete the node`
  }
  return (
    blockedAdvice(facts) ??
    budgetAdvice(facts) ??
    pendingAdvice(workloads) ??
    lostAdvice(workloads) ??
    loopAdvice(facts)
  )
}

function blockedAdvice({ drains, upgrade, workloads }: ForecastFacts): string | undefined {
  const isOpen = drains !== undefined && drains.open.length > 0
  const blocked = isOpen ? drains.blocked : (upgrade?.overridden ?? [])
  const [first] = blocked
  if (first === undefined) return undefined
  if (first.why.includes('--force')) return 'drain with --force to delete pods that no controller replaces'
  const [blocking, ...others] = budgetsThatBlock(blocked)
  if (blocking === undefined) return undefined
  // An eviction is refused until the pods of the same workload are ready again.
  const refused = new Set(blocked.map(({ pod, workload }) => `${pod.slice(0, pod.indexOf('/'))}/${workload}`))
  const waiting = workloads.find(
    ({ namespace, kind, name, pending }) => pending.length > 0 && refused.has(`${namespace}/${kind}/${name}`),
  )
  const isNever = blocked.some(({ never }) => never === true)
  if (waiting !== undefined && !isNever)
    return `make room for the pending pods of ${nameOf(waiting)}; the drain waits for them`
  const which = others.length > 0 ? 'these budgets' : `the budget ${cutMiddle(blocking.budget, 40)}`
  // The maximum of a percentage, or of maxUnavailable, depends on the number of replicas.
  if (blocked.every(({ why }) => why.includes('failed sync')))
    return `set minAvailable in ${which} to an integer; the replicas of the pods are unknown`
  return isNever ? `set maxUnavailable: 1 in ${which}` : `add a replica, or allow one more unavailable pod in ${which}`
}

function budgetAdvice({ answer, timeline, workloads }: ForecastFacts): string | undefined {
  // The workload that the answer reports as the worst.
  const worst = workloads.find(({ timeBelowBudget }) => timeBelowBudget > 0)
  const budget = worst?.budget ?? answer.budgetsBroken[0]
  if (budget === undefined) return undefined
  const steps = new Set(timeline.filter(({ what }) => what === 'step').map(({ object }) => object))
  if (steps.has('taint')) return 'drain instead; evictions by a NoExecute taint ignore disruption budgets'
  if (steps.has('silence') || steps.has('fail'))
    return `add replicas or spread the pods of ${budget}; a failure ignores disruption budgets`
  if (worst !== undefined && worst.created > 0 && isScaledDown(answer.causes))
    return `lower maxUnavailable in the update strategy of ${cutMiddle(nameOf(worst), 40)}; a rollout ignores budgets`
  if ((answer.causes['preempted'] ?? 0) > 0) return `add capacity, or give the pods of ${budget} a higher priority`
  return undefined
}

/** Reports whether the controllers of all deleted pods deleted them: in a rollout, or because fewer pods are wanted. */
export function isScaledDown(causes: ForecastFacts['answer']['causes']): boolean {
  return Object.keys(causes).every((cause) => cause === 'scaled down')
}

function loopAdvice({ loops }: ForecastFacts): string | undefined {
  if (!loops.some(({ kind }) => kind === 'place-evict')) return undefined
  return 'also cordon the tainted nodes, so that evicted pods are not placed on them again'
}

const remedies: readonly (readonly [RegExp, (reason: string) => string])[] = [
  [/Insufficient (\S+?)(,|$)/, (reason) => `add a node with free ${resourceIn(reason)}, or request less`],
  [/cannot allocate all claims/, () => 'add a node with free devices that match the claims, or release such a device'],
  [/topology spread/, () => 'add nodes in the domains that lack pods, or relax the topology spread constraints'],
  [/volume node affinity/, () => 'add a node where the volumes are; they cannot move'],
  // This comes before taints: a node that the selector rejects does not need its taint removed.
  [/node affinity\/selector/, () => "add nodes that match the pods' node selector"],
  [/untolerated taint/, () => 'add nodes without the taint, or tolerate it'],
  [/unschedulable/, () => 'uncordon or add nodes'],
]

function resourceIn(reason: string): string {
  return /Insufficient (\S+?)(,|$)/.exec(reason)?.[1] ?? 'resources'
}

function pendingAdvice(workloads: readonly WorkloadEntry[]): string | undefined {
  const reason = workloads.find(({ pending }) => pending.length > 0)?.pending[0]?.reason
  if (reason === undefined) return undefined
  return remedies.find(([pattern]) => pattern.test(reason))?.[1](reason)
}

function lostAdvice(workloads: readonly WorkloadEntry[]): string | undefined {
  const lost = workloads.filter((entry) => entry.lost > 0)
  if (!lost.some(({ kind }) => kind === 'Pod')) return undefined
  return 'before the change, recreate the pods without a controller on other nodes'
}
