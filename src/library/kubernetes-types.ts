// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.
// Every type of the kinds that Kubernetes 1.34 to 1.37 serve, each as in the newest release that has it.

export interface AdmissionregistrationV1ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface AdmissionregistrationV1WebhookClientConfig {
  readonly url?: string
  readonly service?: AdmissionregistrationV1ServiceReference
  readonly caBundle?: string
}

export interface ApiextensionsV1ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface ApiextensionsV1WebhookClientConfig {
  readonly url?: string
  readonly service?: ApiextensionsV1ServiceReference
  readonly caBundle?: string
}

export interface ApiregistrationV1ServiceReference {
  readonly namespace?: string
  readonly name?: string
  readonly port?: number
}

export interface CoreV1EndpointPort {
  readonly name?: string
  readonly port: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
}

export interface CoreV1Event {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly involvedObject: V1ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: V1EventSource
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly count?: number
  readonly type?: string
  readonly eventTime?: string
  readonly series?: CoreV1EventSeries
  readonly action?: string
  readonly related?: V1ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

export interface CoreV1EventSeries {
  readonly count?: number
  readonly lastObservedTime?: string
}

export interface CoreV1ResourceClaim {
  readonly name: string
  readonly request?: string
}

export interface DiscoveryV1EndpointPort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number
  readonly appProtocol?: string
}

export interface EventsV1Event {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly eventTime: string
  readonly series?: EventsV1EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: V1ObjectReference
  readonly related?: V1ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: V1EventSource
  readonly deprecatedFirstTimestamp?: string
  readonly deprecatedLastTimestamp?: string
  readonly deprecatedCount?: number
}

export interface EventsV1EventSeries {
  readonly count: number
  readonly lastObservedTime: string
}

export interface FlowcontrolV1Subject {
  readonly kind: string
  readonly user?: V1UserSubject
  readonly group?: V1GroupSubject
  readonly serviceAccount?: V1ServiceAccountSubject
}

export interface RbacV1Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

export interface ResourceV1ResourceClaim {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceClaimSpec
  readonly status?: V1ResourceClaimStatus
}

export interface V1APIService {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1APIServiceSpec
  readonly status?: V1APIServiceStatus
}

export interface V1APIServiceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1APIServiceSpec {
  readonly service?: ApiregistrationV1ServiceReference
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export interface V1APIServiceStatus {
  readonly conditions?: readonly V1APIServiceCondition[]
}

export interface V1AWSElasticBlockStoreVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export interface V1Affinity {
  readonly nodeAffinity?: V1NodeAffinity
  readonly podAffinity?: V1PodAffinity
  readonly podAntiAffinity?: V1PodAntiAffinity
}

export interface V1AggregationRule {
  readonly clusterRoleSelectors?: readonly V1LabelSelector[]
}

export interface V1AllocatedDeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions?: readonly V1Condition[]
  readonly data?: unknown
  readonly networkData?: V1NetworkDeviceData
}

export interface V1AllocationResult {
  readonly devices?: V1DeviceAllocationResult
  readonly nodeSelector?: V1NodeSelector
  readonly allocationTimestamp?: string
}

export interface V1AppArmorProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

export interface V1ApplyConfiguration {
  readonly expression?: string
}

export interface V1AttachedVolume {
  readonly name: string
  readonly devicePath: string
}

export interface V1AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

export interface V1AzureDiskVolumeSource {
  readonly diskName: string
  readonly diskURI: string
  readonly cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite'
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly kind?: 'Dedicated' | 'Managed' | 'Shared'
}

export interface V1AzureFilePersistentVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
  readonly secretNamespace?: string
}

export interface V1AzureFileVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
}

export interface V1CELDeviceSelector {
  readonly expression: string
}

export interface V1CSIDriver {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CSIDriverSpec
}

export interface V1CSIDriverSpec {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly V1TokenRequest[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

export interface V1CSINode {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CSINodeSpec
  readonly status?: V1CSINodeStatus
}

export interface V1CSINodeDriver {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys?: readonly string[]
  readonly allocatable?: V1VolumeNodeResources
}

export interface V1CSINodeSpec {
  readonly drivers: readonly V1CSINodeDriver[]
}

export interface V1CSINodeStatus {
  readonly storageHealth?: readonly V1StorageHealth[]
}

export interface V1CSIPersistentVolumeSource {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: { readonly [key: string]: string }
  readonly controllerPublishSecretRef?: V1SecretReference
  readonly nodeStageSecretRef?: V1SecretReference
  readonly nodePublishSecretRef?: V1SecretReference
  readonly controllerExpandSecretRef?: V1SecretReference
  readonly nodeExpandSecretRef?: V1SecretReference
}

export interface V1CSIStorageCapacity {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly nodeTopology?: V1LabelSelector
  readonly storageClassName: string
  readonly capacity?: string
  readonly maximumVolumeSize?: string
}

export interface V1CSIVolumeSource {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: { readonly [key: string]: string }
  readonly nodePublishSecretRef?: V1LocalObjectReference
}

export interface V1Capabilities {
  readonly add?: readonly string[]
  readonly drop?: readonly string[]
}

export interface V1CapacityRequestPolicy {
  readonly default?: string
  readonly validValues?: readonly string[]
  readonly validRange?: V1CapacityRequestPolicyRange
}

export interface V1CapacityRequestPolicyRange {
  readonly min: string
  readonly max?: string
  readonly step?: string
}

export interface V1CapacityRequirements {
  readonly requests?: { readonly [key: string]: string }
}

export interface V1CephFSPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
}

export interface V1CephFSVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
}

export interface V1CertificateSigningRequest {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CertificateSigningRequestSpec
  readonly status?: V1CertificateSigningRequestStatus
}

export interface V1CertificateSigningRequestCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
}

export interface V1CertificateSigningRequestSpec {
  readonly request: string
  readonly signerName: string
  readonly expirationSeconds?: number
  readonly usages?: readonly ('any' | 'cert sign' | 'client auth' | 'code signing' | 'content commitment' | 'crl sign' | 'data encipherment' | 'decipher only' | 'digital signature' | 'email protection' | 'encipher only' | 'ipsec end system' | 'ipsec tunnel' | 'ipsec user' | 'key agreement' | 'key encipherment' | 'microsoft sgc' | 'netscape sgc' | 'ocsp signing' | 's/mime' | 'server auth' | 'signing' | 'timestamping')[]
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

export interface V1CertificateSigningRequestStatus {
  readonly conditions?: readonly V1CertificateSigningRequestCondition[]
  readonly certificate?: string
}

export interface V1CinderPersistentVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1SecretReference
}

export interface V1CinderVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1LocalObjectReference
}

export interface V1ClientIPConfig {
  readonly timeoutSeconds?: number
}

export interface V1ClusterRole {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly rules?: readonly V1PolicyRule[]
  readonly aggregationRule?: V1AggregationRule
}

export interface V1ClusterRoleBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subjects?: readonly RbacV1Subject[]
  readonly roleRef: V1RoleRef
}

export interface V1ClusterTrustBundleProjection {
  readonly name?: string
  readonly signerName?: string
  readonly labelSelector?: V1LabelSelector
  readonly optional?: boolean
  readonly path: string
  readonly user?: number
}

export interface V1ComponentCondition {
  readonly type: string
  readonly status: string
  readonly message?: string
  readonly error?: string
}

export interface V1ComponentStatus {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly conditions?: readonly V1ComponentCondition[]
}

