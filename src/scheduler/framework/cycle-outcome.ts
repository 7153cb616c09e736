import type { Call } from '../../api/call.ts'
import { extended } from '../../base/extended.ts'
import type {
  CycleResult,
  Diagnosis,
  ParsedPod,
  PostFilterContext,
  PostFilterResult,
  Preemption,
  Profile,
} from '../contract/contract.ts'
import { clearNomination, keepNomination } from '../contract/post-filter.ts'
import { isRejected, messageOf } from '../contract/status.ts'
import { fitErrorMessage, noNodesMessage } from './fit-error.ts'

/** The result of a cycle that failed. */
export function errorResult(message: string): CycleResult {
  return { kind: 'error', message, nominating: clearNomination }
}

/** The result of the first plugin that succeeds, or the reasons of all plugins (RunPostFilterPlugins). */
export function runPostFilters(
  profile: Profile,
  pod: ParsedPod,
  diagnosis: Diagnosis,
  context: PostFilterContext,
): PostFilterResult | undefined {
  if (profile.postFilter.length === 0) return undefined
  const reasons: string[] = []
  const calls: Call[] = []
  let nominating = keepNomination
  let isRepeatable = true
  for (const plugin of profile.postFilter) {
    const result = plugin.postFilter?.(pod, diagnosis, context)
    if (result === undefined) continue
    if (result.status.code === 'Success' || result.status.code === 'UnschedulableAndUnresolvable') {
      return extended(result, { plugin: plugin.name })
    }
    if (!isRejected(result.status)) return { status: result.status, nominating: keepNomination }
    if (result.nominating.kind !== 'keep') nominating = result.nominating
    if (result.isRepeatable !== true) isRepeatable = false
    reasons.push(...result.status.reasons)
    calls.push(...(result.calls ?? []))
  }
  return {
    status: { code: 'Unschedulable', reasons },
    nominating,
    ...(calls.length === 0 ? {} : { calls }),
    ...(isRepeatable ? { isRepeatable } : {}),
  }
}

/** The result when no node fits. `byNode`: no filter reads anything beyond the node. */
export function unschedulableResult(
  diagnosis: Diagnosis,
  result: PostFilterResult | undefined,
  byNode = false,
): CycleResult {
  const postFilterMessage = result === undefined ? '' : messageOf(result.status)
  const preemption: Preemption | undefined = result?.preemption
  return {
    kind: 'unschedulable',
    message: failureMessage(diagnosis, postFilterMessage),
    diagnosis,
    unschedulablePlugins: diagnosis.unschedulablePlugins,
    pendingPlugins: diagnosis.pendingPlugins,
    nominating: result?.nominating ?? clearNomination,
    ...(preemption === undefined ? {} : { preemption, preemptedBy: result?.plugin ?? '' }),
    ...(result?.calls === undefined ? {} : { calls: result.calls }),
    ...(postFilterMessage === '' ? {} : { postFilterMessage }),
    ...(byNode && (result === undefined || result.isRepeatable === true) ? { isRepeatable: true } : {}),
  }
}

export function failureMessage(diagnosis: Diagnosis, postFilterMessage = ''): string {
  const { totalNodes, preFilter, absent } = diagnosis
  return fitErrorMessage({
    totalNodes,
    ...(preFilter === undefined ? {} : { preFilter }),
    counted: diagnosis.histogram(),
    absent,
    postFilterMessage,
  })
}

export const noNodes: CycleResult = {
  kind: 'unschedulable',
  message: noNodesMessage,
  unschedulablePlugins: new Set(),
  pendingPlugins: new Set(),
  nominating: clearNomination,
}
