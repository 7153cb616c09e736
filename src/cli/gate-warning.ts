import { parseFeatureGates } from '../api/releases/feature-gates.ts'
import { knownMinors, releaseOf } from '../api/releases/release-of.ts'

/** The gates that berth reads. Upstream reads the others in components that berth does not have, or to disable a fix. */
export const gatesWithEffect: ReadonlySet<string> = new Set([
  'AllAlpha',
  'AllBeta',
  'AllowInsecureKubeletCertificateSigningRequests',
  'AllowUnsafeMalformedObjectDeletion',
  'AtomicWriteVolumeUserFields',
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
  'InPlacePodVerticalScalingSchedulerPreemption',
  'KubeletInUserNamespace',
  'KubeletServiceAccountTokenForCredentialProviders',
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

/** A line about gates that are accepted but change nothing. Gates that no release knows are refused elsewhere. */
export function gateWarning(featureGates: string): string | undefined {
  const parsed = parseFeatureGates(featureGates)
  if (!parsed.ok) return undefined
  const idle = [...parsed.value.keys()].filter((name) => isKnown(name) && !gatesWithEffect.has(name))
  if (idle.length === 0) return undefined
  const gates = idle.length === 1 ? 'feature gate' : 'feature gates'
  return `berth: warning: ${gates} without effect in berth: ${idle.join(', ')}\n`
}

function isKnown(name: string): boolean {
  return knownMinors.some((minor) => {
    const release = releaseOf(minor)
    return release.ok && Object.hasOwn(release.value.featureGates, name)
  })
}
