import type { Failure } from '../../api/call.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod, PodSpec, PriorityClass } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { hasTaint } from '../../api/taints.ts'
import { taintKeys } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { certificateProblem } from './certificates.ts'
import { withDefaultTolerations } from './default-tolerations.ts'
import { refuse } from './forbidden.ts'
import { withIngressClass } from './ingress-class.ts'
import { claimLimitProblems, podLimitProblems, withLimitDefaults } from './limit-ranger.ts'
import { nodeRestriction } from './node-restriction.ts'
import { parallelismProblem, withGroupPriority, withGroupProtection, workloadProblem } from './pod-groups.ts'
import { defaultClass, keepPriority, settlePriority } from './pod-priority.ts'
import { resizeRefusal } from './pod-resize.ts'
import { overheadProblem, settleRuntime } from './runtime-class.ts'
import { ephemeralSecretProblem, withServiceAccount } from './service-account.ts'
import { resizeProblem, withProtection, withStorageClass } from './storage.ts'
import { topologyLabels } from './topology-labels.ts'

/** A write that the admission plugins check. `old` is absent for creations. */
export interface AdmissionRequest {
  readonly kind: Kind
  readonly object: KubeObject
  readonly old?: KubeObject
  readonly context: WriteContext
}

/** A returned string is the message of a 403 response. */
type Mutate = (admission: AdmissionRequest) => KubeObject | string | Failure
type Check = (admission: AdmissionRequest) => string | Failure | undefined

const requests = 'certificatesigningrequests.certificates.k8s.io'
const notReady: Taint = { key: taintKeys.notReady, effect: 'NoSchedule' }

const podMutations: Mutate = (admission) => {
  const { object, old, context } = admission
  const { store, disabledAdmission: off } = context
  if (old !== undefined) {
    const pod = object as Pod
    const kept = keepPriority(pod.spec, (old as Pod).spec)
    return withSpec(pod, off.has('DefaultTolerationSeconds') ? kept : withDefaultTolerations(kept))
  }
  const limited = off.has('LimitRanger') ? (object as Pod) : withLimitDefaults(store, object as Pod)
  const identified = off.has('ServiceAccount') ? limited : withServiceAccount(context, limited)
  if (typeof identified === 'string') return identified
  const restricted = context.restrictsNodes === true ? restriction({ ...admission, object: identified }) : undefined
  if (restricted !== undefined) return restricted
  let pod = identified
  let spec: PodSpec | string = pod.spec
  if (!off.has('Priority')) spec = settlePriority(store, spec)
  if (typeof spec !== 'string' && !off.has('DefaultTolerationSeconds')) spec = withDefaultTolerations(spec)
  if (typeof spec !== 'string' && !off.has('RuntimeClass')) spec = settleRuntime(store, spec)
  if (typeof spec === 'string') return spec
  pod = withSpec(pod, spec)
  const { nodeName } = spec
  if (nodeName === undefined || nodeName === '' || off.has('PodTopologyLabels')) return pod
  if (!context.release.gates.has('PodTopologyLabelsAdmission')) return pod
  const labels = topologyLabels(store, nodeName)
  if (labels === undefined) return pod
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } }
}

function withSpec(pod: Pod, spec: PodSpec): Pod {
  return spec === pod.spec ? pod : { ...pod, spec }
}

/** Plugins that change objects, in upstream's order within a kind. */
const mutations = lookupTable<Mutate>({
  pods: podMutations,
  nodes: ({ object, old, context }) => {
    const node = object as Node
    if (old !== undefined || context.disabledAdmission.has('TaintNodesByCondition')) return object
    // A new node is tainted until it is ready, so that no pod is scheduled to it before.
    if (hasTaint(node.spec?.taints, notReady)) return object
    return { ...node, spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), notReady] } } as Node
  },
  persistentvolumeclaims: (admission) => {
    const { object, old, context } = admission
    if (old !== undefined || context.disabledAdmission.has('DefaultStorageClass')) return protect(admission)
    return protect({ ...admission, object: withStorageClass(context.store, object as PersistentVolumeClaim) })
  },
  persistentvolumes: protect,
  'ingresses.networking.k8s.io': ({ object, old, context }) =>
    old !== undefined || context.disabledAdmission.has('DefaultIngressClass')
      ? object
      : withIngressClass(context.store, object),
  'podgroups.scheduling.k8s.io': ({ object, old, context }) => {
    if (old !== undefined) return object
    const { store, release, disabledAdmission: off } = context
    const settled = off.has('Priority') ? (object as PodGroup) : withGroupPriority(store, object as PodGroup, release)
    return typeof settled === 'string' || off.has('PodGroupProtection') ? settled : withGroupProtection(settled)
  },
  'compositepodgroups.scheduling.k8s.io': ({ object, old, context }) =>
    old !== undefined || context.disabledAdmission.has('Priority')
      ? object
      : withGroupPriority(context.store, object as PodGroup, context.release),
  'volumeattributesclasses.storage.k8s.io': protect,
})

