import type { PodExplanation } from '../api/console-wire.ts'
import type { Store } from '../store/contract.ts'
import { explainPod } from '../whatif/explain/explain-pod.ts'
import type { ObjectSource } from '../whatif/explain/object-set.ts'

/** What the scheduler makes of every node for a pod, in the words of the console. */
export function explainForConsole(store: Store, key: string, now: number): PodExplanation | undefined {
  const objects: ObjectSource = {
    get: (resource, name) => store.get(resource, name) as never,
    list: (resource, namespace) => store.list(resource, namespace === undefined ? {} : { namespace }) as never,
  }
  const pod = objects.get('pods', key)
  if (pod === undefined) return undefined
  const { state, message, never, nodes, repairs, preemption, wakesOn } = explainPod({ objects, pod, now })
  return {
    pod: key,
    now,
    state,
    message,
    nodes,
    plugins: pluginsOf(nodes),
    repairs: repairs.map(({ node, changes }) => ({ node, changes: changes.map(({ sentence }) => sentence) })),
    wakesOn,
    ...(never === undefined ? {} : { never }),
    ...(preemption === undefined ? {} : { preemption }),
  }
}

/** Those that tell nodes apart the most come first. */
function pluginsOf(nodes: PodExplanation['nodes']): readonly string[] {
  const most = new Map<string, number>()
  for (const { scores = {} } of nodes) {
    for (const [plugin, score] of Object.entries(scores)) most.set(plugin, Math.max(most.get(plugin) ?? 0, score))
  }
  return [...most].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([plugin]) => plugin)
}
