import type { LabelMatcher } from '../../api/label-matcher.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { extended } from '../../base/extended.ts'

/** Amounts in the units of the scheduler: milli-CPU, bytes, and whole units of all other resources. */
export interface ResourceAmounts {
  readonly cpuMilli: number
  readonly memoryBytes: number
  readonly ephemeralStorageBytes: number
  /** Extended resources, huge pages and attachable volumes. */
  readonly scalars: ReadonlyMap<string, number>
}

export interface HostPort {
  readonly protocol: string
  /** `0.0.0.0` when the pod does not set it. */
  readonly ip: string
  readonly port: number
}

/** A parsed inter-pod affinity or anti-affinity term. Interned: equal terms in equal namespaces are one object. */
export interface AffinityTerm {
  /** A small dense id. */
  readonly id: number
  readonly topologyKey: string
  /** Namespaces by name; the namespace of the pod when the term has neither namespaces nor a namespace selector. */
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelMatcher
  readonly selector: LabelMatcher
}

export interface WeightedAffinityTerm {
  readonly weight: number
  readonly term: AffinityTerm
}

/**
 * All properties of a pod that built-in plugins read, parsed once and shared by all pods with equal properties. Pods of
 * one shape differ only in priority, name and age.
 */
export interface PodShape {
  /** A small dense id, for tables by shape. Never reused while a pod of the shape is known. */
  readonly id: number
  /** Equal for pods that differ only in namespace, labels, controller, images and claim names. */
  readonly specId: number
  /** Equal for pods with equal namespace, labels and controller. */
  readonly identityId: number
  /** Equal for pods with equal images. */
  readonly imagesId: number
  /** The first pod of the shape. Plugins may read those of its fields that are part of the shape. */
  readonly example: Pod
  readonly namespace: string
  readonly labels: StringMap | undefined
  readonly requests: ResourceAmounts
  /** Requests with upstream's defaults for containers without requests (100m, 200Mi), used by scores only. */
  readonly nonZeroCpuMilli: number
  readonly nonZeroMemoryBytes: number
  readonly hostPorts: readonly HostPort[]
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly WeightedAffinityTerm[]
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[]
  /** The pod has a podAffinity or podAntiAffinity, even if it is empty. */
  readonly hasAffinity: boolean
  /** Keys (`namespace/name`) of the claims of its volumes, without those of generic ephemeral volumes. */
  readonly claims: readonly string[]
  /** The status reports allocated resources, which count together with the requests. */
  readonly isResized: boolean
  /** The problem of an invalid affinity term that passed validation. */
  readonly termProblem: string | undefined
}

/** A pod as the scheduler stores it. */
export interface ParsedPod {
  readonly pod: Pod
  readonly shape: PodShape
  /** `namespace/name` */
  readonly key: string
  readonly uid: string
  readonly priority: number
  /** The pod is being deleted. */
  readonly isTerminating: boolean
}

/** Interns shapes and terms; one per scheduler. */
export interface PodParser {
  /** `previous` is an older state of the same pod, for speed. It is returned when it is this state. */
  parse(pod: Pod, previous?: ParsedPod): ParsedPod
}

/** Reports whether the pod is bound to a node. */
export function isAssigned(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''
}

/** The pod as if it were bound, for the event of its removal. */
export function onNode(pod: Pod, node: string): Pod {
  return { ...pod, spec: extended(pod.spec, { nodeName: node }) }
}
