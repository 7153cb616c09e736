import type { Taint } from '../../../api/objects/node.ts'
import type { TaintEffect, Toleration } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import {
  findUntoleratedTaint,
  isTolerated,
  type TolerationOptions,
  tolerationOptions,
} from '../../../api/tolerations.ts'
import { definePlugin, ok, type Plugin, type PluginStatus, unresolvable } from '../../contract/contract.ts'
import { lowerIsBetter } from '../../framework/normalize.ts'
import { taintTolerationWake } from './wake.ts'

const hardEffects: readonly TaintEffect[] = ['NoSchedule', 'NoExecute']
const untolerated = unresolvable('node(s) had untolerated taint(s)')

/** Reports whether a pod with these tolerations can be placed on a node with these taints. */
export function admits(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  options?: TolerationOptions,
): boolean {
  return findUntoleratedTaint(taints, tolerations, hardEffects, options) === undefined
}

/** Counts PreferNoSchedule taints that no toleration covers. */
export function countSoftTaints(
  taints: readonly Taint[] | undefined,
  soft: readonly Toleration[],
  options?: TolerationOptions,
): number {
  let count = 0
  for (const taint of taints ?? []) {
    if (taint.effect === 'PreferNoSchedule' && !isTolerated(taint, soft, options)) count++
  }
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

export function createTaintToleration(
  args: TaintTolerationArgs,
  release: KubernetesRelease,
): Plugin<undefined, readonly Toleration[]> {
  const options = tolerationOptions(release)
  const rejection = release.changes.has('TaintMessageWithoutKey') ? () => untolerated : namingTaint
  const lasting = args.finiteTolerations === 'ignore' ? lastingTolerations : undefined
  return definePlugin<undefined, readonly Toleration[]>({
    name: 'TaintToleration',
    reads: 'taints',
    withoutPreScore: 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    filter({ pod }, { node }) {
      const { tolerations } = pod.spec
      const taint = findUntoleratedTaint(node.spec?.taints, tolerations, hardEffects, options)
      if (taint !== undefined) return rejection(taint)
      if (lasting === undefined) return ok
      const passing = findUntoleratedTaint(node.spec?.taints, lasting(tolerations), ['NoExecute'], options)
      return passing === undefined ? ok : rejection(passing)
    },
    preScore: ({ pod }) => ({ state: softTolerations(pod.spec.tolerations) }),
    score: (_pod, { node }, soft) => countSoftTaints(node.spec?.taints, soft, options),
    normalize: lowerIsBetter,
    wakeOn: taintTolerationWake(release),
  })
}

function lastingTolerations(tolerations: readonly Toleration[] | undefined): readonly Toleration[] {
  return (tolerations ?? []).filter(({ tolerationSeconds }) => tolerationSeconds === undefined)
}

/** The rejection up to v1.34.1. */
function namingTaint({ key, value = '' }: Taint): PluginStatus {
  return unresolvable(`node(s) had untolerated taint {${key}: ${value}}`)
}
