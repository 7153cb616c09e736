import type { Settings } from '../../controlplane/settings.ts'
import type { Store } from '../../store/contract.ts'
import { explainPod } from '../../whatif/explain/explain-pod.ts'
import type { ObjectSource } from '../../whatif/explain/object-set.ts'
import { profilesFor } from '../../whatif/explain/profiles-for.ts'
import type { ConsoleExplanation } from '../../wire/console-wire.ts'

/** The pod to explain, the objects of the cluster, and the settings of the scheduler. */
export interface ExplainQuestion {
  readonly objects: ObjectSource
  readonly settings: Settings
  readonly pod: string
  readonly now: number
}

/** Explains a pod with the profiles and plugins of the running scheduler. */
export function explainForConsole({
  objects,
  settings,
  pod: key,
  now,
}: ExplainQuestion): ConsoleExplanation | undefined {
  const pod = objects.get('pods', key)
  if (pod === undefined) return undefined
  const schedulerName = pod.spec.schedulerName ?? 'default-scheduler'
  const { profiles, release } = profilesFor(settings, objects)
  const profile = profiles.find((each) => each.schedulerName === schedulerName)
  if (profile === undefined && !pod.spec.nodeName) return leftAlone(key, now, schedulerName)
  const { state, message, never, nodes, repairs, preemption, wakesOn } = explainPod({
    objects,
    pod,
    now,
    release,
    ...(profile === undefined ? {} : { profile }),
  })
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

export function objectsIn(store: Store): ObjectSource {
  return {
    get: (resource, name) => store.get(resource, name) as never,
    list: (resource, namespace) => store.list(resource, namespace === undefined ? {} : { namespace }) as never,
  }
}

/** The answer for a pod of another scheduler, whose decisions are unknown. */
function leftAlone(pod: string, now: number, schedulerName: string): ConsoleExplanation {
  return {
    pod,
    now,
    state: 'pending',
    message: `The pod waits for the scheduler "${schedulerName}", which does not run here.`,
    never: `no profile of this scheduler is named "${schedulerName}"`,
    nodes: [],
    plugins: [],
    repairs: [],
    wakesOn: {},
  }
}

/** The plugins with scores, in descending order of their highest score. */
function pluginsOf(nodes: ConsoleExplanation['nodes']): readonly string[] {
  const most = new Map<string, number>()
  for (const { scores = {} } of nodes) {
    for (const [plugin, score] of Object.entries(scores)) most.set(plugin, Math.max(most.get(plugin) ?? 0, score))
  }
  return [...most].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([plugin]) => plugin)
}
