import { parseFeatureGates } from '../api/releases/feature-gates.ts'
import { knownMinors, releaseOf } from '../api/releases/release-of.ts'
import { lookupTable } from '../base/lookup-table.ts'

/** The gates that berth reads. In upstream, the others belong to components that berth does not have, or disable a fix. */
export const gatesWithEffect: ReadonlySet<string> = new Set([
  'AllAlpha',
  'AllBeta',
  'AllowInsecureKubeletCertificateSigningRequests',
  'AllowUnsafeMalformedObjectDeletion',
  'AtomicWriteVolumeUserFields',
  'CRDObservedGenerationTracking',
  'CSIServiceAccountTokenSecrets',
  'CSIVolumeHealth',
  'ClearingNominatedNodeNameAfterBinding',
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'CompositePodGroup',
  'ConstrainedImpersonation',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'DRAAdminAccess',
  'DRAConsumableCapacity',
  'DRADerivedAttributes',
  'DRADeviceBindingConditions',
  'DRADeviceCompatibilityGroups',
  'DRADeviceTaintRules',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAFractionalCapacityRange',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAOptionalNodeOperations',
  'DRAPartitionableDevices',
  'DRAPartitionableDevicesType',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAResourceClaimGranularStatusAuthorization',
  'DRASchedulerFilterTimeout',
  'DRAWorkloadResourceClaims',
  'DeclarativeValidationBeta',
  'DeploymentReplicaSetTerminatingReplicas',
  'DynamicResourceAllocation',
  'EmptyDirVolumeMode',
  'EnvFiles',
  'EvictionRequestAPI',
  'ExcludeAdmissionWebhookVirtualResources',
  'GRPCContainerProbeTLS',
  'GangScheduling',
  'GenericWorkload',
  'H2CContainerProbe',
  'HPAConfigurableTolerance',
  'HPAGeneration',
  'HPAOptimizedSelectorStore',
  'HPAScaleToZero',
  'HostnameOverride',
  'ImageVolume',
  'ImageVolumeWithDigest',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'InPlacePodVerticalScalingSchedulerPreemption',
  'KubeletInUserNamespace',
  'KubeletServiceAccountTokenForCredentialProviders',
  'ManifestBasedAdmissionControlConfig',
  'MaxUnavailableStatefulSet',
  'MutableCSINodeAllocatableCount',
  'MutablePVNodeAffinity',
  'MutablePodResourcesForSuspendedJobs',
  'MutableSchedulingDirectivesForSuspendedJobs',
  'MutatingAdmissionPolicy',
  'NodeDeclaredFeatures',
  'NominatedNodeNameForExpectation',
  'PersistentVolumeClaimUnusedSinceTime',
  'PodCertificateRequest',
  'PodGroupPreemptionPolicy',
  'PodLevelResourcesFixDefaulting',
  'PodLevelResourcesFixKubeletQOSClass',
  'PodTopologyLabelsAdmission',
  'RelaxedServiceNameValidation',
  'ResourceHealthStatus',
  'RestartAllContainersOnContainerExits',
  'SELinuxMount',
  'SchedulerPopFromBackoffQ',
  'ServiceAccountNodeAudienceRestriction',
  'ServiceCIDRStatusFieldWiping',
  'StatefulSetRecreateStrategy',
  'StatefulSetSemanticRevisionComparison',
  'StorageCapacityScoring',
  'StorageVersionMigrator',
  'StrictIPCIDRValidation',
  'TaintTolerationComparisonOperators',
  'TopologyAwareWorkloadScheduling',
  'UserNamespacesHostNetworkSupport',
  'VolumeAttributesClass',
  'VolumeBindMountOptions',
  'VolumeLimitScaling',
  'WorkloadAwarePreemption',
  'WorkloadWithJob',
])

const fieldsOnly = 'only its fields are stored'
const roles = 'its API is not served; only its roles are created'

/** Gates that berth implements only partially, and the missing part. */
export const partialGates = lookupTable<string>({
  CSIVolumeHealth: fieldsOnly,
  ClusterTrustBundle: roles,
  CoordinatedLeaderElection: fieldsOnly,
  DRADerivedAttributes: 'only its fields are stored; the scheduler ignores derived attributes',
  DRADeviceCompatibilityGroups: 'only its fields are stored; the scheduler ignores the groups',
  DRANodeAllocatableResources: 'only its fields are stored; the scheduler does not count the resources',
  DRAOptionalNodeOperations: fieldsOnly,
  DRAPartitionableDevicesType: fieldsOnly,
  DRAWorkloadResourceClaims: 'in v1.36, the scheduler does not remove the reservation of a pod group that does not fit',
  EvictionRequestAPI: 'its API is not served; only its fields are stored and its roles created',
  InPlacePodVerticalScalingSchedulerPreemption: 'only its fields are stored; resized pods preempt no other pods',
  ManifestBasedAdmissionControlConfig: 'reserved names are rejected, but no manifests are loaded',
  NodeDeclaredFeatures: 'updates of running pods are not checked against the features of their node',
  PodCertificateRequest: 'its API is not served; only its fields are stored and its roles created',
  SELinuxMount: 'only the API checks it',
  StorageVersionMigrator: roles,
})

/** Warnings about gates without an effect, or with a smaller effect than in upstream. Other code rejects unknown gates. */
export function gateWarning(featureGates: string): string | undefined {
  const parsed = parseFeatureGates(featureGates)
  if (!parsed.ok) return undefined
  const given = [...parsed.value].filter(([name]) => isKnown(name))
  const idle = given.map(([name]) => name).filter((name) => !gatesWithEffect.has(name))
  const gates = idle.length === 1 ? 'feature gate' : 'feature gates'
  const lines = idle.length === 0 ? [] : [`${gates} without effect in berth: ${idle.join(', ')}`]
  for (const [name, isOn] of given) {
    const missing = isOn ? partialGates[name] : undefined
    if (missing !== undefined) lines.push(`feature gate ${name} is partially implemented: ${missing}`)
  }
  return lines.length === 0 ? undefined : lines.map((line) => `berth: warning: ${line}\n`).join('')
}

function isKnown(name: string): boolean {
  return knownMinors.some((minor) => {
    const release = releaseOf(minor)
    return release.ok && Object.hasOwn(release.value.featureGates, name)
  })
}
