import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { QueueEntry } from '../../api/queue-entry.ts'
import type { PreemptionExecutor } from '../attempt/preemption-executor.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import type { SchedulerContext } from '../context/context.ts'
import { labelsOf } from '../queue/cluster-event.ts'
import { rejectorsOf } from '../queue/queued-pod.ts'

/** A node that a pod is nominated to, and the terminating victims on that node. */
export interface NominationEntry {
  readonly pod: string
  readonly node: string
  readonly victims: readonly string[]
}

export interface SchedulerInspection {
  readonly queue: readonly QueueEntry[]
  readonly bindings: ReturnType<BindingCycles['entries']>
  readonly nominations: readonly NominationEntry[]
  readonly preemptions: ReturnType<PreemptionExecutor['entries']>
}

export function inspectQueue(
  context: SchedulerContext,
  bindings: BindingCycles,
  preemptions: PreemptionExecutor,
): SchedulerInspection {
  const { queue, nominator } = context
  const entries: QueueEntry[] = []
  for (const pod of queue.pods()) {
    const rejectedBy = rejectorsOf(pod)
    const backoffUntil = queue.backoffEndsAt(pod)
    // A gated pod waits for its gate, not for a retry.
    const isRetried = pod.place === 'unschedulable' && pod.gatingPlugin === undefined
    const retriedAt = isRetried ? queue.flushedAt(pod) : undefined
    entries.push({
      pod: pod.key,
      uid: pod.uid,
      schedulerName: pod.profile,
      priority: pod.parsed.priority,
      place: pod.place === 'unschedulable' && pod.gatingPlugin !== undefined ? 'gated' : pod.place,
      since: pod.placedAt,
      because: pod.placedBy,
      queuedAt: pod.queuedAt,
      attempts: pod.attempts,
      rejectedBy,
      pendingPlugins: pod.pendingPlugins,
      ...(pod.gatingPlugin === undefined ? {} : { gatedBy: pod.gatingPlugin }),
      ...(backoffUntil === undefined || backoffUntil < 0 ? {} : { backoffUntil }),
      wakesOn: pod.place === 'unschedulable' ? wakesOf(context, pod.profile, rejectedBy) : {},
      ...(retriedAt === undefined ? {} : { retriedAt }),
    })
  }
  return {
    queue: entries.sort((a, b) => (a.pod < b.pod ? -1 : a.pod > b.pod ? 1 : 0)),
    bindings: bindings.entries(),
    nominations: nominator
      .entries()
      .map(({ pod, node }) => ({ pod: pod.key, node, victims: victimsOn(context, node) })),
    preemptions: preemptions.entries(),
  }
}

function wakesOf(context: SchedulerContext, profile: string, plugins: readonly string[]): QueueEntry['wakesOn'] {
  const wakes: Record<string, readonly string[]> = {}
  for (const plugin of plugins) {
    wakes[plugin] = context.queue.hints.rulesOf(profile, plugin).flatMap(({ on }) => labelsOf(on))
  }
  return wakes
}

/** The pods on a node that are terminating because the scheduler preempted them. */
function victimsOn({ cache, objects }: SchedulerContext, node: string): readonly string[] {
  const pods = cache.cluster(objects).node(node)?.pods ?? []
  return pods.filter(({ pod }) => isVictim(pod)).map(({ key }) => key)
}

function isVictim({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false
  return findCondition(status?.conditions, 'DisruptionTarget')?.reason === 'PreemptionByScheduler'
}
