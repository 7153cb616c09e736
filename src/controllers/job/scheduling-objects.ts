import type { PatchCall } from '../../api/call.ts'
import { findCondition } from '../../api/conditions.ts'
import { createCall } from '../../api/object-calls.ts'
import type { PodGroup, PodGroupTemplate, Workload } from '../../api/objects/groups.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { controllerOf, controllerReference, isControlledBy } from '../../api/owner-references.ts'
import { addFnv1a, fnvOffset, safeText } from '../../api/template-hash/fnv.ts'
import type { PlannedCall } from '../pending-notes.ts'
import { isIndexed, jobKind } from './job-pod.ts'

/** The Workload and PodGroup of a Job (gate WorkloadWithJob), as the release defines them. */
export interface SchedulingInput {
  readonly job: Job
  readonly pods: readonly Pod[]
  /** The Workloads of the namespace. */
  readonly workloads: readonly Workload[]
  readonly podGroups: readonly PodGroup[]
  readonly minor: '1.36' | '1.37'
}

export type SchedulingDecision =
  /** The pods of the Job are in this group, or in no group. */
  | { readonly kind: 'ready'; readonly group: PodGroup | undefined }
  /** These calls come first. No pod is created before their outcome. */
  | { readonly kind: 'calls'; readonly planned: readonly PlannedCall[] }
  /** The Workload does not have the form that the controller gave it, so the Job waits. */
  | { readonly kind: 'refused' }

const noGroup: SchedulingDecision = { kind: 'ready', group: undefined }
const delegation = 'scheduling.k8s.io/group-template-name'

/** v1.36 and v1.37, job_scheduling_manager ensureWorkloadAndPodGroup. */
export function decideSchedulingObjects(input: SchedulingInput): SchedulingDecision {
  const { job, workloads, minor } = input
  if (job.spec?.template.spec?.schedulingGroup !== undefined) return noGroup
  if (minor === '1.36') return isGangCandidate(job) ? ownGroup(input, referring(workloads, job)) : noGroup
  const parent = controllerOf(job)
  if (parent === undefined) {
    const own = referring(workloads, job).filter((workload) => isControlledBy(workload, job))
    return ownGroup(input, own)
  }
  const template = job.metadata.annotations?.[delegation]
  return template === undefined ? noGroup : delegatedGroup(input, parent, template)
}

/** v1.36, job/util IsGangSchedulingCandidate. */
function isGangCandidate(job: Job): boolean {
  const { parallelism = 1, completions } = job.spec ?? {}
  return isIndexed(job) && parallelism > 1 && completions === parallelism
}

function referring(workloads: readonly Workload[], { metadata }: Job): readonly Workload[] {
  return workloads.filter(({ spec }) => {
    const { apiGroup, kind, name } = spec.controllerRef ?? {}
    return apiGroup === 'batch' && kind === jobKind.kind && name === metadata.name
  })
}

/**
 * A Job without a parent has its own Workload. If several Workloads exist, or if it has another owner, the Job has
 * none.
 */
function ownGroup(input: SchedulingInput, matched: readonly Workload[]): SchedulingDecision {
  const { job, podGroups, minor } = input
  const [workload] = matched
  if (workload === undefined) return isNew(input) ? { kind: 'calls', planned: [plannedWorkload(input)] } : noGroup
  if (matched.length > 1 || !isControlledBy(workload, job)) return noGroup
  const [template, ...others] = workload.spec.podGroupTemplates ?? []
  if (template === undefined || others.length > 0) return minor === '1.36' ? noGroup : { kind: 'refused' }
  const groups = groupsOf(workload, podGroups)
  const mine = minor === '1.36' ? groups : groups.filter((group) => isControlledBy(group, job))
  const [group] = mine
  if (group === undefined) {
    if (minor === '1.37' && !isNew(input)) return noGroup
    const owner = { apiVersion: versionOf(minor), kind: 'Workload', name: workload.metadata.name }
    const link: OwnerReference = { ...owner, uid: workload.metadata.uid ?? '' }
    return { kind: 'calls', planned: [plannedGroup(input, workload, template, [link])] }
  }
  if (mine.length > 1 || !isControlledBy(group, job)) return noGroup
  if (minor === '1.36') return { kind: 'ready', group }
  const planned = resized(gangSizeOf(templateOf(job)), workload, group)
  return planned.length > 0 ? { kind: 'calls', planned } : { kind: 'ready', group }
}

