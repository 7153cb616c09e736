import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { toleratedFor } from '../../api/tolerations.ts'

/**
 * Whether a pod that were placed here would stay: fix `finite-tolerations`. A pod that tolerates a NoExecute taint only
 * for a time would be placed, evicted, and placed again. The scheduler's taint filter asks this beside its own question.
 */
export function mayStay(pod: Pod, node: Node): boolean {
  return toleratedFor(node.spec?.taints, pod.spec.tolerations) === 'forever'
}