export interface V1Condition {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

export interface V1ConfigMap {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly immutable?: boolean
  readonly data?: { readonly [key: string]: string }
  readonly binaryData?: { readonly [key: string]: string }
}

export interface V1ConfigMapEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface V1ConfigMapKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1ConfigMapNodeConfigSource {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly kubeletConfigKey: string
}

export interface V1ConfigMapProjection {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly optional?: boolean
}

export interface V1ConfigMapVolumeSource {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

export interface V1Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly V1ContainerPort[]
  readonly envFrom?: readonly V1EnvFromSource[]
  readonly env?: readonly V1EnvVar[]
  readonly resources?: V1ResourceRequirements
  readonly resizePolicy?: readonly V1ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly V1ContainerRestartRule[]
  readonly volumeMounts?: readonly V1VolumeMount[]
  readonly volumeDevices?: readonly V1VolumeDevice[]
  readonly livenessProbe?: V1Probe
  readonly readinessProbe?: V1Probe
  readonly startupProbe?: V1Probe
  readonly lifecycle?: V1Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: V1SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export interface V1ContainerExtendedResourceRequest {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface V1ContainerImage {
  readonly names?: readonly string[]
  readonly sizeBytes?: number
}

export interface V1ContainerPort {
  readonly name?: string
  readonly hostPort?: number
  readonly containerPort: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly hostIP?: string
}

export interface V1ContainerResizePolicy {
  readonly resourceName: string
  readonly restartPolicy: string
}

export interface V1ContainerRestartRule {
  readonly action: string
  readonly exitCodes?: V1ContainerRestartRuleOnExitCodes
}

export interface V1ContainerRestartRuleOnExitCodes {
  readonly operator: string
  readonly values?: readonly number[]
}

export interface V1ContainerState {
  readonly waiting?: V1ContainerStateWaiting
  readonly running?: V1ContainerStateRunning
  readonly terminated?: V1ContainerStateTerminated
}

export interface V1ContainerStateRunning {
  readonly startedAt?: string
}

export interface V1ContainerStateTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly containerID?: string
}

export interface V1ContainerStateWaiting {
  readonly reason?: string
  readonly message?: string
}

export interface V1ContainerStatus {
  readonly name: string
  readonly state?: V1ContainerState
  readonly lastState?: V1ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly resources?: V1ResourceRequirements
  readonly volumeMounts?: readonly V1VolumeMountStatus[]
  readonly user?: V1ContainerUser
  readonly allocatedResourcesStatus?: readonly V1ResourceStatus[]
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface V1ContainerUser {
  readonly linux?: V1LinuxContainerUser
}

export interface V1ControllerRevision {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly data: unknown
  readonly revision?: number
}

export interface V1Counter {
  readonly value: string
}

export interface V1CounterSet {
  readonly name: string
  readonly counters: { readonly [key: string]: V1Counter }
}

export interface V1CronJob {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CronJobSpec
  readonly status?: V1CronJobStatus
}

export interface V1CronJobSpec {
  readonly schedule: string
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
  readonly suspend?: boolean
  readonly jobTemplate: V1JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

export interface V1CronJobStatus {
  readonly active?: readonly V1ObjectReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

export interface V1CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

export interface V1CustomResourceColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface V1CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: V1WebhookConversion
}

export interface V1CustomResourceDefinition {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CustomResourceDefinitionSpec
  readonly status?: V1CustomResourceDefinitionStatus
}

export interface V1CustomResourceDefinitionCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export interface V1CustomResourceDefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface V1CustomResourceDefinitionSpec {
  readonly group: string
  readonly names: V1CustomResourceDefinitionNames
  readonly scope: string
  readonly versions: readonly V1CustomResourceDefinitionVersion[]
  readonly conversion?: V1CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export interface V1CustomResourceDefinitionStatus {
  readonly conditions?: readonly V1CustomResourceDefinitionCondition[]
  readonly acceptedNames?: V1CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[]
  readonly observedGeneration?: number
}

export interface V1CustomResourceDefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: V1CustomResourceValidation
  readonly subresources?: V1CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly V1CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly V1SelectableField[]
}

export interface V1CustomResourceSubresourceScale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export interface V1CustomResourceSubresourceStatus {
}

export interface V1CustomResourceSubresources {
  readonly status?: V1CustomResourceSubresourceStatus
  readonly scale?: V1CustomResourceSubresourceScale
}

export interface V1CustomResourceValidation {
  readonly openAPIV3Schema?: V1JSONSchemaProps
}

export interface V1DaemonEndpoint {
  readonly Port: number
}

export interface V1DaemonSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DaemonSetSpec
  readonly status?: V1DaemonSetStatus
}

export interface V1DaemonSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1DaemonSetSpec {
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly updateStrategy?: V1DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

export interface V1DaemonSetStatus {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly V1DaemonSetCondition[]
}

export interface V1DaemonSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateDaemonSet
}

export interface V1Deployment {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeploymentSpec
  readonly status?: V1DeploymentStatus
}

export interface V1DeploymentCondition {
  readonly type?: string
  readonly status?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1DeploymentSpec {
  readonly replicas?: number
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly strategy?: V1DeploymentStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
}

export interface V1DeploymentStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly V1DeploymentCondition[]
  readonly collisionCount?: number
}

export interface V1DeploymentStrategy {
  readonly type?: 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateDeployment
}

export interface V1Device {
  readonly name: string
  readonly attributes?: { readonly [key: string]: V1DeviceAttribute }
  readonly capacity?: { readonly [key: string]: V1DeviceCapacity }
  readonly consumesCounters?: readonly V1DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: V1NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly V1DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResources?: { readonly [key: string]: V1NodeAllocatableResource }
}

export interface V1DeviceAllocationConfiguration {
  readonly source: 'FromClaim' | 'FromClass'
  readonly requests?: readonly string[]
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceAllocationResult {
  readonly results?: readonly V1DeviceRequestAllocationResult[]
  readonly config?: readonly V1DeviceAllocationConfiguration[]
}

export interface V1DeviceAttribute {
  readonly int?: number
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly number[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export interface V1DeviceCapacity {
  readonly value: string
  readonly requestPolicy?: V1CapacityRequestPolicy
}

export interface V1DeviceClaim {
  readonly requests?: readonly V1DeviceRequest[]
  readonly constraints?: readonly V1DeviceConstraint[]
  readonly config?: readonly V1DeviceClaimConfiguration[]
}

export interface V1DeviceClaimConfiguration {
  readonly requests?: readonly string[]
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeviceClassSpec
}

export interface V1DeviceClassConfiguration {
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceClassSpec {
  readonly selectors?: readonly V1DeviceSelector[]
  readonly config?: readonly V1DeviceClassConfiguration[]
  readonly extendedResourceName?: string
}

export interface V1DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export interface V1DeviceCounterConsumption {
  readonly counterSet: string
  readonly counters: { readonly [key: string]: V1Counter }
  readonly compatibilityGroups?: readonly string[]
}

export interface V1DeviceDerivedAttribute {
  readonly name: string
  readonly expression: string
}

export interface V1DeviceRequest {
  readonly name: string
  readonly exactly?: V1ExactDeviceRequest
  readonly firstAvailable?: readonly V1DeviceSubRequest[]
}

export interface V1DeviceRequestAllocationResult {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: { readonly [key: string]: string }
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}

export interface V1DeviceSelector {
  readonly cel?: V1CELDeviceSelector
}

export interface V1DeviceSubRequest {
  readonly name: string
  readonly deviceClassName: string
  readonly selectors?: readonly V1DeviceSelector[]
  readonly allocationMode?: ''
  readonly count?: number
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly capacity?: V1CapacityRequirements
  readonly derivedAttributes?: readonly V1DeviceDerivedAttribute[]
}

export interface V1DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None'
  readonly timeAdded?: string
}

export interface V1DeviceTaintRule {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeviceTaintRuleSpec
  readonly status?: V1DeviceTaintRuleStatus
}

export interface V1DeviceTaintRuleSpec {
  readonly deviceSelector?: V1DeviceTaintSelector
  readonly taint: V1DeviceTaint
}

export interface V1DeviceTaintRuleStatus {
  readonly conditions?: readonly V1Condition[]
}

export interface V1DeviceTaintSelector {
  readonly driver?: string
  readonly pool?: string
  readonly device?: string
}

export interface V1DeviceToleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'None'
  readonly tolerationSeconds?: number
}

export interface V1DownwardAPIProjection {
  readonly items?: readonly V1DownwardAPIVolumeFile[]
}

export interface V1DownwardAPIVolumeFile {
  readonly path: string
  readonly fieldRef?: V1ObjectFieldSelector
  readonly resourceFieldRef?: V1ResourceFieldSelector
  readonly mode?: number
  readonly user?: number
}

export interface V1DownwardAPIVolumeSource {
  readonly items?: readonly V1DownwardAPIVolumeFile[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

export interface V1EmptyDirVolumeSource {
  readonly medium?: string
  readonly sizeLimit?: string
  readonly mode?: number
}

export interface V1Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: V1EndpointConditions
  readonly hostname?: string
  readonly targetRef?: V1ObjectReference
  readonly deprecatedTopology?: { readonly [key: string]: string }
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: V1EndpointHints
}

export interface V1EndpointAddress {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: V1ObjectReference
}

export interface V1EndpointConditions {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export interface V1EndpointHints {
  readonly forZones?: readonly V1ForZone[]
  readonly forNodes?: readonly V1ForNode[]
}

export interface V1EndpointSlice {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly addressType: ''
  readonly endpoints?: readonly V1Endpoint[]
  readonly ports?: readonly DiscoveryV1EndpointPort[]
}

export interface V1EndpointSubset {
  readonly addresses?: readonly V1EndpointAddress[]
  readonly notReadyAddresses?: readonly V1EndpointAddress[]
  readonly ports?: readonly CoreV1EndpointPort[]
}

export interface V1Endpoints {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subsets?: readonly V1EndpointSubset[]
}

export interface V1EnvFromSource {
  readonly prefix?: string
  readonly configMapRef?: V1ConfigMapEnvSource
  readonly secretRef?: V1SecretEnvSource
}

export interface V1EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: V1EnvVarSource
}

export interface V1EnvVarSource {
  readonly fieldRef?: V1ObjectFieldSelector
  readonly resourceFieldRef?: V1ResourceFieldSelector
  readonly configMapKeyRef?: V1ConfigMapKeySelector
  readonly secretKeyRef?: V1SecretKeySelector
  readonly fileKeyRef?: V1FileKeySelector
}

export interface V1EphemeralContainer {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly V1ContainerPort[]
  readonly envFrom?: readonly V1EnvFromSource[]
  readonly env?: readonly V1EnvVar[]
  readonly resources?: V1ResourceRequirements
  readonly resizePolicy?: readonly V1ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly V1ContainerRestartRule[]
  readonly volumeMounts?: readonly V1VolumeMount[]
  readonly volumeDevices?: readonly V1VolumeDevice[]
  readonly livenessProbe?: V1Probe
  readonly readinessProbe?: V1Probe
  readonly startupProbe?: V1Probe
  readonly lifecycle?: V1Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: V1SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
  readonly targetContainerName?: string
}

export interface V1EphemeralVolumeSource {
  readonly volumeClaimTemplate?: V1PersistentVolumeClaimTemplate
}

export interface V1EventSource {
  readonly component?: string
  readonly host?: string
}

export interface V1EvictionResponder {
  readonly name: string
  readonly priority: number
}

export interface V1ExactDeviceRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly V1DeviceSelector[]
  readonly allocationMode?: ''
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly capacity?: V1CapacityRequirements
  readonly derivedAttributes?: readonly V1DeviceDerivedAttribute[]
}

export interface V1ExecAction {
  readonly command?: readonly string[]
}

export interface V1ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}

export interface V1ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

export interface V1ExternalDocumentation {
  readonly description?: string
  readonly url?: string
}

export interface V1FCVolumeSource {
  readonly targetWWNs?: readonly string[]
  readonly lun?: number
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly wwids?: readonly string[]
}

export interface V1FileKeySelector {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1FlexPersistentVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
  readonly options?: { readonly [key: string]: string }
}

export interface V1FlexVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
  readonly options?: { readonly [key: string]: string }
}

export interface V1FlockerVolumeSource {
  readonly datasetName?: string
  readonly datasetUUID?: string
}

export interface V1FlowDistinguisherMethod {
  readonly type: string
}

export interface V1FlowSchema {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1FlowSchemaSpec
  readonly status?: V1FlowSchemaStatus
}

export interface V1FlowSchemaCondition {
  readonly type: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1FlowSchemaSpec {
  readonly priorityLevelConfiguration: V1PriorityLevelConfigurationReference
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: V1FlowDistinguisherMethod
  readonly rules?: readonly V1PolicyRulesWithSubjects[]
}

export interface V1FlowSchemaStatus {
  readonly conditions?: readonly V1FlowSchemaCondition[]
}

export interface V1ForNode {
  readonly name: string
}

export interface V1ForZone {
  readonly name: string
}

export interface V1GCEPersistentDiskVolumeSource {
  readonly pdName: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export interface V1GRPCAction {
  readonly port: number
  readonly service?: string
  readonly mode?: 'Plaintext' | 'TLS'
}

export interface V1GitRepoVolumeSource {
  readonly repository: string
  readonly revision?: string
  readonly directory?: string
}

export interface V1GlusterfsPersistentVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
  readonly endpointsNamespace?: string
}

export interface V1GlusterfsVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface V1GroupSubject {
  readonly name: string
}

export interface V1HTTPGetAction {
  readonly path?: string
  readonly port: number | string
  readonly host?: string
  readonly scheme?: 'HTTP' | 'HTTPS'
  readonly httpHeaders?: readonly V1HTTPHeader[]
  readonly protocol?: 'HTTP1' | 'HTTP2'
}

export interface V1HTTPHeader {
  readonly name: string
  readonly value: string
}

export interface V1HTTPIngressPath {
  readonly path?: string
  readonly pathType: ''
  readonly backend: V1IngressBackend
}

export interface V1HTTPIngressRuleValue {
  readonly paths: readonly V1HTTPIngressPath[]
}

export interface V1HorizontalPodAutoscaler {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1HorizontalPodAutoscalerSpec
  readonly status?: V1HorizontalPodAutoscalerStatus
}

export interface V1HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: V1CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly targetCPUUtilizationPercentage?: number
}

export interface V1HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: string
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly currentCPUUtilizationPercentage?: number
}

export interface V1HostAlias {
  readonly ip: string
  readonly hostnames?: readonly string[]
}

export interface V1HostIP {
  readonly ip: string
}

export interface V1HostPathVolumeSource {
  readonly path: string
  readonly type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket'
}

export interface V1IPAddress {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IPAddressSpec
}

export interface V1IPAddressSpec {
  readonly parentRef: V1ParentReference
}

export interface V1IPBlock {
  readonly cidr: string
  readonly except?: readonly string[]
}

export interface V1ISCSIPersistentVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: V1SecretReference
  readonly initiatorName?: string
}

export interface V1ISCSIVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: V1LocalObjectReference
  readonly initiatorName?: string
}

