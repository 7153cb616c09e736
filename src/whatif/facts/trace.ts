import { findCondition } from '../../api/conditions.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { formatTaint } from '../../api/taints.ts'
import { labels } from '../../api/well-known.ts'
import { groupLabel } from '../../autoscalers/cluster-autoscaler/node-group.ts'
import { deletionCandidate, toBeDeletedTaint } from '../../autoscalers/cluster-autoscaler/taints.ts'
import type { Change } from '../../runtime/controller.ts'
import type { Fact, FactKind } from './fact.ts'

/** Derives facts from changes of nodes and pods. Changes of other kinds give no facts. */
export class FactWriter {
  private readonly write: (fact: Fact, change: Change) => void
  private change: Change | undefined
  private atMs = 0
  private by: string | undefined
  /** Nodes that an autoscaler created during the run, with the names that represent them. */
  private readonly made = new Map<string, string>()

  constructor(write: (fact: Fact, change: Change) => void) {
    this.write = write
  }

  take(change: Change, atMs: number, by: string | undefined): void {
    this.change = change
    this.atMs = atMs
    this.by = by
    if (change.resource === 'pods') notePod(change.before, change.after, this)
    else if (change.resource === 'nodes') {
      const { before, after, key } = change
      const group = before === undefined && after !== undefined ? nodeGroupOf(after) : undefined
      if (group !== undefined) this.made.set(key, group)
      noteNode(before, after, this)
    }
  }

  note(what: FactKind, detail?: unknown): void {
    const { atMs, by } = this
    const change = this.change as Change
    const { resource, key } = change
    const object = change.after ?? change.before
    const uid = object?.metadata.uid ?? ''
    const about = resource === 'pods' ? 'Pod' : 'Node'
    const group = about === 'Pod' ? groupOf(object as Pod) : this.made.get(key)
    // The most frequent case: a controller changes a pod of a workload.
    if (group !== undefined && detail !== undefined && by !== undefined) {
      this.write({ atMs, what, about, key, uid, group, detail, by }, change)
      return
    }
    const fact: Fact = {
      atMs,
      what,
      about,
      key,
      uid,
      ...(group === undefined ? {} : { group }),
      ...(detail === undefined ? {} : { detail }),
      ...(by === undefined ? {} : { by }),
    }
    this.write(fact, change)
  }
}

type Notes = Pick<FactWriter, 'note'>

/** `APP-*` for pods with an owner. */
export function groupOf(pod: Pod): string | undefined {
  const owner = controllerOf(pod) ?? pod.metadata.ownerReferences?.[0]
  return owner === undefined ? undefined : `${pod.metadata.labels?.['app'] ?? owner.name}-*`
}

/** `GROUP-*` for nodes that an autoscaler created. */
function nodeGroupOf(node: Node): string | undefined {
  const group = node.metadata.labels?.[groupLabel] ?? node.metadata.labels?.['karpenter.sh/nodepool']
  return group === undefined ? undefined : `${group}-*`
}

/** The instance type, zone and capacity type of a node of an autoscaler, if it has such labels. */
function shapeOf(node: Node | undefined): string | undefined {
  if (node === undefined || nodeGroupOf(node) === undefined) return undefined
  const keys = [labels.instanceType, labels.zone, 'karpenter.sh/capacity-type']
  return keys.flatMap((key) => node.metadata.labels?.[key] ?? []).join(' ')
}

function noteNode(before: Node | undefined, after: Node | undefined, notes: Notes): void {
  if (after === undefined) {
    notes.note('deleted', shapeOf(before))
    return
  }
  if (before === undefined) notes.note('created', shapeOf(after))
  noteTaints(before?.spec?.taints ?? [], after.spec?.taints ?? [], notes)
  const wasCordoned = before?.spec?.unschedulable === true
  const isCordoned = after.spec?.unschedulable === true
  if (wasCordoned !== isCordoned) notes.note(isCordoned ? 'cordoned' : 'uncordoned')
  const ready = findCondition(after.status?.conditions, 'Ready')?.status
  if (ready !== undefined && ready !== findCondition(before?.status?.conditions, 'Ready')?.status)
    notes.note('ready', ready)
  const block = after.spec?.podCIDR
  if (block !== undefined && block !== '' && block !== before?.spec?.podCIDR) notes.note('podCIDR', block)
}

/** The value of the autoscaler's taints is the time at which they were added. */
function taintText(taint: Taint): string {
  if (taint.key !== toBeDeletedTaint && taint.key !== deletionCandidate) return formatTaint(taint)
  return formatTaint({ key: taint.key, effect: taint.effect })
}

function noteTaints(before: readonly Taint[], after: readonly Taint[], notes: Notes): void {
  if (before === after) return
  const old = before.map(taintText)
  const young = after.map(taintText)
  for (const taint of young) if (!old.includes(taint)) notes.note('tainted', taint)
  for (const taint of old) if (!young.includes(taint)) notes.note('untainted', taint)
}

function notePod(before: Pod | undefined, after: Pod | undefined, notes: Notes): void {
  if (after === undefined) {
    notes.note('gone', nodeOf(before))
    return
  }
  if (before === undefined) notes.note('created')
  const node = nodeOf(after)
  if (node !== undefined && node !== nodeOf(before)) notes.note('bound', node)
  if (after.status !== before?.status) notePodStatus(before, after, node, notes)
  const isMarked = after.metadata.deletionTimestamp !== undefined
  if (isMarked && before?.metadata.deletionTimestamp === undefined) notes.note('terminating', node)
}

function notePodStatus(before: Pod | undefined, after: Pod, node: string | undefined, notes: Notes): void {
  const old = before?.status
  const young = after.status
  const were = old?.conditions
  let scheduled: PodCondition | undefined
  let disruption: PodCondition | undefined
  let ready: PodCondition | undefined
  let at = 0
  for (const condition of young?.conditions ?? []) {
    // Unchanged items are usually the same object at the same index.
    if (condition === were?.[at++]) continue
    if (condition.type === 'PodScheduled') scheduled = condition
    else if (condition.type === 'DisruptionTarget') disruption = condition
    else if (condition.type === 'Ready') ready = condition
  }
  if (scheduled?.status === 'False') {
    const same = findCondition(were, 'PodScheduled')
    const isNew = same?.status !== 'False' || same.reason !== scheduled.reason || same.message !== scheduled.message
    if (isNew) notes.note(scheduled.reason === 'SchedulingGated' ? 'gated' : 'unschedulable', scheduled.message)
  }
  const nominated = young?.nominatedNodeName
  if (nominated !== undefined && nominated !== '' && nominated !== old?.nominatedNodeName)
    notes.note('nominated', nominated)
  if (disruption?.status === 'True' && findCondition(were, 'DisruptionTarget')?.status !== 'True') {
    notes.note('disruption', disruption.reason)
  }
  if (ready !== undefined) {
    const wasReady = findCondition(were, 'Ready')?.status
    if (ready.status === 'False' && wasReady === 'True') notes.note('notReady', node)
    if (ready.status === 'True' && wasReady === 'False') notes.note('recovered', node)
  }
  if (young?.phase === old?.phase) return
  if (young?.phase === 'Running') notes.note('started', node)
  if (young?.phase === 'Succeeded' || young?.phase === 'Failed') notes.note('ended', young.phase)
}

function nodeOf(pod: Pod | undefined): string | undefined {
  const name = pod?.spec.nodeName
  return name === '' ? undefined : name
}
