import type { ResourceClaim } from '../../../api/objects/devices.ts'
import { encodeJson } from '../../../base/exact-json.ts'
import type { ColumnSources, PluginColumn, PluginColumns, RowClass } from '../../columns/plugin-columns.ts'
import type { NodeState, ParsedPod } from '../../contract/contract.ts'
import { higherIsBetter } from '../../framework/normalize.ts'
import { hasBindingConditions } from './binding-conditions.ts'
import { answerFor, type ClaimState, type DeviceSettings, needsDevices, readClaims } from './claim-state.ts'
import { usesDeviceClasses } from './extended-resources.ts'
import type { KeptAllocations } from './kept-allocations.ts'
import { podClaims } from './pod-claims.ts'
import { hasAlternatives, scoreOf } from './prioritized-lists.ts'

/**
 * Pods whose claims have equal specs share a column: devices are found once per node, and again only after a change of
 * the node or of its devices. Pods that PreFilter rejects are evaluated one by one.
 */
export function dynamicResourcesColumns(settings: DeviceSettings, kept: KeptAllocations): PluginColumns {
  return {
    keyOf(pod, { devices }) {
      if (!needsDevices(pod, devices, settings.features)) return ''
      const claims = podClaims(pod.pod, (key) => devices.ledger.get(key), settings.features.workloadClaims)
      if ('problem' in claims) return 'plain'
      let key = ''
      for (const claim of claims) key += claimKey(claim, devices, kept)
      if (settings.features.extendedResources && usesDeviceClasses(pod, devices.catalog)) {
        if (devices.ledger.extendedClaimOf(pod.uid) !== undefined) return 'plain'
        key += 'x'
      }
      return key
    },
    // Devices change with assumed pods too.
    filterKeyOf: (pod, { devices }) => (needsDevices(pod, devices, settings.features) ? undefined : ''),
    open(pod, sources) {
      const { devices } = sources
      if (!needsDevices(pod, devices, settings.features)) return undefined
      const state = readClaims(pod, sources, settings)
      if ('code' in state) return state.code === 'Skip' ? undefined : 'plain'
      if (state.claims.some(hasBindingConditions) || state.shared.some((one) => one !== undefined)) return 'plain'
      return openColumn(pod, state, sources, settings, kept)
    },
  }
}

function openColumn(
  pod: ParsedPod,
  state: ClaimState,
  { table, statuses, devices }: ColumnSources,
  settings: DeviceSettings,
  kept: KeptAllocations,
): PluginColumn {
  const { classesVersion } = devices.catalog
  let seen = devices.sharedRevision
  const scores: number[] = []
  const ranked = hasAlternatives(state.claims)
  const filterRow = (row: number): number => {
    const node = table.rows[row] as NodeState
    const { status, allocation } = answerFor(pod, node, state, settings)
    if (allocation !== undefined) kept.keep(node.node, state, allocation)
    if (ranked) scores[row] = allocation === undefined ? 0 : scoreOf(state.claims, allocation.results)
    return statuses.idOf('DynamicResources', status)
  }
  const shared = {
    filterRow,
    isCurrent: () => devices.catalog.classesVersion === classesVersion,
    isStale: () => {
      const changed = devices.sharedRevision !== seen
      seen = devices.sharedRevision
      return changed
    },
  }
  if (!ranked) return shared
  return {
    ...shared,
    parts: 1,
    partsOf: (row, into, at) => {
      into[at] = scores[row] ?? 0
    },
    scoreClasses(feasible, at, into) {
      for (let i = 0; i < feasible.length; i++) into[i] = (feasible[i] as RowClass).parts[at] as number
      higherIsBetter(into)
    },
  }
}

function claimKey(claim: ResourceClaim, { ledger }: ColumnSources['devices'], kept: KeptAllocations): string {
  const allocation = claim.status?.allocation
  if (allocation !== undefined) {
    // Whether the claim is available depends on the time as well.
    if (hasBindingConditions(claim)) return `plain:${claim.metadata.uid};`
    return `a${allocation.nodeSelector === undefined ? '' : encodeJson(allocation.nodeSelector)};`
  }
  // A pending allocation rejects the pod.
  if (ledger.pendingAllocation(claim.metadata.uid ?? '') !== undefined) return `pending:${claim.metadata.uid};`
  return `u${kept.specId(claim)};`
}