export interface V1ImageVolumeSource {
  readonly reference?: string
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
}

export interface V1ImageVolumeStatus {
  readonly imageRef: string
}

export interface V1Ingress {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IngressSpec
  readonly status?: V1IngressStatus
}

export interface V1IngressBackend {
  readonly service?: V1IngressServiceBackend
  readonly resource?: V1TypedLocalObjectReference
}

export interface V1IngressClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IngressClassSpec
}

export interface V1IngressClassParametersReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly scope?: string
  readonly namespace?: string
}

export interface V1IngressClassSpec {
  readonly controller?: string
  readonly parameters?: V1IngressClassParametersReference
}

export interface V1IngressLoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ports?: readonly V1IngressPortStatus[]
}

export interface V1IngressLoadBalancerStatus {
  readonly ingress?: readonly V1IngressLoadBalancerIngress[]
}

export interface V1IngressPortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface V1IngressRule {
  readonly host?: string
  readonly http?: V1HTTPIngressRuleValue
}

export interface V1IngressServiceBackend {
  readonly name: string
  readonly port?: V1ServiceBackendPort
}

export interface V1IngressSpec {
  readonly ingressClassName?: string
  readonly defaultBackend?: V1IngressBackend
  readonly tls?: readonly V1IngressTLS[]
  readonly rules?: readonly V1IngressRule[]
}

export interface V1IngressStatus {
  readonly loadBalancer?: V1IngressLoadBalancerStatus
}