function protect({ kind, object, old, context }: AdmissionRequest): KubeObject {
  if (old !== undefined || context.disabledAdmission.has('StorageObjectInUseProtection')) return object
  return withProtection(kind.resource, object)
}

const joined = (problems: readonly string[]): string | undefined => {
  if (problems.length === 0) return undefined
  const distinct = [...new Set(problems)]
  return distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`
}

/** Plugins that only reject, after validation. */
const checks = lookupTable<Check>({
  pods: ({ kind, object, old, context }) => {
    const { store, release, disabledAdmission: off } = context
    if (context.subresource === 'ephemeralcontainers') {
      return off.has('ServiceAccount') ? undefined : ephemeralSecretProblem(context, object as Pod)
    }
    if (old !== undefined && context.subresource !== 'resize') return undefined
    const limited = off.has('LimitRanger') ? undefined : joined(podLimitProblems(store, object as Pod))
    if (limited !== undefined) return limited
    if (old !== undefined) {
      const isOff = !atLeast(release, '1.36') || off.has('PodResizeValidator')
      return isOff ? undefined : resizeRefusal(kind, object as Pod, old as Pod, store)
    }
    if (off.has('RuntimeClass')) return undefined
    return overheadProblem(store, (object as Pod).spec)
  },
  persistentvolumeclaims: ({ object, old, context }) => {
    const claim = object as PersistentVolumeClaim
    const limited = !context.disabledAdmission.has('LimitRanger')
    const problem = limited ? joined(claimLimitProblems(context.store, claim)) : undefined
    if (problem !== undefined || old === undefined) return problem
    return resizeProblem(context.store, claim, old as PersistentVolumeClaim)
  },
  [requests]: certificateProblem,
  'jobs.batch': ({ object, old, context }) => {
    const { store, release, subresource, disabledAdmission: off } = context
    if (old === undefined || (subresource ?? '') !== '' || off.has('JobValidation')) return undefined
    const isActive = release.gates.has('GenericWorkload') || release.gates.has('WorkloadWithJob')
    return release.minor === '1.36' && isActive ? parallelismProblem(store, object as Job, old as Job) : undefined
  },
  'podgroups.scheduling.k8s.io': ({ object, old, context }) => {
    const { release, disabledAdmission: off } = context
    if (old !== undefined || release.minor !== '1.36' || off.has('PodGroupWorkloadExists')) return undefined
    return workloadProblem(context.store, object as PodGroup)
  },
  'priorityclasses.scheduling.k8s.io': ({ object, old, context }) => {
    if ((object as PriorityClass).globalDefault !== true || context.disabledAdmission.has('Priority')) return undefined
    const present = defaultClass(context.store)
    if (present === undefined || (old !== undefined && present.metadata.name === object.metadata.name)) return undefined
    return `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`
  },
})

export function mutate(admission: AdmissionRequest): KubeObject | Failure {
  const { kind, object, old, context } = admission
  // Plugins that run earlier may reject a new pod.
  const isNewPod = kind.resource === 'pods' && old === undefined && context.subresource === undefined
  const restricted = context.restrictsNodes === true && !isNewPod ? restriction(admission) : undefined
  if (restricted !== undefined) return restricted
  const mutation = context.subresource === undefined ? mutations[kind.resource] : undefined
  if (mutation === undefined) return object
  const result = mutation(admission)
  return typeof result === 'string' ? refuse(kind, object.metadata.name, result) : result
}

/** The plugin NodeRestriction. */
function restriction({ kind, object, old, context }: AdmissionRequest): Failure | undefined {
  const { caller, subresource = '', store, release, guard } = context
  const { name, namespace = '' } = (old ?? object).metadata
  const operation = old === undefined ? 'CREATE' : 'UPDATE'
  return nodeRestriction({ caller, kind, subresource, operation, name, namespace, object, old, store, release, guard })
}

const checkedSubresources: ReadonlySet<string | undefined> = new Set([undefined, 'resize', 'ephemeralcontainers'])

export function admissionRefusal(admission: AdmissionRequest): Failure | undefined {
  const { kind, object, context } = admission
  const check = checks[kind.resource]
  const isChecked = checkedSubresources.has(context.subresource) || kind.resource === requests
  if (check === undefined || !isChecked) return undefined
  const problem = check(admission)
  return typeof problem === 'string' ? refuse(kind, object.metadata.name, problem) : problem
}
