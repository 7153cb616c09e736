import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { definePlugin, type Plugin } from '../../contract/contract.ts'
import { type PreemptionSettings, preempt } from '../../preemption/preempt.ts'
import { defaultPreemptionWake } from './wake.ts'

export type DefaultPreemptionArgs = Partial<PreemptionSettings>

export const defaultPreemptionSettings: PreemptionSettings = {
  minCandidateNodesPercentage: 10,
  minCandidateNodesAbsolute: 100,
  keepsBudgets: false,
  endsAtViolation: false,
  unstartedInOrder: false,
}

export function createDefaultPreemption(
  args: DefaultPreemptionArgs,
  release: KubernetesRelease,
): Plugin<undefined, undefined> {
  const endsAtViolation = release.changes.has('ViolatedBudgetEnds')
  const unstartedInOrder = release.changes.has('UnstartedVictimsInOrder')
  const settings = { ...defaultPreemptionSettings, endsAtViolation, unstartedInOrder, ...args }
  return definePlugin<undefined, undefined>({
    name: 'DefaultPreemption',
    postFilter: (pod, diagnosis, context) => preempt(pod, diagnosis, context, settings),
    wakeOn: defaultPreemptionWake(release),
  })
}