export interface V1IngressTLS {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

export interface V1JSONPatch {
  readonly expression?: string
}

export interface V1JSONSchemaProps {
  readonly id?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly unknown[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: V1JSONSchemaProps | readonly V1JSONSchemaProps[]
  readonly allOf?: readonly V1JSONSchemaProps[]
  readonly oneOf?: readonly V1JSONSchemaProps[]
  readonly anyOf?: readonly V1JSONSchemaProps[]
  readonly not?: V1JSONSchemaProps
  readonly properties?: { readonly [key: string]: V1JSONSchemaProps }
  readonly additionalProperties?: V1JSONSchemaProps | boolean
  readonly patternProperties?: { readonly [key: string]: V1JSONSchemaProps }
  readonly dependencies?: { readonly [key: string]: V1JSONSchemaProps | readonly string[] }
  readonly additionalItems?: V1JSONSchemaProps | boolean
  readonly definitions?: { readonly [key: string]: V1JSONSchemaProps }
  readonly externalDocs?: V1ExternalDocumentation
  readonly example?: unknown
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly V1ValidationRule[]
}

export interface V1Job {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1JobSpec
  readonly status?: V1JobStatus
}

export interface V1JobCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1JobSchedulingConfiguration {
  readonly schedulingPolicy?: V1alpha3WorkloadPodGroupSchedulingPolicy
  readonly schedulingConstraints?: V1alpha3WorkloadPodGroupSchedulingConstraints
  readonly disruptionMode?: V1alpha3WorkloadPodGroupDisruptionMode
  readonly resourceClaims?: readonly V1alpha3WorkloadPodGroupResourceClaim[]
}

export interface V1JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly podFailurePolicy?: V1PodFailurePolicy
  readonly successPolicy?: V1SuccessPolicy
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: V1LabelSelector
  readonly manualSelector?: boolean
  readonly template: V1PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'Indexed' | 'NonIndexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed'
  readonly managedBy?: string
  readonly scheduling?: V1JobSchedulingConfiguration
}

export interface V1JobStatus {
  readonly conditions?: readonly V1JobCondition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: V1UncountedTerminatedPods
  readonly ready?: number
}

export interface V1JobTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1JobSpec
}

export interface V1KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
  readonly user?: number
}

export interface V1LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string }
  readonly matchExpressions?: readonly V1LabelSelectorRequirement[]
}

export interface V1LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface V1Lease {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1LeaseSpec
}

export interface V1LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
  readonly strategy?: string
  readonly preferredHolder?: string
}

export interface V1Lifecycle {
  readonly postStart?: V1LifecycleHandler
  readonly preStop?: V1LifecycleHandler
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface V1LifecycleHandler {
  readonly exec?: V1ExecAction
  readonly httpGet?: V1HTTPGetAction
  readonly tcpSocket?: V1TCPSocketAction
  readonly sleep?: V1SleepAction
}

export interface V1LimitRange {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1LimitRangeSpec
}

export interface V1LimitRangeItem {
  readonly type: string
  readonly max?: { readonly [key: string]: string }
  readonly min?: { readonly [key: string]: string }
  readonly default?: { readonly [key: string]: string }
  readonly defaultRequest?: { readonly [key: string]: string }
  readonly maxLimitRequestRatio?: { readonly [key: string]: string }
}

export interface V1LimitRangeSpec {
  readonly limits: readonly V1LimitRangeItem[]
}

export interface V1LimitResponse {
  readonly type: string
  readonly queuing?: V1QueuingConfiguration
}

export interface V1LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly limitResponse: V1LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

export interface V1LinuxContainerUser {
  readonly uid: number
  readonly gid: number
  readonly supplementalGroups?: readonly number[]
}

export interface V1LoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ipMode?: string
  readonly ports?: readonly V1PortStatus[]
}

export interface V1LoadBalancerStatus {
  readonly ingress?: readonly V1LoadBalancerIngress[]
}

export interface V1LocalObjectReference {
  readonly name?: string
}

export interface V1LocalVolumeSource {
  readonly path: string
  readonly fsType?: string
}

export interface V1ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: string
  readonly fieldsV1?: unknown
  readonly subresource?: string
}

export interface V1MatchCondition {
  readonly name: string
  readonly expression: string
}

export interface V1MatchResources {
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly resourceRules?: readonly V1NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly V1NamedRuleWithOperations[]
  readonly matchPolicy?: 'Equivalent' | 'Exact'
}

export interface V1ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string
  readonly status: 'InProgress' | 'Infeasible' | 'Pending'
}

export interface V1MutatingAdmissionPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1MutatingAdmissionPolicySpec
}

export interface V1MutatingAdmissionPolicyBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1MutatingAdmissionPolicyBindingSpec
}

export interface V1MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: V1ParamRef
  readonly matchResources?: V1MatchResources
}

export interface V1MutatingAdmissionPolicySpec {
  readonly paramKind?: V1ParamKind
  readonly matchConstraints?: V1MatchResources
  readonly variables?: readonly V1Variable[]
  readonly mutations?: readonly V1Mutation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchConditions?: readonly V1MatchCondition[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
}

export interface V1MutatingWebhook {
  readonly name: string
  readonly clientConfig: AdmissionregistrationV1WebhookClientConfig
  readonly rules?: readonly V1RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
  readonly matchConditions?: readonly V1MatchCondition[]
}

export interface V1MutatingWebhookConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly webhooks?: readonly V1MutatingWebhook[]
}

export interface V1Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: V1ApplyConfiguration
  readonly jsonPatch?: V1JSONPatch
}

export interface V1NFSVolumeSource {
  readonly server: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface V1NamedRuleWithOperations {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

export interface V1Namespace {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NamespaceSpec
  readonly status?: V1NamespaceStatus
}

export interface V1NamespaceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1NamespaceSpec {
  readonly finalizers?: readonly string[]
}

export interface V1NamespaceStatus {
  readonly phase?: 'Active' | 'Terminating'
  readonly conditions?: readonly V1NamespaceCondition[]
}

export interface V1NetworkDeviceData {
  readonly interfaceName?: string
  readonly ips?: readonly string[]
  readonly hardwareAddress?: string
}

export interface V1NetworkPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NetworkPolicySpec
}

export interface V1NetworkPolicyEgressRule {
  readonly ports?: readonly V1NetworkPolicyPort[]
  readonly to?: readonly V1NetworkPolicyPeer[]
}

export interface V1NetworkPolicyIngressRule {
  readonly ports?: readonly V1NetworkPolicyPort[]
  readonly from?: readonly V1NetworkPolicyPeer[]
}

export interface V1NetworkPolicyPeer {
  readonly podSelector?: V1LabelSelector
  readonly namespaceSelector?: V1LabelSelector
  readonly ipBlock?: V1IPBlock
}

export interface V1NetworkPolicyPort {
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number | string
  readonly endPort?: number
}

export interface V1NetworkPolicySpec {
  readonly podSelector?: V1LabelSelector
  readonly ingress?: readonly V1NetworkPolicyIngressRule[]
  readonly egress?: readonly V1NetworkPolicyEgressRule[]
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[]
}

export interface V1Node {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NodeSpec
  readonly status?: V1NodeStatus
}

export interface V1NodeAddress {
  readonly type: string
  readonly address: string
}

export interface V1NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: V1NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1PreferredSchedulingTerm[]
}

export interface V1NodeAllocatableMappedResources {
  readonly name: string
  readonly quantity: string
}

export interface V1NodeAllocatableMapping {
  readonly capacityKey?: string
  readonly capacityMultiplier?: string
  readonly deviceMultiplier?: string
}

export interface V1NodeAllocatableOverhead {
  readonly perPod?: string
  readonly perContainer?: string
}

export interface V1NodeAllocatableOverheadResources {
  readonly name: string
  readonly perPod?: string
  readonly perContainer?: string
}

export interface V1NodeAllocatableResource {
  readonly mapping?: V1NodeAllocatableMapping
  readonly overhead?: V1NodeAllocatableOverhead
}

export interface V1NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string
  readonly containers?: readonly string[]
  readonly mapping?: readonly V1NodeAllocatableMappedResources[]
  readonly overhead?: readonly V1NodeAllocatableOverheadResources[]
}

export interface V1NodeCondition {
  readonly type: string
  readonly status: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1NodeConfigSource {
  readonly configMap?: V1ConfigMapNodeConfigSource
}

export interface V1NodeConfigStatus {
  readonly assigned?: V1NodeConfigSource
  readonly active?: V1NodeConfigSource
  readonly lastKnownGood?: V1NodeConfigSource
  readonly error?: string
}

export interface V1NodeDaemonEndpoints {
  readonly kubeletEndpoint?: V1DaemonEndpoint
}

export interface V1NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean
}

export interface V1NodePodPreemptionPolicy {
  readonly disableResizePreemption?: readonly string[]
}

export interface V1NodeRuntimeHandler {
  readonly name?: string
  readonly features?: V1NodeRuntimeHandlerFeatures
}

export interface V1NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean
  readonly userNamespaces?: boolean
}

export interface V1NodeSelector {
  readonly nodeSelectorTerms: readonly V1NodeSelectorTerm[]
}

