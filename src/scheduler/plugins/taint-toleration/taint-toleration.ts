import type { Taint } from '../../../api/objects/node.ts'
import type { TaintEffect, Toleration } from '../../../api/objects/pod.ts'
import { findUntoleratedTaint, isTolerated } from '../../../api/tolerations.ts'
import { definePlugin, ok, type Plugin, unresolvable } from '../../contract/contract.ts'
import { lowerIsBetter } from '../../framework/normalize.ts'
import { taintTolerationWake } from './wake.ts'

const hardEffects: readonly TaintEffect[] = ['NoSchedule', 'NoExecute']
const untolerated = unresolvable('node(s) had untolerated taint(s)')

/** Reports whether a pod with these tolerations can be placed on a node with these taints. */
export function admits(taints: readonly Taint[] | undefined, tolerations: readonly Toleration[] | undefined): boolean {
  return findUntoleratedTaint(taints, tolerations, hardEffects) === undefined
}

/** Counts PreferNoSchedule taints that no toleration covers. */
export function countSoftTaints(taints: readonly Taint[] | undefined, soft: readonly Toleration[]): number {
  let count = 0
  for (const taint of taints ?? []) if (taint.effect === 'PreferNoSchedule' && !isTolerated(taint, soft)) count++
  return count
}

/** The tolerations that apply to PreferNoSchedule taints; a toleration without an effect applies to all effects. */
export function softTolerations(tolerations: readonly Toleration[] | undefined): readonly Toleration[] {
  return (tolerations ?? []).filter(
    ({ effect }) => effect === undefined || (effect as string) === '' || effect === 'PreferNoSchedule',
  )
}

export interface TaintTolerationArgs {
  /**
   * `ignore`: a pod is not placed on a node that would evict it after tolerationSeconds. Upstream places it there
   * (#92170).
   */
  readonly finiteTolerations?: 'count' | 'ignore'
}

export function createTaintToleration(args: TaintTolerationArgs = {}): Plugin<undefined, readonly Toleration[]> {
  const lasting = args.finiteTolerations === 'ignore' ? lastingTolerations : undefined
  return definePlugin<undefined, readonly Toleration[]>({
    name: 'TaintToleration',
    reads: 'taints',
    withoutPreScore: 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    filter({ pod }, { node }) {
      const { tolerations } = pod.spec
      if (!admits(node.spec?.taints, tolerations)) return untolerated
      return lasting === undefined || staysOn(node.spec?.taints, lasting(tolerations)) ? ok : untolerated
    },
    preScore: ({ pod }) => ({ state: softTolerations(pod.spec.tolerations) }),
    score: (_pod, { node }, soft) => countSoftTaints(node.spec?.taints, soft),
    normalize: lowerIsBetter,
    wakeOn: taintTolerationWake,
  })
}

function lastingTolerations(tolerations: readonly Toleration[] | undefined): readonly Toleration[] {
  return (tolerations ?? []).filter(({ tolerationSeconds }) => tolerationSeconds === undefined)
}

function staysOn(taints: readonly Taint[] | undefined, tolerations: readonly Toleration[]): boolean {
  return findUntoleratedTaint(taints, tolerations, ['NoExecute']) === undefined
}
