import type { Taint } from '../../../api/objects/node.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { isTolerated, tolerationOptions } from '../../../api/tolerations.ts'
import { taintKeys } from '../../../api/well-known.ts'
import { definePlugin, ok, type Plugin, unresolvable } from '../../contract/contract.ts'
import { nodeUnschedulableWake } from './wake.ts'

const cordon: Taint = { key: taintKeys.unschedulable, effect: 'NoSchedule' }
const cordoned = unresolvable('node(s) were unschedulable')

/** A cordoned node accepts only pods that tolerate the taint of a cordon, even if the node does not have the taint. */
export function createNodeUnschedulable(release: KubernetesRelease): Plugin<undefined, undefined> {
  const options = tolerationOptions(release)
  return definePlugin({
    name: 'NodeUnschedulable',
    reads: 'taints',
    filter({ pod }, { node }) {
      if (node.spec?.unschedulable !== true) return ok
      return isTolerated(cordon, pod.spec.tolerations, options) ? ok : cordoned
    },
    wakeOn: nodeUnschedulableWake(release),
  })
}