export interface V1NodeSelectorRequirement {
  readonly key: string
  readonly operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn'
  readonly values?: readonly string[]
}

export interface V1NodeSelectorTerm {
  readonly matchExpressions?: readonly V1NodeSelectorRequirement[]
  readonly matchFields?: readonly V1NodeSelectorRequirement[]
}

export interface V1NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly V1Taint[]
  readonly configSource?: V1NodeConfigSource
  readonly externalID?: string
  readonly podPreemptionPolicy?: V1NodePodPreemptionPolicy
}

export interface V1NodeStatus {
  readonly capacity?: { readonly [key: string]: string }
  readonly allocatable?: { readonly [key: string]: string }
  readonly phase?: 'Pending' | 'Running' | 'Terminated'
  readonly conditions?: readonly V1NodeCondition[]
  readonly addresses?: readonly V1NodeAddress[]
  readonly daemonEndpoints?: V1NodeDaemonEndpoints
  readonly nodeInfo?: V1NodeSystemInfo
  readonly images?: readonly V1ContainerImage[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly V1AttachedVolume[]
  readonly config?: V1NodeConfigStatus
  readonly runtimeHandlers?: readonly V1NodeRuntimeHandler[]
  readonly features?: V1NodeFeatures
  readonly declaredFeatures?: readonly string[]
}

export interface V1NodeSwapStatus {
  readonly capacity?: number
}

export interface V1NodeSystemInfo {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
  readonly swap?: V1NodeSwapStatus
  readonly runningInUserNamespace?: boolean
}

export interface V1NonResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface V1ObjectFieldSelector {
  readonly apiVersion?: string
  readonly fieldPath: string
}

export interface V1ObjectMeta {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly selfLink?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: { readonly [key: string]: string }
  readonly annotations?: { readonly [key: string]: string }
  readonly ownerReferences?: readonly V1OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly V1ManagedFieldsEntry[]
}

export interface V1ObjectReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

export interface V1OpaqueDeviceConfiguration {
  readonly driver: string
  readonly parameters: unknown
}

export interface V1Overhead {
  readonly podFixed?: { readonly [key: string]: string }
}

export interface V1OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface V1ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

export interface V1ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: V1LabelSelector
  readonly parameterNotFoundAction?: string
}

export interface V1ParentReference {
  readonly group?: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

export interface V1PersistentVolume {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PersistentVolumeSpec
  readonly status?: V1PersistentVolumeStatus
}

export interface V1PersistentVolumeClaim {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PersistentVolumeClaimSpec
  readonly status?: V1PersistentVolumeClaimStatus
}

export interface V1PersistentVolumeClaimCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PersistentVolumeClaimSpec {
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly selector?: V1LabelSelector
  readonly resources?: V1VolumeResourceRequirements
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly dataSource?: V1TypedLocalObjectReference
  readonly dataSourceRef?: V1TypedObjectReference
  readonly volumeAttributesClassName?: string
}

export interface V1PersistentVolumeClaimStatus {
  readonly phase?: 'Bound' | 'Lost' | 'Pending'
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly capacity?: { readonly [key: string]: string }
  readonly conditions?: readonly V1PersistentVolumeClaimCondition[]
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly allocatedResourceStatuses?: { readonly [key: string]: 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending' }
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: V1ModifyVolumeStatus
  readonly healthStatus?: V1VolumeHealthStatus
}

export interface V1PersistentVolumeClaimTemplate {
  readonly metadata?: V1ObjectMeta
  readonly spec: V1PersistentVolumeClaimSpec
}

export interface V1PersistentVolumeClaimVolumeSource {
  readonly claimName: string
  readonly readOnly?: boolean
}

export interface V1PersistentVolumeSpec {
  readonly capacity?: { readonly [key: string]: string }
  readonly gcePersistentDisk?: V1GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: V1AWSElasticBlockStoreVolumeSource
  readonly hostPath?: V1HostPathVolumeSource
  readonly glusterfs?: V1GlusterfsPersistentVolumeSource
  readonly nfs?: V1NFSVolumeSource
  readonly rbd?: V1RBDPersistentVolumeSource
  readonly iscsi?: V1ISCSIPersistentVolumeSource
  readonly cinder?: V1CinderPersistentVolumeSource
  readonly cephfs?: V1CephFSPersistentVolumeSource
  readonly fc?: V1FCVolumeSource
  readonly flocker?: V1FlockerVolumeSource
  readonly flexVolume?: V1FlexPersistentVolumeSource
  readonly azureFile?: V1AzureFilePersistentVolumeSource
  readonly vsphereVolume?: V1VsphereVirtualDiskVolumeSource
  readonly quobyte?: V1QuobyteVolumeSource
  readonly azureDisk?: V1AzureDiskVolumeSource
  readonly photonPersistentDisk?: V1PhotonPersistentDiskVolumeSource
  readonly portworxVolume?: V1PortworxVolumeSource
  readonly scaleIO?: V1ScaleIOPersistentVolumeSource
  readonly local?: V1LocalVolumeSource
  readonly storageos?: V1StorageOSPersistentVolumeSource
  readonly csi?: V1CSIPersistentVolumeSource
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly claimRef?: V1ObjectReference
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly nodeAffinity?: V1VolumeNodeAffinity
  readonly volumeAttributesClassName?: string
}

export interface V1PersistentVolumeStatus {
  readonly phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released'
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: string
}

export interface V1PhotonPersistentDiskVolumeSource {
  readonly pdID: string
  readonly fsType?: string
}

export interface V1Pod {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PodSpec
  readonly status?: V1PodStatus
}

export interface V1PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly V1PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1WeightedPodAffinityTerm[]
}

export interface V1PodAffinityTerm {
  readonly labelSelector?: V1LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
  readonly namespaceSelector?: V1LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export interface V1PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly V1PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1WeightedPodAffinityTerm[]
}

export interface V1PodCertificateProjection {
  readonly signerName: string
  readonly keyType: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: { readonly [key: string]: string }
  readonly user?: number
}

export interface V1PodCondition {
  readonly type: string
  readonly observedGeneration?: number
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PodDNSConfig {
  readonly nameservers?: readonly string[]
  readonly searches?: readonly string[]
  readonly options?: readonly V1PodDNSConfigOption[]
}

export interface V1PodDNSConfigOption {
  readonly name?: string
  readonly value?: string
}

export interface V1PodDisruptionBudget {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PodDisruptionBudgetSpec
  readonly status?: V1PodDisruptionBudgetStatus
}

export interface V1PodDisruptionBudgetSpec {
  readonly minAvailable?: number | string
  readonly selector?: V1LabelSelector
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget'
}

export interface V1PodDisruptionBudgetStatus {
  readonly observedGeneration?: number
  readonly disruptedPods?: { readonly [key: string]: string }
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly expectedPods?: number
  readonly conditions?: readonly V1Condition[]
}

export interface V1PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly V1ContainerExtendedResourceRequest[]
  readonly resourceClaimName: string
}

export interface V1PodFailurePolicy {
  readonly rules: readonly V1PodFailurePolicyRule[]
}

export interface V1PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string
  readonly operator: 'In' | 'NotIn'
  readonly values: readonly number[]
}

export interface V1PodFailurePolicyOnPodConditionsPattern {
  readonly type: string
  readonly status?: string
}

export interface V1PodFailurePolicyRule {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore'
  readonly onExitCodes?: V1PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly V1PodFailurePolicyOnPodConditionsPattern[]
}

export interface V1PodIP {
  readonly ip: string
}

export interface V1PodOS {
  readonly name: string
}

export interface V1PodReadinessGate {
  readonly conditionType: string
}

export interface V1PodResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface V1PodResourceClaimStatus {
  readonly name: string
  readonly resourceClaimName?: string
}

export interface V1PodSchedulingGate {
  readonly name: string
}

export interface V1PodSchedulingGroup {
  readonly podGroupName?: string
}

export interface V1PodSecurityContext {
  readonly seLinuxOptions?: V1SELinuxOptions
  readonly windowsOptions?: V1WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly number[]
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict'
  readonly fsGroup?: number
  readonly sysctls?: readonly V1Sysctl[]
  readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch'
  readonly seccompProfile?: V1SeccompProfile
  readonly appArmorProfile?: V1AppArmorProfile
  readonly seLinuxChangePolicy?: string
}

