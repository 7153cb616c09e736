import type {
  ConditionStatus,
  IntOrString,
  JsonObject,
  KubeObject,
  LabelSelector,
  ObjectMeta,
  ObjectReference,
  StringMap,
} from './meta.ts'
import type { NodeSelector, NodeSelectorTerm } from './node.ts'

/** Quantities as strings, by resource name. */
export type ResourceList = StringMap

export interface ResourceRequirements {
  readonly requests?: ResourceList
  readonly limits?: ResourceList
  readonly claims?: readonly { readonly name: string; readonly request?: string }[]
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'

export interface Toleration {
  readonly key?: string
  readonly operator?: 'Exists' | 'Equal' | 'Gt' | 'Lt'
  readonly value?: string
  readonly effect?: TaintEffect
  readonly tolerationSeconds?: number
}

export interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly hostIP?: string
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP'
}

export interface Probe extends JsonObjectLike {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
}

/** Fields that are stored and validated, but do not affect any decision here. */
type JsonObjectLike = { readonly [key: string]: unknown }

export interface Container {
  readonly name: string
  readonly image?: string
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: JsonObject }[]
  readonly envFrom?: readonly JsonObject[]
  readonly ports?: readonly ContainerPort[]
  readonly resources?: ResourceRequirements
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[]
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly restartPolicyRules?: readonly JsonObject[]
  readonly volumeMounts?: readonly (JsonObjectLike & { readonly name: string; readonly mountPath: string })[]
  readonly volumeDevices?: readonly { readonly name: string; readonly devicePath: string }[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: JsonObject
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly securityContext?: JsonObject
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly ephemeral?: {
    readonly volumeClaimTemplate?: { readonly metadata?: Partial<ObjectMeta>; readonly spec: JsonObjectLike }
  }
  readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean; readonly fsType?: string }
  readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean; readonly fsType?: string }
  readonly azureDisk?: JsonObjectLike
  readonly rbd?: JsonObjectLike & {
    readonly monitors: readonly string[]
    readonly image: string
    readonly pool?: string
    readonly readOnly?: boolean
  }
  readonly iscsi?: JsonObjectLike & { readonly iqn: string; readonly readOnly?: boolean }
  readonly csi?: JsonObjectLike & { readonly driver: string }
  readonly [source: string]: unknown
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: LabelSelector
  readonly topologyKey: string
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export interface WeightedPodAffinityTerm {
  readonly weight: number
  readonly podAffinityTerm: PodAffinityTerm
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number
    readonly preference: NodeSelectorTerm
  }[]
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAffinity
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore'
  readonly matchLabelKeys?: readonly string[]
}

export interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly ephemeralContainers?: readonly (Container & { readonly targetContainerName?: string })[]
  readonly nodeName?: string
  readonly nodeSelector?: StringMap
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly priority?: number
  readonly priorityClassName?: string
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never'
  readonly schedulerName?: string
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly schedulingGroup?: { readonly podGroupName?: string }
  readonly overhead?: ResourceList
  readonly resources?: ResourceRequirements
  readonly runtimeClassName?: string
  readonly volumes?: readonly Volume[]
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean
  readonly hostname?: string
  readonly subdomain?: string
  readonly dnsPolicy?: string
  readonly dnsConfig?: JsonObject
  readonly enableServiceLinks?: boolean
  readonly imagePullSecrets?: readonly { readonly name?: string }[]
  readonly readinessGates?: readonly { readonly conditionType: string }[]
  readonly resourceClaims?: readonly PodResourceClaim[]
  readonly securityContext?: JsonObject
  readonly os?: { readonly name: string }
  readonly hostAliases?: readonly JsonObject[]
  readonly setHostnameAsFQDN?: boolean
  readonly shareProcessNamespace?: boolean
}

/** Exactly one of `resourceClaimName` and `resourceClaimTemplateName` is set. */
export interface PodResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

/** The claim that the scheduler created for the extended resources of a pod. */
export interface ExtendedResourceClaimStatus {
  readonly requestMappings?: readonly ContainerExtendedResourceRequest[]
  readonly resourceClaimName: string
}

/** The request of the claim that provides an extended resource of a container. */
export interface ContainerExtendedResourceRequest {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface PodCondition {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason?: string
  readonly message?: string
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string }
  readonly terminated?: {
    readonly exitCode: number
    readonly signal?: number
    readonly reason?: string
    readonly message?: string
    readonly startedAt?: string
    readonly finishedAt?: string
    readonly containerID?: string
  }
}

export interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly restartCount: number
  readonly started?: boolean
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly allocatedResources?: ResourceList
  readonly resources?: ResourceRequirements
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

export interface PodStatus {
  readonly phase?: PodPhase
  readonly conditions?: readonly PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly qosClass?: 'Guaranteed' | 'Burstable' | 'BestEffort'
  readonly resize?: string
  readonly allocatedResources?: ResourceList
  readonly resources?: ResourceRequirements
  readonly observedGeneration?: number
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[]
  readonly extendedResourceClaimStatus?: ExtendedResourceClaimStatus
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec
  readonly status?: PodStatus
}

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>
  readonly spec: PodSpec
}

export interface Binding extends KubeObject {
  readonly target: ObjectReference
}

export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: IntOrString
    readonly maxUnavailable?: IntOrString
    readonly selector?: LabelSelector
    readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly disruptedPods?: StringMap
    readonly disruptionsAllowed: number
    readonly currentHealthy: number
    readonly desiredHealthy: number
    readonly expectedPods: number
    readonly conditions?: readonly import('./meta.ts').Condition[]
  }
}

export interface PriorityClass extends KubeObject {
  readonly value: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never'
}
