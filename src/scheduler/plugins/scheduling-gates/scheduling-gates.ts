import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { definePlugin, ok, type Plugin, unresolvable } from '../../contract/contract.ts'
import { schedulingGatesWake } from './wake.ts'

/** Keeps pods out of the queue until all their scheduling gates are removed. */
export function createSchedulingGates(release: KubernetesRelease): Plugin<undefined, undefined> {
  return definePlugin({
    name: 'SchedulingGates',
    preEnqueue(pod) {
      const gates = pod.spec.schedulingGates ?? []
      if (gates.length === 0) return ok
      return unresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`)
    },
    wakeOn: schedulingGatesWake(release),
  })
}
