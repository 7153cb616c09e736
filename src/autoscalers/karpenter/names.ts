import type { Taint } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'

// Names of v1.14, pkg/apis/v1/labels.go and taints.go.
export const nodePoolLabel = 'karpenter.sh/nodepool'
export const initializedLabel = 'karpenter.sh/initialized'
export const registeredLabel = 'karpenter.sh/registered'
export const capacityTypeLabel = 'karpenter.sh/capacity-type'
export const doNotSyncTaintsLabel = 'karpenter.sh/do-not-sync-taints'
export const doNotDisruptAnnotation = 'karpenter.sh/do-not-disrupt'
export const hashAnnotation = 'karpenter.sh/nodepool-hash'
export const hashVersionAnnotation = 'karpenter.sh/nodepool-hash-version'
export const terminationTimestampAnnotation = 'karpenter.sh/nodeclaim-termination-timestamp'
export const minValuesRelaxedAnnotation = 'karpenter.sh/nodeclaim-min-values-relaxed'
export const terminationFinalizer = 'karpenter.sh/termination'
export const windowsBuildLabel = 'node.kubernetes.io/windows-build'

export const disruptedTaint: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }
export const unregisteredTaint: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' }

export const nodePools = 'nodepools.karpenter.sh'
export const nodeClaims = 'nodeclaims.karpenter.sh'
export const nodeOverlays = 'nodeoverlays.karpenter.sh'
export const kwokNodeClasses = 'kwoknodeclasses.karpenter.kwok.sh'
export const kwokGroup = 'karpenter.kwok.sh'

/** Labels of instance types that a pod may require although no pool defines them. */
export const wellKnownLabels: ReadonlySet<string> = new Set([
  nodePoolLabel,
  labels.zone,
  labels.region,
  labels.instanceType,
  labels.arch,
  labels.os,
  capacityTypeLabel,
  windowsBuildLabel,
])

/** Deprecated names of well-known labels, with their replacements. */
export const normalizedLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', labels.zone],
  ['beta.kubernetes.io/arch', labels.arch],
  ['beta.kubernetes.io/os', labels.os],
  ['beta.kubernetes.io/instance-type', labels.instanceType],
  ['failure-domain.beta.kubernetes.io/region', labels.region],
])

/** The label of a node or claim with the name of its node class. */
export function nodeClassLabel({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind.toLowerCase()}`
}
