import { definePlugin, ok, unresolvable } from '../../contract/contract.ts'
import { schedulingGatesWake } from './wake.ts'

/** Keeps pods out of the queue until all their scheduling gates are removed. */
export const schedulingGates = definePlugin({
  name: 'SchedulingGates',
  preEnqueue(pod) {
    const gates = pod.spec.schedulingGates ?? []
    if (gates.length === 0) return ok
    return unresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`)
  },
  wakeOn: schedulingGatesWake,
})
