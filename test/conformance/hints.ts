import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import { type ClusterEvent, isAssigned, type WakeRule } from '../../src/scheduler/contract/contract.ts'
import {
  eventOf,
  nodeAdd,
  nodeDelete,
  nodeUpdateEvents,
  podUpdateEvents,
} from '../../src/scheduler/events/change-events.ts'
import { interPodAffinityWake } from '../../src/scheduler/plugins/inter-pod-affinity/wake.ts'
import { nodeAffinityWake } from '../../src/scheduler/plugins/node-affinity/wake.ts'
import { nodeDeclaredFeaturesWake } from '../../src/scheduler/plugins/node-declared-features/wake.ts'
import { nodeNameWake } from '../../src/scheduler/plugins/node-name/wake.ts'
import { nodePortsWake } from '../../src/scheduler/plugins/node-ports/wake.ts'
import { nodeResourcesFitWake } from '../../src/scheduler/plugins/node-resources-fit/wake.ts'
import { nodeUnschedulableWake } from '../../src/scheduler/plugins/node-unschedulable/wake.ts'
import { nodeVolumeLimitsWake } from '../../src/scheduler/plugins/node-volume-limits/wake.ts'
import { podTopologySpreadWake } from '../../src/scheduler/plugins/pod-topology-spread/wake.ts'
import { schedulingGatesWake } from '../../src/scheduler/plugins/scheduling-gates/wake.ts'
import { taintTolerationWake } from '../../src/scheduler/plugins/taint-toleration/wake.ts'
import { volumeBindingWake } from '../../src/scheduler/plugins/volume-binding/wake.ts'
import { volumeRestrictionsWake } from '../../src/scheduler/plugins/volume-restrictions/wake.ts'
import { volumeZoneWake } from '../../src/scheduler/plugins/volume-zone/wake.ts'
import {
  assignedPodAdd,
  assignedPodDelete,
  labelOf,
  unscheduledPodAdd,
} from '../../src/scheduler/queue/cluster-event.ts'
import { HintTable } from '../../src/scheduler/queue/hint-table.ts'
import { type GivenObjects, readerOf } from './given-objects.ts'
import { expectEqual, type Verdict } from './verdict.ts'

type Given = { readonly pod: Pod } & GivenObjects &
  (
    | { readonly kind: 'Node'; readonly old: Node | null; readonly new: Node | null }
    | { readonly kind: 'Pod'; readonly old: Pod | null; readonly new: Pod | null }
    | { readonly kind: keyof typeof RESOURCES; readonly old: KubeObject | null; readonly new: KubeObject | null }
  )

const RESOURCES = {
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

// The default profile's plugins that reject pods. DefaultPreemption only gates, and never asks for a retry.
const rules: readonly (readonly [string, readonly WakeRule[]])[] = [
  ['SchedulingGates', schedulingGatesWake],
  ['NodeUnschedulable', nodeUnschedulableWake],
  ['NodeName', nodeNameWake],
  ['TaintToleration', taintTolerationWake],
  ['NodeAffinity', nodeAffinityWake({})],
  ['NodePorts', nodePortsWake],
  ['NodeResourcesFit', nodeResourcesFitWake({})],
  ['VolumeRestrictions', volumeRestrictionsWake],
  ['NodeVolumeLimits', nodeVolumeLimitsWake],
  ['VolumeBinding', volumeBindingWake],
  ['VolumeZone', volumeZoneWake],
  ['PodTopologySpread', podTopologySpreadWake({})],
  ['InterPodAffinity', interPodAffinityWake],
  ['NodeDeclaredFeatures', nodeDeclaredFeaturesWake],
]
const table = new HintTable(new Map([['default-scheduler', new Map(rules)]]))

export function run(given: Given, want: Want): Verdict {
  const events = eventsOf(given)
  const objects = readerOf(given)
  const hints: Record<string, string> = {}
  const change = { ...(given.old && { before: given.old }), ...(given.new && { after: given.new }) }
  for (const event of events) {
    for (const { plugin, hint } of table.hintsFor('default-scheduler', event).hints) {
      const helps = hint === undefined || hint(given.pod, change, objects)
      hints[plugin] = helps || hints[plugin] === 'Queue' ? 'Queue' : 'QueueSkip'
    }
  }
  return expectEqual({ events: asSet(events.map(labelOf)), hints }, { ...want, events: asSet(want.events) })
}

function asSet(labels: readonly string[]): readonly string[] {
  return [...new Set(labels)].sort()
}

function eventsOf(given: Given): readonly ClusterEvent[] {
  if (given.kind === 'Node') {
    if (given.old === null) return [nodeAdd]
    return given.new === null ? [nodeDelete] : nodeUpdateEvents(given.old, given.new)
  }
  if (given.kind !== 'Pod') {
    const event = eventOf(RESOURCES[given.kind], { before: given.old ?? undefined, after: given.new ?? undefined })
    return event === undefined ? [] : [event]
  }
  if (given.old === null) return [given.new !== null && isAssigned(given.new) ? assignedPodAdd : unscheduledPodAdd]
  return given.new === null ? [assignedPodDelete] : podUpdateEvents(given.old, given.new)
}
