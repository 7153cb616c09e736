import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { type ClusterEvent, isAssigned } from '../../src/scheduler/contract/contract.ts'
import { eventOf, nodeAdd, nodeDelete, updateEvents } from '../../src/scheduler/events/change-events.ts'
import { createDefaultProfile } from '../../src/scheduler/plugins/default-plugins.ts'
import {
  assignedPodAdd,
  assignedPodDelete,
  labelOf,
  pendingPodEvents,
} from '../../src/scheduler/queue/cluster-event.ts'
import { HintTable } from '../../src/scheduler/queue/hint-table.ts'
import { type GivenObjects, readerOf } from './given-objects.ts'
import { expectEqual, type Verdict } from './verdict.ts'

type Given = { readonly pod: Pod } & GivenObjects &
  (
    | { readonly kind: 'Node'; readonly old: Node | null; readonly new: Node | null }
    | { readonly kind: 'Pod'; readonly old: Pod | null; readonly new: Pod | null }
    | { readonly kind: keyof typeof resources; readonly old: KubeObject | null; readonly new: KubeObject | null }
  )

const resources = {
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  StorageClass: 'storageclasses.storage.k8s.io',
  CSINode: 'csinodes.storage.k8s.io',
  CSIDriver: 'csidrivers.storage.k8s.io',
  CSIStorageCapacity: 'csistoragecapacities.storage.k8s.io',
  VolumeAttachment: 'volumeattachments.storage.k8s.io',
} as const

interface Want {
  readonly events: readonly string[]
  readonly hints: Readonly<Record<string, 'Queue' | 'QueueSkip'>>
}

/** Plugins that the vectors leave out. DefaultPreemption only gates, and never asks for a retry. */
const leftOut = new Set(['DefaultPreemption', 'DynamicResources', 'GangScheduling'])

const tables = new Map<KubernetesRelease, HintTable>()

/** The registrations of the default profile, as its plugins make them. */
function tableOf(release: KubernetesRelease): HintTable {
  let table = tables.get(release)
  if (table === undefined) {
    const { schedulerName, preEnqueue, preFilter, filter, reserve } = createDefaultProfile({ release })
    const rejecting = [...preEnqueue, ...preFilter, ...filter, ...reserve].filter(({ name }) => !leftOut.has(name))
    const rules = new Map(rejecting.map(({ name, wakeOn = [] }) => [name, wakeOn]))
    table = new HintTable(new Map([[schedulerName, rules]]))
    tables.set(release, table)
  }
  return table
}

export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  const events = eventsOf(given, release)
  const objects = readerOf(given)
  const hints: Record<string, string> = {}
  const change = { ...(given.old && { before: given.old }), ...(given.new && { after: given.new }) }
  for (const event of events) {
    for (const [plugin, ofPlugin] of tableOf(release).hintsFor('default-scheduler', event).hints) {
      const helps = ofPlugin.some((hint) => hint === undefined || hint(given.pod, change, objects))
      hints[plugin] = helps || hints[plugin] === 'Queue' ? 'Queue' : 'QueueSkip'
    }
  }
  return expectEqual({ events: asSet(events.map(labelOf)), hints }, { ...want, events: asSet(want.events) })
}

function asSet(labels: readonly string[]): readonly string[] {
  return [...new Set(labels)].sort()
}

function eventsOf(given: Given, release: KubernetesRelease): readonly ClusterEvent[] {
  const updates = updateEvents(release)
  if (given.kind === 'Node') {
    if (given.old === null) return [nodeAdd]
    return given.new === null ? [nodeDelete] : updates.ofNode(given.old, given.new)
  }
  if (given.kind !== 'Pod') {
    const event = eventOf(resources[given.kind], { before: given.old ?? undefined, after: given.new ?? undefined })
    return event === undefined ? [] : [event]
  }
  if (given.old === null)
    return [given.new !== null && isAssigned(given.new) ? assignedPodAdd : pendingPodEvents(release).added]
  return given.new === null ? [assignedPodDelete] : updates.ofPod(given.old, given.new)
}