export interface V1PodSpec {
  readonly volumes?: readonly V1Volume[]
  readonly initContainers?: readonly V1Container[]
  readonly containers: readonly V1Container[]
  readonly ephemeralContainers?: readonly V1EphemeralContainer[]
  readonly restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None'
  readonly nodeSelector?: { readonly [key: string]: string }
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeName?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: V1PodSecurityContext
  readonly imagePullSecrets?: readonly V1LocalObjectReference[]
  readonly hostname?: string
  readonly subdomain?: string
  readonly affinity?: V1Affinity
  readonly schedulerName?: string
  readonly tolerations?: readonly V1Toleration[]
  readonly hostAliases?: readonly V1HostAlias[]
  readonly priorityClassName?: string
  readonly priority?: number
  readonly dnsConfig?: V1PodDNSConfig
  readonly readinessGates?: readonly V1PodReadinessGate[]
  readonly runtimeClassName?: string
  readonly enableServiceLinks?: boolean
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
  readonly overhead?: { readonly [key: string]: string }
  readonly topologySpreadConstraints?: readonly V1TopologySpreadConstraint[]
  readonly setHostnameAsFQDN?: boolean
  readonly os?: V1PodOS
  readonly hostUsers?: boolean
  readonly schedulingGates?: readonly V1PodSchedulingGate[]
  readonly resourceClaims?: readonly V1PodResourceClaim[]
  readonly resources?: V1ResourceRequirements
  readonly hostnameOverride?: string
  readonly schedulingGroup?: V1PodSchedulingGroup
  readonly evictionResponders?: readonly V1EvictionResponder[]
}

export interface V1PodStatus {
  readonly observedGeneration?: number
  readonly phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  readonly conditions?: readonly V1PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly V1HostIP[]
  readonly podIP?: string
  readonly podIPs?: readonly V1PodIP[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly V1ContainerStatus[]
  readonly containerStatuses?: readonly V1ContainerStatus[]
  readonly qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed'
  readonly ephemeralContainerStatuses?: readonly V1ContainerStatus[]
  readonly resize?: string
  readonly resourceClaimStatuses?: readonly V1PodResourceClaimStatus[]
  readonly extendedResourceClaimStatus?: V1PodExtendedResourceClaimStatus
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly resources?: V1ResourceRequirements
  readonly nodeAllocatableResourceClaimStatuses?: readonly V1NodeAllocatableResourceClaimStatus[]
  readonly volumeHealth?: readonly V1PodVolumeHealth[]
}

export interface V1PodTemplate {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly template?: V1PodTemplateSpec
}

export interface V1PodTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1PodSpec
}

export interface V1PodVolumeHealth {
  readonly name: string
  readonly healthConditions?: readonly V1VolumeHealthCondition[]
  readonly lastTransitionTime?: string
}

export interface V1PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface V1PolicyRulesWithSubjects {
  readonly subjects: readonly FlowcontrolV1Subject[]
  readonly resourceRules?: readonly V1ResourcePolicyRule[]
  readonly nonResourceRules?: readonly V1NonResourcePolicyRule[]
}

export interface V1PortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface V1PortworxVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1PreferredSchedulingTerm {
  readonly weight: number
  readonly preference: V1NodeSelectorTerm
}

export interface V1PriorityClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly value?: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
}

export interface V1PriorityLevelConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PriorityLevelConfigurationSpec
  readonly status?: V1PriorityLevelConfigurationStatus
}

export interface V1PriorityLevelConfigurationCondition {
  readonly type: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PriorityLevelConfigurationReference {
  readonly name: string
}

export interface V1PriorityLevelConfigurationSpec {
  readonly type: string
  readonly limited?: V1LimitedPriorityLevelConfiguration
  readonly exempt?: V1ExemptPriorityLevelConfiguration
}

export interface V1PriorityLevelConfigurationStatus {
  readonly conditions?: readonly V1PriorityLevelConfigurationCondition[]
}

export interface V1Probe {
  readonly exec?: V1ExecAction
  readonly httpGet?: V1HTTPGetAction
  readonly tcpSocket?: V1TCPSocketAction
  readonly grpc?: V1GRPCAction
  readonly initialDelaySeconds?: number
  readonly timeoutSeconds?: number
  readonly periodSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

export interface V1ProjectedVolumeSource {
  readonly sources?: readonly V1VolumeProjection[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

export interface V1QueuingConfiguration {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

export interface V1QuobyteVolumeSource {
  readonly registry: string
  readonly volume: string
  readonly readOnly?: boolean
  readonly user?: string
  readonly group?: string
  readonly tenant?: string
}

export interface V1RBDPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
}

export interface V1RBDVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
}

export interface V1ReplicaSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ReplicaSetSpec
  readonly status?: V1ReplicaSetStatus
}

export interface V1ReplicaSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1ReplicaSetSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: V1LabelSelector
  readonly template?: V1PodTemplateSpec
}

export interface V1ReplicaSetStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly V1ReplicaSetCondition[]
}

export interface V1ReplicationController {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ReplicationControllerSpec
  readonly status?: V1ReplicationControllerStatus
}

export interface V1ReplicationControllerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1ReplicationControllerSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector?: { readonly [key: string]: string }
  readonly template?: V1PodTemplateSpec
}

export interface V1ReplicationControllerStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly V1ReplicationControllerCondition[]
}

export interface V1ResourceClaimConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export interface V1ResourceClaimSpec {
  readonly devices?: V1DeviceClaim
}

export interface V1ResourceClaimStatus {
  readonly allocation?: V1AllocationResult
  readonly reservedFor?: readonly V1ResourceClaimConsumerReference[]
  readonly devices?: readonly V1AllocatedDeviceStatus[]
}

export interface V1ResourceClaimTemplate {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceClaimTemplateSpec
}

export interface V1ResourceClaimTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1ResourceClaimSpec
}

export interface V1ResourceFieldSelector {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string
}

export interface V1ResourceHealth {
  readonly resourceID: string
  readonly health?: string
  readonly message?: string
}

export interface V1ResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

export interface V1ResourcePool {
  readonly name: string
  readonly generation: number
  readonly resourceSliceCount: number
}

export interface V1ResourceQuota {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceQuotaSpec
  readonly status?: V1ResourceQuotaStatus
}

export interface V1ResourceQuotaSpec {
  readonly hard?: { readonly [key: string]: string }
  readonly scopes?: readonly ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[]
  readonly scopeSelector?: V1ScopeSelector
}

export interface V1ResourceQuotaStatus {
  readonly hard?: { readonly [key: string]: string }
  readonly used?: { readonly [key: string]: string }
}

export interface V1ResourceRequirements {
  readonly limits?: { readonly [key: string]: string }
  readonly requests?: { readonly [key: string]: string }
  readonly claims?: readonly CoreV1ResourceClaim[]
}

export interface V1ResourceSlice {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceSliceSpec
}

export interface V1ResourceSliceSpec {
  readonly driver: string
  readonly pool: V1ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: V1NodeSelector
  readonly allNodes?: boolean
  readonly devices?: readonly V1Device[]
  readonly perDeviceNodeSelection?: boolean
  readonly sharedCounters?: readonly V1CounterSet[]
  readonly partitionTypeAttribute?: string
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}

export interface V1ResourceStatus {
  readonly name: string
  readonly resources?: readonly V1ResourceHealth[]
}

export interface V1Role {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly rules?: readonly V1PolicyRule[]
}

export interface V1RoleBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subjects?: readonly RbacV1Subject[]
  readonly roleRef: V1RoleRef
}

