import { isPodTerminal } from '../../api/conditions.ts'
import { objectKey } from '../../api/object-key.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/objects/devices.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod, PodResourceClaim } from '../../api/objects/pod.ts'
import {
  claimNameOf,
  claimNameOfGroup,
  consumerOf,
  foreignToGroup,
  foreignToPod,
  groupNameOf,
  isGroupReference,
  isReservedForPod,
  podClaimAnnotation,
} from '../../api/pod-claims.ts'
import { type ClaimOwner, generatedClaim, templateProblem } from './generated-claim.ts'

/** The facts about the cluster that the decisions read. */
export interface ClaimWorld {
  claim(key: string): ResourceClaim | undefined
  template(key: string): ResourceClaimTemplate | undefined
  /** The group with this key; undefined if the gate DRAWorkloadResourceClaims is disabled. */
  group(key: string): PodGroup | undefined
  /** The claims whose controlling owner has this uid, and those that were recently created for it. */
  claimsOwnedBy(uid: string): readonly ResourceClaim[]
  readonly gates: ClaimGates
}

export interface ClaimGates {
  readonly adminAccess: boolean
  readonly prioritizedList: boolean
  readonly workloadClaims: boolean
  /** The foreground deletion of a pod waits for its claims (v1.34). */
  readonly blocksOwner: boolean
  /** The search for work of a pod ends at the first claim that must wait (up to v1.35). */
  readonly endsAtFirstClaim: boolean
  /** A new template does not retry the pods that wait for it (up to v1.35): they are retried with backoff. */
  readonly ignoresTemplates: boolean
  /** A reservation for anything but a pod or group is an error (up to v1.35), not kept. */
  readonly refusesOtherConsumers: boolean
}

/** The next step for a pod or a group. */
export type ClaimStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'create'; readonly entry: string; readonly claim: ResourceClaim }
  /** `entry`: the entry of the spec that an event names. */
  | { readonly kind: 'fail'; readonly entry?: string; readonly message: string }
  | {
      readonly kind: 'record'
      readonly statuses: readonly { readonly name: string; readonly resourceClaimName: string }[]
    }
  | { readonly kind: 'reserve'; readonly claim: ResourceClaim }

const nothing: ClaimStep = { kind: 'nothing' }

/** Reports whether a pod releases its claims: it was deleted, has ended, or will never start. */
export function releasesClaims(pod: Pod, isDeleted: boolean): boolean {
  return isDeleted || isPodDone(pod)
}

/** No container of the pod runs or will run (v1.36, isPodDone). */
export function isPodDone(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true
  return pod.metadata.deletionTimestamp !== undefined && (pod.spec.nodeName ?? '') === ''
}

/** v1.36, podNeedsWork. */
export function podNeedsWork(pod: Pod, world: ClaimWorld): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  for (const entry of pod.spec.resourceClaims ?? []) {
    const work = workOf(pod, entry, world)
    if (work === 'some') return true
    if (work === 'blocked' && world.gates.endsAtFirstClaim) return false
  }
  return false
}

/** `blocked`: the claim must wait until something else changes. */
function workOf(pod: Pod, entry: PodResourceClaim, world: ClaimWorld): 'some' | 'none' | 'blocked' {
  const named = claimNameOf(pod, entry)
  if (named.kind === 'unneeded') return 'blocked'
  if (named.kind !== 'named') return 'some'
  const claim = world.claim(objectKey(pod.metadata.namespace, named.name))
  if (claim === undefined) {
    if (entry.resourceClaimTemplateName === undefined) return 'blocked'
    const group = groupOf(pod, world)
    return group === 'missing' || !isGroupReference(consumerOf(pod, group, entry)) ? 'some' : 'blocked'
  }
  const { workloadClaims } = world.gates
  if (named.isGenerated && foreignToPod(pod, claim, workloadClaims) !== undefined) return 'blocked'
  return (pod.spec.nodeName ?? '') !== '' && mustReserve(pod, claim, workloadClaims) ? 'some' : 'none'
}

function mustReserve(pod: Pod, claim: ResourceClaim, workloadClaims: boolean): boolean {
  return claim.status?.allocation !== undefined && !isReservedForPod(pod, claim, workloadClaims)
}

function groupOf(pod: Pod, world: ClaimWorld): PodGroup | undefined | 'missing' {
  const name = groupNameOf(pod)
  if (!world.gates.workloadClaims || name === undefined) return undefined
  return world.group(objectKey(pod.metadata.namespace, name)) ?? 'missing'
}

/**
 * v1.36, syncPod: claims from templates first, then their names in the status, then reservations of a pod on a node.
 * `isRecorded`: the names were just written.
 */
export function decidePod(pod: Pod, world: ClaimWorld, isRecorded = false): ClaimStep {
  if (pod.metadata.deletionTimestamp !== undefined) return nothing
  const group = groupOf(pod, world)
  if (group === 'missing') return { kind: 'fail', message: `podgroup "${groupNameOf(pod)}" not found` }
  const found = new Map<string, string>()
  for (const entry of pod.spec.resourceClaims ?? []) {
    const step = decideEntry(pod, group, entry, world)
    if (typeof step !== 'string') {
      if (step.kind !== 'nothing') return step
    } else found.set(entry.name, step)
  }
  if (found.size > 0 && !isRecorded)
    return recordOf(found, pod.spec.resourceClaims ?? [], pod.status?.resourceClaimStatuses ?? [])
  return (pod.spec.nodeName ?? '') === '' ? nothing : decideReservation(pod, group, world)
}

/**
 * The names of the new claims, and of those that were recorded before, as in v1.37. A server-side apply removes fields
 * that its manager no longer sets. Therefore, v1.36 repeatedly adds and removes the others.
 */
