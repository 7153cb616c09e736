import { objectKey } from '../../api/object-key.ts'
import type { PodGroup, Workload } from '../../api/objects/groups.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Store } from '../../store/contract.ts'
import { priorityOf } from './pod-priority.ts'

/** The finalizer that keeps a group until all of its pods are deleted (v1.36, PodGroupProtection). */
const groupFinalizer = 'scheduling.k8s.io/podgroup-protection'

export function withGroupProtection(group: PodGroup): PodGroup {
  const own = group.metadata.finalizers ?? []
  if (own.includes(groupFinalizer)) return group
  return { ...group, metadata: { ...group.metadata, finalizers: [...own, groupFinalizer] } }
}

/**
 * The priority of a new group comes from its class (v1.36, priority admitPodGroup). A string is the reason of a
 * rejection.
 */
export function withGroupPriority(
  store: Store,
  group: PodGroup,
  { minor, gates }: KubernetesRelease,
): PodGroup | string {
  if (!gates.has(minor === '1.36' ? 'WorkloadAwarePreemption' : 'GenericWorkload')) return group
  const found = priorityOf(store, group.spec.priorityClassName ?? '')
  if (typeof found === 'string') return found
  const { className, value, policy } = found
  const { priority, preemptionPolicy } = group.spec
  const what = group.kind === 'CompositePodGroup' ? 'composite pod group' : 'pod group'
  if (priority !== undefined && priority !== value) {
    return `priority set in the ${what} (${priority}) must match the priority computed (${value}) based on the priority class set in the spec`
  }
  const own = gates.has('PodGroupPreemptionPolicy') && policy !== undefined ? { preemptionPolicy: policy } : {}
  if (own.preemptionPolicy !== undefined && preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    return `the string value of PreemptionPolicy (${preemptionPolicy}) must not be provided in ${what} spec; priority admission controller computed ${policy} from the given PriorityClass name`
  }
  return {
    ...group,
    spec: { ...group.spec, priority: value, ...(className === '' ? {} : { priorityClassName: className }), ...own },
  }
}

/**
 * Why the Workload that a new group references does not allow the group (v1.36, PodGroupWorkloadExists; v1.37 has no
 * such plugin).
 */
export function workloadProblem(store: Store, { metadata, spec }: PodGroup): string | undefined {
  const { podGroupTemplateRef, workloadRef } = spec
  const reference = podGroupTemplateRef?.workload ?? workloadRef
  if (reference === undefined) return undefined
  const name = JSON.stringify(reference.workloadName)
  const key = objectKey(metadata.namespace, reference.workloadName)
  const workload = store.get('workloads.scheduling.k8s.io', key) as Workload | undefined
  if (workload === undefined) return `PodGroup rejected: Workload ${name} not found`
  if (workload.metadata.deletionTimestamp !== undefined) return `PodGroup rejected: Workload ${name} is being deleted`
  const template = 'podGroupTemplateName' in reference ? reference.podGroupTemplateName : reference.templateName
  const isFound = (workload.spec.podGroupTemplates ?? []).some((one) => one.name === template)
  return isFound
    ? undefined
    : `PodGroup rejected: PodGroupTemplate ${JSON.stringify(template)} not found in Workload ${name}`
}

/** Why the parallelism of a Job may not change: the size of its gang is fixed (v1.36, JobValidation). */
export function parallelismProblem(store: Store, job: Job, old: Job): string | undefined {
  if (job.spec?.parallelism === old.spec?.parallelism) return undefined
  const { namespace } = old.metadata
  const named = old.spec?.template.spec?.schedulingGroup?.podGroupName
  const groups = 'podgroups.scheduling.k8s.io'
  const candidates =
    named === undefined
      ? (store.list(groups) as readonly PodGroup[]).filter(
          (group) => group.metadata.namespace === namespace && isControlledBy(group, old),
        )
      : [store.get(groups, objectKey(namespace, named)) as PodGroup | undefined]
  const gang = candidates.find((group) => group?.spec.schedulingPolicy?.gang !== undefined)
  if (gang === undefined) return undefined
  return `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${JSON.stringify(gang.metadata.name)}`
}