export interface V1RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface V1RollingUpdateDaemonSet {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export interface V1RollingUpdateDeployment {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export interface V1RollingUpdateStatefulSetStrategy {
  readonly partition?: number
  readonly maxUnavailable?: number | string
}

export interface V1RuleWithOperations {
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

export interface V1RuntimeClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly handler: string
  readonly overhead?: V1Overhead
  readonly scheduling?: V1Scheduling
}

export interface V1SELinuxOptions {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

export interface V1ScaleIOPersistentVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: V1SecretReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1ScaleIOVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: V1LocalObjectReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string }
  readonly tolerations?: readonly V1Toleration[]
}

export interface V1ScopeSelector {
  readonly matchExpressions?: readonly V1ScopedResourceSelectorRequirement[]
}

export interface V1ScopedResourceSelectorRequirement {
  readonly scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass'
  readonly operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn'
  readonly values?: readonly string[]
}

export interface V1SeccompProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

export interface V1Secret {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly immutable?: boolean
  readonly data?: { readonly [key: string]: string }
  readonly stringData?: { readonly [key: string]: string }
  readonly type?: string
}

export interface V1SecretEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface V1SecretKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1SecretProjection {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly optional?: boolean
}

export interface V1SecretReference {
  readonly name?: string
  readonly namespace?: string
}

export interface V1SecretVolumeSource {
  readonly secretName?: string
  readonly items?: readonly V1KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

export interface V1SecurityContext {
  readonly capabilities?: V1Capabilities
  readonly privileged?: boolean
  readonly seLinuxOptions?: V1SELinuxOptions
  readonly windowsOptions?: V1WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: 'Default' | 'Unmasked'
  readonly seccompProfile?: V1SeccompProfile
  readonly appArmorProfile?: V1AppArmorProfile
}

export interface V1SelectableField {
  readonly jsonPath: string
}

export interface V1Service {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ServiceSpec
  readonly status?: V1ServiceStatus
}

export interface V1ServiceAccount {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly secrets?: readonly V1ObjectReference[]
  readonly imagePullSecrets?: readonly V1LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}

export interface V1ServiceAccountSubject {
  readonly namespace: string
  readonly name: string
}

export interface V1ServiceAccountTokenProjection {
  readonly audience?: string
  readonly expirationSeconds?: number
  readonly path: string
  readonly user?: number
}

export interface V1ServiceBackendPort {
  readonly name?: string
  readonly number?: number
}

export interface V1ServiceCIDR {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ServiceCIDRSpec
  readonly status?: V1ServiceCIDRStatus
}

export interface V1ServiceCIDRSpec {
  readonly cidrs?: readonly string[]
}

export interface V1ServiceCIDRStatus {
  readonly conditions?: readonly V1Condition[]
}

export interface V1ServicePort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly nodePort?: number
}

export interface V1ServiceSpec {
  readonly ports?: readonly V1ServicePort[]
  readonly selector?: { readonly [key: string]: string }
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort'
  readonly externalIPs?: readonly string[]
  readonly sessionAffinity?: 'ClientIP' | 'None'
  readonly loadBalancerIP?: string
  readonly loadBalancerSourceRanges?: readonly string[]
  readonly externalName?: string
  readonly externalTrafficPolicy?: 'Cluster' | 'Local'
  readonly healthCheckNodePort?: number
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinityConfig?: V1SessionAffinityConfig
  readonly ipFamilies?: readonly ('' | 'IPv4' | 'IPv6')[]
  readonly ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack'
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly internalTrafficPolicy?: 'Cluster' | 'Local'
  readonly trafficDistribution?: string
}

export interface V1ServiceStatus {
  readonly loadBalancer?: V1LoadBalancerStatus
  readonly conditions?: readonly V1Condition[]
}

export interface V1SessionAffinityConfig {
  readonly clientIP?: V1ClientIPConfig
}

export interface V1SleepAction {
  readonly seconds: number
}

export interface V1StatefulSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1StatefulSetSpec
  readonly status?: V1StatefulSetStatus
}

export interface V1StatefulSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1StatefulSetOrdinals {
  readonly start?: number
}

export interface V1StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

export interface V1StatefulSetSpec {
  readonly replicas?: number
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly volumeClaimTemplates?: readonly V1PersistentVolumeClaim[]
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: V1StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  readonly persistentVolumeClaimRetentionPolicy?: V1StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly ordinals?: V1StatefulSetOrdinals
}

export interface V1StatefulSetStatus {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly V1StatefulSetCondition[]
  readonly availableReplicas?: number
}

export interface V1StatefulSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateStatefulSetStrategy
}

export interface V1StorageClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly provisioner: string
  readonly parameters?: { readonly [key: string]: string }
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  readonly allowedTopologies?: readonly V1TopologySelectorTerm[]
}

export interface V1StorageHealth {
  readonly name: string
  readonly healthConditions?: readonly V1StorageHealthCondition[]
}

export interface V1StorageHealthCondition {
  readonly status: 'StorageDegraded' | 'StorageUnreachable'
  readonly reason: string
  readonly message?: string
  readonly accessMode?: 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod'
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly lastTransitionTime?: string
}

export interface V1StorageOSPersistentVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1ObjectReference
}

export interface V1StorageOSVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1LocalObjectReference
}

export interface V1SuccessPolicy {
  readonly rules: readonly V1SuccessPolicyRule[]
}

export interface V1SuccessPolicyRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export interface V1Sysctl {
  readonly name: string
  readonly value: string
}

export interface V1TCPSocketAction {
  readonly port: number | string
  readonly host?: string
}

export interface V1Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly timeAdded?: string
}

export interface V1TokenRequest {
  readonly audience: string
  readonly expirationSeconds?: number
}

export interface V1Toleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly tolerationSeconds?: number
}

export interface V1TopologySelectorLabelRequirement {
  readonly key: string
  readonly values: readonly string[]
}

export interface V1TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly V1TopologySelectorLabelRequirement[]
}

export interface V1TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly labelSelector?: V1LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore'
  readonly matchLabelKeys?: readonly string[]
}

export interface V1TypeChecking {
  readonly expressionWarnings?: readonly V1ExpressionWarning[]
}

export interface V1TypedLocalObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface V1TypedObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface V1UncountedTerminatedPods {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}

export interface V1UserSubject {
  readonly name: string
}

export interface V1ValidatingAdmissionPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ValidatingAdmissionPolicySpec
  readonly status?: V1ValidatingAdmissionPolicyStatus
}

export interface V1ValidatingAdmissionPolicyBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ValidatingAdmissionPolicyBindingSpec
}

export interface V1ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string
  readonly paramRef?: V1ParamRef
  readonly matchResources?: V1MatchResources
  readonly validationActions: readonly ('Audit' | 'Deny' | 'Warn')[]
}

export interface V1ValidatingAdmissionPolicySpec {
  readonly paramKind?: V1ParamKind
  readonly matchConstraints?: V1MatchResources
  readonly validations?: readonly V1Validation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly auditAnnotations?: readonly V1AuditAnnotation[]
  readonly matchConditions?: readonly V1MatchCondition[]
  readonly variables?: readonly V1Variable[]
}

export interface V1ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number
  readonly typeChecking?: V1TypeChecking
  readonly conditions?: readonly V1Condition[]
}

export interface V1ValidatingWebhook {
  readonly name: string
  readonly clientConfig: AdmissionregistrationV1WebhookClientConfig
  readonly rules?: readonly V1RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly matchConditions?: readonly V1MatchCondition[]
}

export interface V1ValidatingWebhookConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly webhooks?: readonly V1ValidatingWebhook[]
}

export interface V1Validation {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

export interface V1ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export interface V1Variable {
  readonly name: string
  readonly expression: string
}

export interface V1Volume {
  readonly name: string
  readonly hostPath?: V1HostPathVolumeSource
  readonly emptyDir?: V1EmptyDirVolumeSource
  readonly gcePersistentDisk?: V1GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: V1AWSElasticBlockStoreVolumeSource
  readonly gitRepo?: V1GitRepoVolumeSource
  readonly secret?: V1SecretVolumeSource
  readonly nfs?: V1NFSVolumeSource
  readonly iscsi?: V1ISCSIVolumeSource
  readonly glusterfs?: V1GlusterfsVolumeSource
  readonly persistentVolumeClaim?: V1PersistentVolumeClaimVolumeSource
  readonly rbd?: V1RBDVolumeSource
  readonly flexVolume?: V1FlexVolumeSource
  readonly cinder?: V1CinderVolumeSource
  readonly cephfs?: V1CephFSVolumeSource
  readonly flocker?: V1FlockerVolumeSource
  readonly downwardAPI?: V1DownwardAPIVolumeSource
  readonly fc?: V1FCVolumeSource
  readonly azureFile?: V1AzureFileVolumeSource
  readonly configMap?: V1ConfigMapVolumeSource
  readonly vsphereVolume?: V1VsphereVirtualDiskVolumeSource
  readonly quobyte?: V1QuobyteVolumeSource
  readonly azureDisk?: V1AzureDiskVolumeSource
  readonly photonPersistentDisk?: V1PhotonPersistentDiskVolumeSource
  readonly projected?: V1ProjectedVolumeSource
  readonly portworxVolume?: V1PortworxVolumeSource
  readonly scaleIO?: V1ScaleIOVolumeSource
  readonly storageos?: V1StorageOSVolumeSource
  readonly csi?: V1CSIVolumeSource
  readonly ephemeral?: V1EphemeralVolumeSource
  readonly image?: V1ImageVolumeSource
}

export interface V1VolumeAttachment {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1VolumeAttachmentSpec
  readonly status?: V1VolumeAttachmentStatus
}

export interface V1VolumeAttachmentSource {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: V1PersistentVolumeSpec
}

export interface V1VolumeAttachmentSpec {
  readonly attacher: string
  readonly source: V1VolumeAttachmentSource
  readonly nodeName: string
}

export interface V1VolumeAttachmentStatus {
  readonly attached: boolean
  readonly attachmentMetadata?: { readonly [key: string]: string }
  readonly attachError?: V1VolumeError
  readonly detachError?: V1VolumeError
}

export interface V1VolumeAttributesClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly driverName: string
  readonly parameters?: { readonly [key: string]: string }
}

