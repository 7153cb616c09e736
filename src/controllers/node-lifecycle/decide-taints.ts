import type { StringMap } from '../../api/objects/meta.ts'
import type { Node, NodeCondition, Taint } from '../../api/objects/node.ts'
import { diffTaints, hasTaint, withoutTaint, withTaint } from '../../api/taints.ts'
import { formatTime } from '../../api/time.ts'
import { labels, taintKeys } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { lookupTable } from '../../base/lookup-table.ts'

export const unreachable: Taint = { key: taintKeys.unreachable, effect: 'NoExecute' }
export const notReady: Taint = { key: taintKeys.notReady, effect: 'NoExecute' }

/** The taint for each status of a condition (v1.36, nodeConditionToTaintKeyStatusMap). */
export const conditionTaints = lookupTable<Readonly<Partial<Record<NodeCondition['status'], string>>>>({
  Ready: { False: taintKeys.notReady, Unknown: taintKeys.unreachable },
  MemoryPressure: { True: taintKeys.memoryPressure },
  DiskPressure: { True: taintKeys.diskPressure },
  NetworkUnavailable: { True: taintKeys.networkUnavailable },
  PIDPressure: { True: taintKeys.pidPressure },
})

const ownNoScheduleKeys: ReadonlySet<string> = new Set([
  taintKeys.unschedulable,
  ...Object.values(conditionTaints).flatMap((byStatus) => Object.values(byStatus)),
])

/** Taints to add to a node and to remove from it. */
export interface TaintChange {
  readonly add: readonly Taint[]
  readonly remove: readonly Taint[]
}

/** Derives the NoSchedule taints from the conditions and `unschedulable` (v1.36, doNoScheduleTaintingPass). */
export function decideNoScheduleTaints(node: Node): TaintChange | undefined {
  const wanted: Taint[] = []
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = Object.hasOwn(conditionTaints, type) ? conditionTaints[type]?.[status] : undefined
    if (key !== undefined) wanted.push({ key, effect: 'NoSchedule' })
  }
  if (node.spec?.unschedulable === true) wanted.push({ key: taintKeys.unschedulable, effect: 'NoSchedule' })
  const present = node.spec?.taints?.filter(
    (taint) => taint.effect === 'NoSchedule' && ownNoScheduleKeys.has(taint.key),
  )
  if (wanted.length === 0 && (present === undefined || present.length === 0)) return undefined
  const { added, removed } = diffTaints(present, wanted)
  return added.length === 0 && removed.length === 0 ? undefined : { add: added, remove: removed }
}

/** The NoExecute taint for the status of the Ready condition, and the one that it replaces. */
export function noExecuteFor(
  status: NodeCondition['status'],
): { readonly add: Taint; readonly remove: Taint } | undefined {
  switch (status) {
    case 'False':
      return { add: notReady, remove: unreachable }
    case 'Unknown':
      return { add: unreachable, remove: notReady }
    case 'True':
      return undefined
  }
}

/**
 * The taints after a change; added ones get `now` as timeAdded. Returns the same list if nothing changes. A taint that exists
 * already gets the new time unless `keepTimes`.
 */
export function applyTaintChange(
  taints: readonly Taint[] | undefined,
  { add, remove }: TaintChange,
  now: number,
  { keepTimes }: { readonly keepTimes: boolean },
): readonly Taint[] {
  const timeAdded = formatTime(now)
  let after = taints ?? []
  for (const taint of add) {
    if (keepTimes && hasTaint(after, taint)) continue
    after = withTaint(after, extended(taint, { timeAdded }))
  }
  for (const taint of remove) after = withoutTaint(after, taint)
  return after
}

const reconciledLabels = [
  { primary: labels.os, secondary: labels.betaOs },
  { primary: labels.arch, secondary: labels.betaArch },
]

/** Keeps the deprecated labels equal to those that replace them (v1.36, reconcileNodeLabels). */
export function decideLabels(node: Node): StringMap | undefined {
  const given = node.metadata.labels
  if (given === undefined) return undefined
  let changed: Record<string, string> | undefined
  for (const { primary, secondary } of reconciledLabels) {
    const value = given[primary]
    if (value === undefined || given[secondary] === value) continue
    changed = { ...changed, [secondary]: value }
  }
  return changed
}