function recordOf(
  found: ReadonlyMap<string, string>,
  entries: readonly PodResourceClaim[],
  recorded: readonly { readonly name: string; readonly resourceClaimName?: string }[],
): ClaimStep {
  const statuses = entries.flatMap(({ name, resourceClaimTemplateName }) => {
    const before = recorded.find((status) => status.name === name)?.resourceClaimName
    const resourceClaimName = found.get(name) ?? (resourceClaimTemplateName === undefined ? undefined : before)
    return resourceClaimName === undefined ? [] : [{ name, resourceClaimName }]
  })
  return { kind: 'record', statuses: statuses.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** v1.36, handleClaim. A text is the name of a claim that the status of the pod does not have. */
function decideEntry(
  pod: Pod,
  group: PodGroup | undefined,
  entry: PodResourceClaim,
  world: ClaimWorld,
): ClaimStep | string {
  const { namespace, uid = '' } = pod.metadata
  const named = claimNameOf(pod, entry)
  if (named.kind === 'unneeded') return nothing
  if (named.kind === 'unsupported')
    return { kind: 'fail', entry: entry.name, message: `checking for claim before creating it: ${named.message}` }
  if (named.kind === 'named') {
    const claim = world.claim(objectKey(namespace, named.name))
    const isGood =
      claim !== undefined && (!named.isGenerated || foreignToPod(pod, claim, world.gates.workloadClaims) === undefined)
    if (isGood) return nothing
  }
  if (entry.resourceClaimTemplateName === undefined) return nothing
  if (group !== undefined && isGroupReference(consumerOf(pod, group, entry))) {
    return claimFor(group.metadata.uid ?? '', entry.name, world) ?? nothing
  }
  const owner = { metadata: pod.metadata, apiVersion: 'v1', kind: 'Pod' }
  return claimFor(uid, entry.name, world) ?? fromTemplate(owner, entry, world)
}

/** The claim that was created for this entry, whose name is not recorded yet. */
function claimFor(uid: string, entry: string, world: ClaimWorld): string | undefined {
  return world.claimsOwnedBy(uid).find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === entry)?.metadata
    .name
}

function fromTemplate(owner: ClaimOwner, entry: PodResourceClaim, world: ClaimWorld): ClaimStep {
  const name = entry.resourceClaimTemplateName ?? ''
  const template = world.template(objectKey(owner.metadata.namespace, name))
  const problem =
    template === undefined
      ? `resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`
      : templateProblem(template, world.gates)
  if (template === undefined || problem !== undefined)
    return { kind: 'fail', entry: entry.name, message: problem ?? '' }
  return {
    kind: 'create',
    entry: entry.name,
    claim: generatedClaim(owner, entry.name, template, world.gates.blocksOwner),
  }
}

/**
 * The scheduler reserves the claims of the pods that it binds. Pods that were bound in another way have no
 * reservations.
 */
function decideReservation(pod: Pod, group: PodGroup | undefined, world: ClaimWorld): ClaimStep {
  for (const entry of pod.spec.resourceClaims ?? []) {
    const named = claimNameOf(pod, entry)
    if (named.kind === 'unneeded') continue
    if (named.kind !== 'named') return { kind: 'fail', message: named.message }
    const claim = world.claim(objectKey(pod.metadata.namespace, named.name))
    if (claim === undefined) return nothing
    const foreign = named.isGenerated ? foreignToPod(pod, claim, world.gates.workloadClaims) : undefined
    if (foreign !== undefined) return { kind: 'fail', message: foreign }
    if (!mustReserve(pod, claim, world.gates.workloadClaims)) continue
    const reservedFor = [...(claim.status?.reservedFor ?? []), consumerOf(pod, group, entry)]
    return { kind: 'reserve', claim: { ...claim, status: { ...claim.status, reservedFor } } }
  }
  return nothing
}

/** v1.36, podGroupNeedsWork. */
export function groupNeedsWork(group: PodGroup, world: ClaimWorld): boolean {
  if (group.metadata.deletionTimestamp !== undefined) return false
  return (group.spec.resourceClaims ?? []).some((entry) => {
    const named = claimNameOfGroup(group, entry)
    if (named.kind === 'unneeded') return false
    if (named.kind !== 'named') return true
    const claim = world.claim(objectKey(group.metadata.namespace, named.name))
    return claim === undefined && entry.resourceClaimTemplateName !== undefined
  })
}

/** v1.36, syncPodGroup. */
export function decideGroup(group: PodGroup, world: ClaimWorld, apiVersion: string, isRecorded = false): ClaimStep {
  if (group.metadata.deletionTimestamp !== undefined) return nothing
  const { namespace, uid = '' } = group.metadata
  const found = new Map<string, string>()
  for (const entry of group.spec.resourceClaims ?? []) {
    const named = claimNameOfGroup(group, entry)
    if (named.kind === 'unneeded') continue
    if (named.kind === 'unsupported')
      return { kind: 'fail', entry: entry.name, message: `checking for claim before creating it: ${named.message}` }
    const claim = named.kind === 'named' ? world.claim(objectKey(namespace, named.name)) : undefined
    const isForeign = named.kind === 'named' && named.isGenerated && claim !== undefined
    if (claim !== undefined && !(isForeign && foreignToGroup(group, claim) !== undefined)) continue
    if (entry.resourceClaimTemplateName === undefined) continue
    const present = claimFor(uid, entry.name, world)
    if (present === undefined)
      return fromTemplate({ metadata: group.metadata, apiVersion, kind: 'PodGroup' }, entry, world)
    found.set(entry.name, present)
  }
  if (found.size === 0 || isRecorded) return nothing
  return recordOf(found, group.spec.resourceClaims ?? [], group.status?.resourceClaimStatuses ?? [])
}