export interface V1VolumeDevice {
  readonly name: string
  readonly devicePath: string
}

export interface V1VolumeError {
  readonly time?: string
  readonly message?: string
  readonly errorCode?: number
}

export interface V1VolumeHealthCondition {
  readonly status: 'DataLoss' | 'Degraded' | 'Inaccessible'
  readonly reason: string
  readonly message?: string
}

export interface V1VolumeHealthStatus {
  readonly healthConditions?: readonly V1VolumeHealthCondition[]
  readonly lastTransitionTime?: string
}

export interface V1VolumeMount {
  readonly name: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly mountPath: string
  readonly subPath?: string
  readonly mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None'
  readonly subPathExpr?: string
  readonly bindMountOptions?: readonly string[]
}

export interface V1VolumeMountStatus {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly volumeStatus?: V1VolumeStatus
}

export interface V1VolumeNodeAffinity {
  readonly required?: V1NodeSelector
}

export interface V1VolumeNodeResources {
  readonly count?: number
}

export interface V1VolumeProjection {
  readonly secret?: V1SecretProjection
  readonly downwardAPI?: V1DownwardAPIProjection
  readonly configMap?: V1ConfigMapProjection
  readonly serviceAccountToken?: V1ServiceAccountTokenProjection
  readonly clusterTrustBundle?: V1ClusterTrustBundleProjection
  readonly podCertificate?: V1PodCertificateProjection
}

export interface V1VolumeResourceRequirements {
  readonly limits?: { readonly [key: string]: string }
  readonly requests?: { readonly [key: string]: string }
}

export interface V1VolumeStatus {
  readonly image?: V1ImageVolumeStatus
}

export interface V1VsphereVirtualDiskVolumeSource {
  readonly volumePath: string
  readonly fsType?: string
  readonly storagePolicyName?: string
  readonly storagePolicyID?: string
}

export interface V1WebhookConversion {
  readonly clientConfig?: ApiextensionsV1WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

export interface V1WeightedPodAffinityTerm {
  readonly weight: number
  readonly podAffinityTerm: V1PodAffinityTerm
}

export interface V1WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}

export interface V1alpha3TopologyConstraint {
  readonly key: string
}

export interface V1alpha3WorkloadPodGroupAllDisruptionMode {
}

export interface V1alpha3WorkloadPodGroupBasicSchedulingPolicy {
}

export interface V1alpha3WorkloadPodGroupDisruptionMode {
  readonly single?: V1alpha3WorkloadPodGroupSingleDisruptionMode
  readonly all?: V1alpha3WorkloadPodGroupAllDisruptionMode
}

export interface V1alpha3WorkloadPodGroupGangSchedulingPolicy {
  readonly minCount?: number
}

export interface V1alpha3WorkloadPodGroupResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface V1alpha3WorkloadPodGroupSchedulingConstraints {
  readonly topology?: readonly V1alpha3TopologyConstraint[]
}

export interface V1alpha3WorkloadPodGroupSchedulingPolicy {
  readonly basic?: V1alpha3WorkloadPodGroupBasicSchedulingPolicy
  readonly gang?: V1alpha3WorkloadPodGroupGangSchedulingPolicy
}

export interface V1alpha3WorkloadPodGroupSingleDisruptionMode {
}

/** The objects of every built-in resource. A resource is named `plural` in the core group and `plural.group` elsewhere. */
export interface ServedTypes {
  'apiservices.apiregistration.k8s.io': V1APIService
  'certificatesigningrequests.certificates.k8s.io': V1CertificateSigningRequest
  'clusterrolebindings.rbac.authorization.k8s.io': V1ClusterRoleBinding
  'clusterroles.rbac.authorization.k8s.io': V1ClusterRole
  componentstatuses: V1ComponentStatus
  configmaps: V1ConfigMap
  'controllerrevisions.apps': V1ControllerRevision
  'cronjobs.batch': V1CronJob
  'csidrivers.storage.k8s.io': V1CSIDriver
  'csinodes.storage.k8s.io': V1CSINode
  'csistoragecapacities.storage.k8s.io': V1CSIStorageCapacity
  'customresourcedefinitions.apiextensions.k8s.io': V1CustomResourceDefinition
  'daemonsets.apps': V1DaemonSet
  'deployments.apps': V1Deployment
  'deviceclasses.resource.k8s.io': V1DeviceClass
  'devicetaintrules.resource.k8s.io': V1DeviceTaintRule
  endpoints: V1Endpoints
  'endpointslices.discovery.k8s.io': V1EndpointSlice
  events: CoreV1Event
  'events.events.k8s.io': EventsV1Event
  'flowschemas.flowcontrol.apiserver.k8s.io': V1FlowSchema
  'horizontalpodautoscalers.autoscaling': V1HorizontalPodAutoscaler
  'ingressclasses.networking.k8s.io': V1IngressClass
  'ingresses.networking.k8s.io': V1Ingress
  'ipaddresses.networking.k8s.io': V1IPAddress
  'jobs.batch': V1Job
  'leases.coordination.k8s.io': V1Lease
  limitranges: V1LimitRange
  'mutatingadmissionpolicies.admissionregistration.k8s.io': V1MutatingAdmissionPolicy
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': V1MutatingAdmissionPolicyBinding
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': V1MutatingWebhookConfiguration
  namespaces: V1Namespace
  'networkpolicies.networking.k8s.io': V1NetworkPolicy
  nodes: V1Node
  persistentvolumeclaims: V1PersistentVolumeClaim
  persistentvolumes: V1PersistentVolume
  'poddisruptionbudgets.policy': V1PodDisruptionBudget
  pods: V1Pod
  podtemplates: V1PodTemplate
  'priorityclasses.scheduling.k8s.io': V1PriorityClass
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': V1PriorityLevelConfiguration
  'replicasets.apps': V1ReplicaSet
  replicationcontrollers: V1ReplicationController
  'resourceclaims.resource.k8s.io': ResourceV1ResourceClaim
  'resourceclaimtemplates.resource.k8s.io': V1ResourceClaimTemplate
  resourcequotas: V1ResourceQuota
  'resourceslices.resource.k8s.io': V1ResourceSlice
  'rolebindings.rbac.authorization.k8s.io': V1RoleBinding
  'roles.rbac.authorization.k8s.io': V1Role
  'runtimeclasses.node.k8s.io': V1RuntimeClass
  secrets: V1Secret
  serviceaccounts: V1ServiceAccount
  'servicecidrs.networking.k8s.io': V1ServiceCIDR
  services: V1Service
  'statefulsets.apps': V1StatefulSet
  'storageclasses.storage.k8s.io': V1StorageClass
  'validatingadmissionpolicies.admissionregistration.k8s.io': V1ValidatingAdmissionPolicy
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': V1ValidatingAdmissionPolicyBinding
  'validatingwebhookconfigurations.admissionregistration.k8s.io': V1ValidatingWebhookConfiguration
  'volumeattachments.storage.k8s.io': V1VolumeAttachment
  'volumeattributesclasses.storage.k8s.io': V1VolumeAttributesClass
}