/** A parent owns the Workload, and the Job controller creates the PodGroup (v1.37, getOrCreateDelegatedPodGroup). */
function delegatedGroup(input: SchedulingInput, parent: OwnerReference, name: string): SchedulingDecision {
  const { job, workloads, podGroups } = input
  const group = parent.apiVersion.includes('/') ? parent.apiVersion.slice(0, parent.apiVersion.indexOf('/')) : ''
  const workload = workloads.find(({ spec: { controllerRef: of } }) => {
    return of !== undefined && (of.apiGroup ?? '') === group && of.kind === parent.kind && of.name === parent.name
  })
  const template = workload?.spec.podGroupTemplates?.find((one) => one.name === name)
  if (workload === undefined || template === undefined) return noGroup
  const own = groupsOf(workload, podGroups).find((one) => isControlledBy(one, job))
  if (own === undefined) {
    return isNew(input) ? { kind: 'calls', planned: [plannedGroup(input, workload, template, [])] } : noGroup
  }
  const planned = resizedGroup(gangSizeOf(template), own)
  return planned.length > 0 ? { kind: 'calls', planned } : { kind: 'ready', group: own }
}

/** Objects are created only for a Job that has never started (isNewJob). */
function isNew({ job: { status = {} }, pods }: SchedulingInput): boolean {
  if (pods.length > 0 || status.startTime !== undefined) return false
  if ((status.succeeded ?? 0) > 0 || (status.failed ?? 0) > 0) return false
  return findCondition(status.conditions, 'Suspended') === undefined
}

function groupsOf({ metadata }: Workload, podGroups: readonly PodGroup[]): readonly PodGroup[] {
  return podGroups.filter(({ spec }) => {
    const name = spec.workloadRef?.workloadName ?? spec.podGroupTemplateRef?.workload?.workloadName
    return name === metadata.name
  })
}

function versionOf(minor: SchedulingInput['minor']): string {
  return `scheduling.k8s.io/${minor === '1.36' ? 'v1alpha2' : 'v1beta1'}`
}

function plannedWorkload({ job, minor }: SchedulingInput): PlannedCall {
  const { namespace, name } = job.metadata
  const gang: PodGroupTemplate = {
    name: `${name}-pgt-0`,
    schedulingPolicy: { gang: { minCount: job.spec?.parallelism ?? 1 } },
  }
  const workload: Workload = {
    apiVersion: versionOf(minor),
    kind: 'Workload',
    metadata: {
      name: workloadName(job),
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [controllerReference(job, jobKind)],
    },
    spec: {
      controllerRef: { apiGroup: 'batch', kind: jobKind.kind, name },
      podGroupTemplates: [minor === '1.36' ? gang : templateOf(job)],
    },
  }
  return {
    call: createCall('workloads.scheduling.k8s.io', workload),
    onSuccess: (made) => note('Normal', 'WorkloadCreated', `Created Workload ${made} for Job ${name}`),
    ...(minor === '1.36'
      ? {}
      : {
          onFailure: (why) =>
            note('Warning', 'FailedWorkloadCreate', `Failed to create Workload for Job ${name}: ${why}`),
        }),
  }
}

/** The template of v1.37: `spec.scheduling` over the default, a group without a gang (workloadbuilder). */
function templateOf({ metadata, spec }: Job): PodGroupTemplate {
  const { schedulingPolicy, schedulingConstraints, disruptionMode, resourceClaims = [] } = spec?.scheduling ?? {}
  const minCount = schedulingPolicy?.gang?.minCount ?? Math.max(1, spec?.parallelism ?? 1)
  const priorityClassName = spec?.template.spec?.priorityClassName
  return {
    name: `${metadata.name}-pgt-0`,
    schedulingPolicy: schedulingPolicy?.gang === undefined ? { basic: {} } : { gang: { minCount } },
    ...((schedulingConstraints?.topology?.length ?? 0) === 0 ? {} : { schedulingConstraints }),
    ...(disruptionMode === undefined ? {} : { disruptionMode }),
    ...(resourceClaims.length === 0 ? {} : { resourceClaims }),
    ...(priorityClassName === undefined || priorityClassName === '' ? {} : { priorityClassName }),
  }
}

