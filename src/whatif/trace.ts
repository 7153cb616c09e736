import { findCondition } from '../api/conditions.ts'
import type { Node, Taint } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { Change } from '../runtime/controller.ts'
import type { Fact, FactKind } from './fact.ts'
import { formatTaint } from './taint-text.ts'

type Note = (what: FactKind, detail?: unknown) => void

/** What a change of a node or pod says, in the words of a trace. Changes of other kinds say nothing. */
export function factsOf(change: Change, atMs: number, by: string | undefined): readonly Fact[] {
  if (change.resource !== 'pods' && change.resource !== 'nodes') return NONE
  const facts: Fact[] = []
  const object = change.after ?? change.before
  const about = change.resource === 'pods' ? 'Pod' : 'Node'
  const group = about === 'Pod' ? groupOf(object as Pod) : undefined
  const note: Note = (what, detail) => {
    facts.push({
      atMs,
      what,
      about,
      key: change.key,
      uid: object?.metadata.uid ?? '',
      ...(group === undefined ? {} : { group }),
      ...(detail === undefined ? {} : { detail }),
      ...(by === undefined ? {} : { by }),
    })
  }
  if (change.resource === 'pods') notePod(change.before, change.after, note)
  else noteNode(change.before, change.after, note)
  return facts
}

const NONE: readonly Fact[] = []

/** `APP-*` for pods with an owner. */
export function groupOf(pod: Pod): string | undefined {
  const owner = controllerOf(pod) ?? pod.metadata.ownerReferences?.[0]
  return owner === undefined ? undefined : `${pod.metadata.labels?.['app'] ?? owner.name}-*`
}

function noteNode(before: Node | undefined, after: Node | undefined, note: Note): void {
  if (after === undefined) {
    note('deleted')
    return
  }
  if (before === undefined) note('created')
  noteTaints(before?.spec?.taints ?? [], after.spec?.taints ?? [], note)
  const wasCordoned = before?.spec?.unschedulable === true
  const isCordoned = after.spec?.unschedulable === true
  if (wasCordoned !== isCordoned) note(isCordoned ? 'cordoned' : 'uncordoned')
  const ready = findCondition(after.status?.conditions, 'Ready')?.status
  if (ready !== undefined && ready !== findCondition(before?.status?.conditions, 'Ready')?.status) note('ready', ready)
  const block = after.spec?.podCIDR
  if (block !== undefined && block !== '' && block !== before?.spec?.podCIDR) note('podCIDR', block)
}

function noteTaints(before: readonly Taint[], after: readonly Taint[], note: Note): void {
  if (before === after) return
  const old = before.map(formatTaint)
  const young = after.map(formatTaint)
  for (const taint of young) if (!old.includes(taint)) note('tainted', taint)
  for (const taint of old) if (!young.includes(taint)) note('untainted', taint)
}

function notePod(before: Pod | undefined, after: Pod | undefined, note: Note): void {
  if (after === undefined) {
    note('gone', nodeOf(before))
    return
  }
  if (before === undefined) note('created')
  const node = nodeOf(after)
  if (node !== undefined && node !== nodeOf(before)) note('bound', node)
  if (after.status !== before?.status) notePodStatus(before, after, node, note)
  const isMarked = after.metadata.deletionTimestamp !== undefined
  if (isMarked && before?.metadata.deletionTimestamp === undefined) note('terminating', node)
}

function notePodStatus(before: Pod | undefined, after: Pod, node: string | undefined, note: Note): void {
  const old = before?.status
  const young = after.status
  const scheduled = findCondition(young?.conditions, 'PodScheduled')
  if (scheduled?.status === 'False') {
    const same = findCondition(old?.conditions, 'PodScheduled')
    const isNew = same?.status !== 'False' || same.reason !== scheduled.reason || same.message !== scheduled.message
    if (isNew) note(scheduled.reason === 'SchedulingGated' ? 'gated' : 'unschedulable', scheduled.message)
  }
  const nominated = young?.nominatedNodeName
  if (nominated !== undefined && nominated !== '' && nominated !== old?.nominatedNodeName) note('nominated', nominated)
  const disruption = findCondition(young?.conditions, 'DisruptionTarget')
  if (disruption?.status === 'True' && findCondition(old?.conditions, 'DisruptionTarget')?.status !== 'True') {
    note('disruption', disruption.reason)
  }
  const isReady = findCondition(young?.conditions, 'Ready')?.status
  const wasReady = findCondition(old?.conditions, 'Ready')?.status
  if (isReady === 'False' && wasReady === 'True') note('notReady', node)
  if (isReady === 'True' && wasReady === 'False') note('recovered', node)
  if (young?.phase === old?.phase) return
  if (young?.phase === 'Running') note('started', node)
  if (young?.phase === 'Succeeded' || young?.phase === 'Failed') note('ended', young.phase)
}

function nodeOf(pod: Pod | undefined): string | undefined {
  const name = pod?.spec.nodeName
  return name === '' ? undefined : name
}
