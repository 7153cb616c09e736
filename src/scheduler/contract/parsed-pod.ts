import type { LabelMatcher } from '../../api/label-matcher.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** Amounts as the scheduler counts them: milli-CPU, bytes, and whole units of everything else. */
export interface ResourceAmounts {
  readonly cpuMilli: number
  readonly memoryBytes: number
  readonly ephemeralStorageBytes: number
  /** Extended resources, huge pages and attachable volumes. */
  readonly scalars: ReadonlyMap<string, number>
}

export interface HostPort {
  readonly protocol: string
  /** `0.0.0.0` when the pod names none. */
  readonly ip: string
  readonly port: number
}

/** A parsed inter-pod (anti-)affinity term. Interned: equal terms of equal namespaces are one object. */
export interface AffinityTerm {
  /** Small and dense. */
  readonly id: number
  readonly topologyKey: string
  /** Namespaces by name; the pod's own when the term names none and has no namespace selector. */
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelMatcher
  readonly selector: LabelMatcher
}

export interface WeightedAffinityTerm {
  readonly weight: number
  readonly term: AffinityTerm
}

/**
 * Everything a built-in plugin may read of a pod, parsed once and shared by all pods that are equal in it.
 * Two pods of one shape are placed alike; only priority, name and age tell them apart.
 */
export interface PodShape {
  /** Small and dense: an index into per-shape tables. Never reused while a pod of the shape is known. */
  readonly id: number
  /** The same for pods that differ in nothing but namespace, labels, controller, images and the claims they name. */
  readonly specId: number
  /** The same for pods that are equal in namespace, labels and controller. */
  readonly identityId: number
  /** The same for pods with the same images. */
  readonly imagesId: number
  /** The first pod of the shape. Plugins may read of it whatever is part of the shape. */
  readonly example: Pod
  readonly namespace: string
  readonly labels: StringMap | undefined
  readonly requests: ResourceAmounts
  /** Requests with upstream's defaults for containers that name none (100m, 200Mi): only scores use them. */
  readonly nonZeroCpuMilli: number
  readonly nonZeroMemoryBytes: number
  readonly hostPorts: readonly HostPort[]
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly WeightedAffinityTerm[]
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[]
  /** Whether the pod has a podAffinity or podAntiAffinity at all, be it empty. */
  readonly hasAffinity: boolean
  /** Keys (`namespace/name`) of the claims its volumes name; those of generic ephemeral volumes are not among them. */
  readonly claims: readonly string[]
  /** Whether a kubelet says what it gave the containers, which then counts with what they ask for. */
  readonly isResized: boolean
  /** What is wrong with its affinity terms, should validation have let them through. */
  readonly termProblem: string | undefined
}

/** A pod as the scheduler holds it. */
export interface ParsedPod {
  readonly pod: Pod
  readonly shape: PodShape
  /** `namespace/name` */
  readonly key: string
  readonly uid: string
  readonly priority: number
  /** It is being deleted. */
  readonly isTerminating: boolean
}

/** Interns shapes and terms; one per scheduler. */
export interface PodParser {
  /** `previous`, an older state of the same pod, makes it cheaper; it is given back if it is this very state. */
  parse(pod: Pod, previous?: ParsedPod): ParsedPod
}

/** Reports whether the pod is bound to a node. */
export function isAssigned(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''
}
