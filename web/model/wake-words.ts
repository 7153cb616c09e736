// The events that requeue a pod, in words: `AssignedPodDelete` → `a pod leaves its node`.

const subjects: readonly (readonly [prefix: string, words: string])[] = [
  ['AssignedPod', 'a placed pod'],
  ['UnschedulablePod', 'the pod itself'],
  ['UnscheduledPod', 'a pending pod'],
  ['TargetPod', 'the pod itself'],
  ['PersistentVolumeClaim', 'a volume claim'],
  ['PersistentVolume', 'a volume'],
  ['storage.k8s.io/CSINode', 'a CSINode'],
  ['storage.k8s.io/CSIDriver', 'a CSI driver'],
  ['storage.k8s.io/CSIStorageCapacity', 'the capacity of a CSI driver'],
  ['storage.k8s.io/StorageClass', 'a StorageClass'],
  ['storage.k8s.io/VolumeAttachment', 'a volume attachment'],
  ['scheduling.k8s.io/PodGroup', 'its pod group'],
  ['resource.k8s.io/ResourceClaim', 'a device claim'],
  ['resource.k8s.io/ResourceSlice', 'a list of devices'],
  ['resource.k8s.io/DeviceClass', 'a device class'],
  ['Pod', 'a pod'],
  ['Node', 'a node'],
  ['*', 'anything'],
]

const actions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Add: 'is added',
    Delete: 'is deleted',
    Update: 'changes',
    All: 'changes',
    NodeAllocatable: 'gets more capacity',
    NodeLabel: 'gets other labels',
    NodeTaint: 'loses a taint',
    NodeCondition: 'changes a condition',
    NodeAnnotation: 'changes an annotation',
    NodeDeclaredFeature: 'declares a feature',
    PodLabel: 'gets other labels',
    PodScaleDown: 'requests less',
    PodScaleUp: 'requests more',
    PodToleration: 'tolerates more',
    PodSchedulingGatesEliminated: 'loses its scheduling gates',
    PodGeneratedResourceClaim: 'gets its device claims',
  }),
)

/** An unknown event keeps its name. */
export function wakeWords(event: string): string {
  const [prefix, words] = subjects.find(([one]) => event.startsWith(one)) ?? []
  if (prefix === undefined || words === undefined) return event
  const action = event.slice(prefix.length).replace(/^Update(?=.)/, '')
  const does = actions.get(action)
  return does === undefined ? event : `${words} ${does}`
}

/** All events of a pod, once each. */
export function wakesText(wakesOn: Readonly<Record<string, readonly string[]>>): string {
  const events = [...new Set(Object.values(wakesOn).flat().map(wakeWords))]
  return events.length === 0 ? '–' : events.join(', ')
}