function plannedGroup(
  { job, minor }: SchedulingInput,
  workload: Workload,
  template: PodGroupTemplate,
  owners: readonly OwnerReference[],
): PlannedCall {
  const { namespace, name } = job.metadata
  const { name: templateName, ...rules } = template
  const workloadRef = { workloadName: workload.metadata.name, templateName }
  const podGroupTemplateRef = { workload: { workloadName: workload.metadata.name, podGroupTemplateName: templateName } }
  const group: PodGroup = {
    apiVersion: versionOf(minor),
    kind: 'PodGroup',
    metadata: {
      name: podGroupName(workload.metadata.name, templateName),
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [controllerReference(job, jobKind), ...owners],
    },
    spec: minor === '1.36' ? { podGroupTemplateRef, ...pickPolicy(template) } : { workloadRef, ...rules },
  }
  const call = createCall('podgroups.scheduling.k8s.io', group)
  if (minor === '1.36') return { call }
  return { call, onSuccess: (made) => note('Normal', 'PodGroupCreated', `Created PodGroup ${made} for Job ${name}`) }
}

function pickPolicy({ schedulingPolicy }: PodGroupTemplate): Pick<PodGroup['spec'], 'schedulingPolicy'> {
  return schedulingPolicy === undefined ? {} : { schedulingPolicy }
}

const gangSizeOf = ({ schedulingPolicy }: PodGroupTemplate): number | undefined => schedulingPolicy?.gang?.minCount

/** The size of a gang may change while it runs (v1.37, syncGangMinCount). */
function resized(minCount: number | undefined, workload: Workload, group: PodGroup): readonly PlannedCall[] {
  const [template] = workload.spec.podGroupTemplates ?? []
  const current = template === undefined ? undefined : gangSizeOf(template)
  if (minCount === undefined) return []
  const outdated = current !== undefined && current !== minCount
  // The patch replaces the list as a whole.
  const podGroupTemplates = [{ ...template, schedulingPolicy: { gang: { minCount } } }]
  return [
    ...(outdated ? [{ call: patchOf('workloads.scheduling.k8s.io', workload, { podGroupTemplates }) }] : []),
    ...resizedGroup(minCount, group),
  ]
}

function resizedGroup(minCount: number | undefined, group: PodGroup): readonly PlannedCall[] {
  const current = group.spec.schedulingPolicy?.gang?.minCount
  if (minCount === undefined || current === undefined || current === minCount) return []
  return [{ call: patchOf('podgroups.scheduling.k8s.io', group, { schedulingPolicy: { gang: { minCount } } }) }]
}

function patchOf(resource: string, { metadata }: Workload | PodGroup, spec: object): PatchCall {
  const { namespace, name } = metadata
  return {
    verb: 'patch',
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    patch: { kind: 'strategic', patch: { spec } as never },
  }
}

function note(type: 'Normal' | 'Warning', reason: string, message: string) {
  return { type, reason, message }
}

const encoder = new TextEncoder()
const longest = 253

/** The name contains a hash of the uid, in the form in which Go prints its type and value (computeWorkloadName). */
export function workloadName({ metadata }: Job): string {
  const hash = safeText(addFnv1a(fnvOffset, encoder.encode(`(types.UID)${metadata.uid ?? ''}`)))
  return `${metadata.name.slice(0, longest - hash.length - 1)}-${hash}`
}

/** Both parts get half of the available length, or the length that the other part leaves (computePodGroupName). */
export function podGroupName(workload: string, template: string): string {
  const hash = safeText(addFnv1a(fnvOffset, encoder.encode(workload + template)))
  const room = longest - hash.length - 2
  const half = Math.floor(room / 2)
  const isLong = workload.length + template.length > room
  const first = isLong ? workload.slice(0, template.length <= half ? room - template.length : room - half) : workload
  const second = isLong ? template.slice(0, workload.length <= half ? room - workload.length : half) : template
  return `${first}-${second}-${hash}`
}
