import { lookupTable } from '../../base/lookup-table.ts'
import { createGatedTable, type GatedFields, type GatedTable } from './gated-fields.ts'

/** The fields of a claim's spec, below this path. In v1.34 fields of its status (`shares`) count, too. */
const claimSpec = (at: string, shares: readonly string[]): readonly GatedFields[] => {
  const requests = ['requests[].exactly', 'requests[].firstAvailable[]'].map((one) => `${at}.devices.${one}`)
  const inRequests = (field: string): readonly string[] => requests.map((request) => `${request}.${field}`)
  const distinct = `${at}.devices.constraints[].distinctAttribute`
  return [
    { gate: 'DRADeviceTaints', since: '1.35', paths: inRequests('tolerations') },
    { gate: 'DRAConsumableCapacity', before: '1.35', paths: inRequests('capacity'), counts: [distinct, ...shares] },
    { gate: 'DRAConsumableCapacity', since: '1.35', paths: [...inRequests('capacity'), distinct] },
    { gate: 'DRADerivedAttributes', paths: inRequests('derivedAttributes') },
  ]
}

/** The fields with which the spec of a claim uses DRAConsumableCapacity. */
const sharing: readonly string[] = claimSpec('spec', []).flatMap(({ gate, paths, counts = [] }) =>
  gate === 'DRAConsumableCapacity' ? [...paths, ...counts] : [],
)

const inDevices = (...fields: readonly string[]): readonly string[] => fields.map((field) => `spec.devices[].${field}`)
const inResults = (...fields: readonly string[]): readonly string[] =>
  fields.map((field) => `status.allocation.devices.results[].${field}`)

const shares = [...inResults('shareID', 'consumedCapacity'), 'status.devices[].shareID']
const conditions = inResults('bindingConditions', 'bindingFailureConditions')

const terminating: readonly GatedFields[] = [
  { gate: 'DeploymentReplicaSetTerminatingReplicas', paths: ['status.terminatingReplicas'] },
]

const tables = lookupTable<readonly GatedFields[]>({
  nodes: [
    { gate: 'InPlacePodVerticalScalingSchedulerPreemption', paths: ['spec.podPreemptionPolicy'] },
    { gate: 'KubeletInUserNamespace', paths: ['status.nodeInfo.runningInUserNamespace'] },
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    {
      gate: 'CRDObservedGenerationTracking',
      paths: ['status.observedGeneration', 'status.conditions[].observedGeneration'],
    },
  ],
  persistentvolumeclaims: [{ gate: 'CSIVolumeHealth', paths: ['status.healthStatus'] }],
  'deployments.apps': terminating,
  'replicasets.apps': terminating,
  'statefulsets.apps': [
    { gate: 'MaxUnavailableStatefulSet', paths: ['spec.updateStrategy.rollingUpdate.maxUnavailable'] },
  ],
  'jobs.batch': [{ gate: 'WorkloadWithJob', paths: ['spec.scheduling'] }],
  'cronjobs.batch': [{ gate: 'WorkloadWithJob', paths: ['spec.jobTemplate.spec.scheduling'] }],
  'horizontalpodautoscalers.autoscaling': [
    {
      gate: 'HPAConfigurableTolerance',
      paths: ['spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance'],
    },
  ],
  'leases.coordination.k8s.io': [
    { gate: 'CoordinatedLeaderElection', paths: ['spec.strategy', 'spec.preferredHolder'] },
  ],
  'csidrivers.storage.k8s.io': [
    { gate: 'MutableCSINodeAllocatableCount', paths: ['spec.nodeAllocatableUpdatePeriodSeconds'] },
    { gate: 'CSIServiceAccountTokenSecrets', paths: ['spec.serviceAccountTokenInSecrets'] },
    { gate: 'VolumeLimitScaling', paths: ['spec.preventPodSchedulingIfMissing'] },
  ],
  'csinodes.storage.k8s.io': [{ gate: 'CSIVolumeHealth', paths: ['status.storageHealth'] }],
  'volumeattachments.storage.k8s.io': [
    {
      gate: 'MutableCSINodeAllocatableCount',
      paths: ['status.attachError.errorCode', 'status.detachError.errorCode'],
    },
  ],
  'deviceclasses.resource.k8s.io': [{ gate: 'DRAExtendedResource', paths: ['spec.extendedResourceName'] }],
  'resourceclaimtemplates.resource.k8s.io': claimSpec('spec.spec', []),
  'resourceclaims.resource.k8s.io': [
    ...claimSpec('spec', shares),
    { gate: 'DRAConsumableCapacity', paths: shares, counts: sharing },
    {
      gate: 'DRADeviceBindingConditions',
      before: '1.35',
      paths: [...conditions, 'status.allocation.allocationTimestamp'],
    },
    { gate: 'DRADeviceBindingConditions', since: '1.35', paths: conditions },
    { gate: 'DRAOptionalNodeOperations', paths: inResults('skipNodeOperations') },
  ],
  'resourceslices.resource.k8s.io': [
    { gate: 'DRADeviceTaints', paths: inDevices('taints') },
    {
      gate: 'DRAPartitionableDevices',
      paths: [
        'spec.sharedCounters',
        'spec.perDeviceNodeSelection',
        ...inDevices('consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'),
      ],
    },
    {
      gate: 'DRADeviceBindingConditions',
      paths: inDevices('bindingConditions', 'bindingFailureConditions', 'bindsToNode'),
    },
    { gate: 'DRAConsumableCapacity', paths: inDevices('allowMultipleAllocations', 'capacity{}.requestPolicy') },
    {
      gate: 'DRANodeAllocatableResources',
      paths: inDevices('nodeAllocatableResourceMappings', 'nodeAllocatableResources'),
    },
    {
      gate: 'DRAListTypeAttributes',
      paths: inDevices(...['ints', 'bools', 'strings', 'versions'].map((field) => `attributes{}.${field}`)),
    },
    { gate: 'DRAPartitionableDevicesType', paths: ['spec.partitionTypeAttribute'] },
    { gate: 'DRADeviceCompatibilityGroups', paths: inDevices('consumesCounters[].compatibilityGroups') },
    { gate: 'DRAOptionalNodeOperations', paths: ['spec.skipNodeOperations'] },
  ],
})

const none: GatedTable = { remove: (value) => value }

/** The fields of a kind that need a feature gate (v1.34 to v1.37, the dropDisabledFields of its strategy). */
const byResource = lookupTable<GatedTable>(
  Object.fromEntries(Object.entries(tables).map(([resource, fields]) => [resource, createGatedTable(fields)])),
)

export const gatedFieldsOf = (resource: string): GatedTable => byResource[resource] ?? none
