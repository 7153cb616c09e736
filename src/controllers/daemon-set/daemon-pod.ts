import { RequiredNodeAffinity } from '../../api/node-selector.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import { findUntoleratedTaint, type TolerationOptions } from '../../api/tolerations.ts'
import { labels, taintKeys } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { podFromTemplate } from '../pod-template.ts'

export const daemonSetKind = { apiVersion: 'apps/v1', kind: 'DaemonSet' } as const

const generationAnnotation = 'deprecated.daemonset.template.generation'
const generationLabel = 'pod-template-generation'
const whole = /^[+-]?[0-9]+$/

// v1.36, daemon/util AddOrUpdateDaemonPodTolerations: daemon pods stay when their node becomes unhealthy.
const daemonTolerations: readonly Toleration[] = [
  { key: taintKeys.notReady, operator: 'Exists', effect: 'NoExecute' },
  { key: taintKeys.unreachable, operator: 'Exists', effect: 'NoExecute' },
  { key: taintKeys.diskPressure, operator: 'Exists', effect: 'NoSchedule' },
  { key: taintKeys.memoryPressure, operator: 'Exists', effect: 'NoSchedule' },
  { key: taintKeys.pidPressure, operator: 'Exists', effect: 'NoSchedule' },
  { key: taintKeys.unschedulable, operator: 'Exists', effect: 'NoSchedule' },
]
const hostNetworkToleration: Toleration = {
  key: taintKeys.networkUnavailable,
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** The tolerations of the pod spec and those of every daemon pod. An existing toleration loses its time limit. */
export function tolerationsOf(spec: PodSpec): readonly Toleration[] {
  const wanted = spec.hostNetwork === true ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations
  const tolerations = [...(spec.tolerations ?? [])]
  for (const one of wanted) {
    const place = tolerations.findIndex(
      ({ key, effect, operator, value = '' }) =>
        key === one.key && effect === one.effect && operator === one.operator && value === '',
    )
    if (place < 0) tolerations.push(one)
    else tolerations[place] = one
  }
  return tolerations
}

/** Reports whether a daemon pod should be started on a node, and whether an existing one may stay. */
export interface Eligibility {
  readonly starts: boolean
  readonly stays: boolean
}

const neither: Eligibility = { starts: false, stays: false }

type PodVerdicts = WeakMap<
  PodTemplateSpec,
  { readonly template: DaemonTemplate; readonly byNode: WeakMap<Node, Eligibility> }
>

const plainVerdicts: PodVerdicts = new WeakMap()
/** Verdicts with the gate TaintTolerationComparisonOperators. */
const comparingVerdicts: PodVerdicts = new WeakMap()

interface DaemonTemplate {
  readonly spec: PodSpec
  readonly affinity: RequiredNodeAffinity
  readonly tolerations: readonly Toleration[]
}

/** Objects are immutable, so the result for two of them is cached (v1.36, daemon NodeShouldRunDaemonPod). */
export function eligibilityOf(daemonSet: DaemonSet, node: Node, options: TolerationOptions): Eligibility {
  const template = daemonSet.spec?.template
  if (template === undefined) return neither
  const verdicts = options.comparisonOperators === true ? comparingVerdicts : plainVerdicts
  let known = verdicts.get(template)
  if (known === undefined) {
    const { spec } = template
    const affinity = new RequiredNodeAffinity({ spec } as Pod)
    known = { template: { spec, affinity, tolerations: tolerationsOf(spec) }, byNode: new WeakMap() }
    verdicts.set(template, known)
  }
  let verdict = known.byNode.get(node)
  if (verdict === undefined) {
    verdict = decideEligibility(known.template, node, options)
    known.byNode.set(node, verdict)
  }
  return verdict
}

function decideEligibility(
  { spec, affinity, tolerations }: DaemonTemplate,
  node: Node,
  options: TolerationOptions,
): Eligibility {
  const { nodeName = '' } = spec
  if (nodeName !== '' && nodeName !== node.metadata.name) return neither
  if (!affinity.matches(node.metadata.labels, node.metadata.name)) return neither
  const taints = node.spec?.taints
  if (findUntoleratedTaint(taints, tolerations, ['NoExecute', 'NoSchedule'], options) === undefined) {
    return { starts: true, stays: true }
  }
  return { starts: false, stays: findUntoleratedTaint(taints, tolerations, ['NoExecute'], options) === undefined }
}

/** A daemon pod for one node. Its affinity allows no other node. */
export function daemonPod(daemonSet: DaemonSet, hash: string, nodeName: string): Pod {
  const template = daemonSet.spec?.template ?? { spec: { containers: [] } }
  const pod = podFromTemplate(template, daemonSet, controllerReference(daemonSet, daemonSetKind))
  const generation = templateGeneration(daemonSet)
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: extended(pod.metadata.labels ?? {}, {
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [labels.controllerRevisionHash]: hash,
      }),
    },
    spec: extended(pod.spec, {
      tolerations: tolerationsOf(pod.spec),
      affinity: boundTo(pod.spec.affinity, nodeName),
    }),
  }
}

function boundTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] as const
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  }
}

/** The node of a daemon pod, bound or intended. */
export function targetNode(pod: Pod): string | undefined {
  if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') return pod.spec.nodeName
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields } of terms) {
    for (const { key, operator, values = [] } of matchFields ?? []) {
      if (key === 'metadata.name' && operator === 'In') return values.length === 1 ? values[0] : undefined
    }
  }
  return undefined
}

function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation]
  return text !== undefined && whole.test(text) ? String(Number(text)) : undefined
}

/**
 * Reports whether a daemon pod has the current template: by its hash, or by the generation that older versions wrote.
 */
export function isUpdated(daemonSet: DaemonSet, pod: Pod, hash: string): boolean {
  const found = pod.metadata.labels ?? {}
  if (hash !== '' && found[labels.controllerRevisionHash] === hash) return true
  const generation = templateGeneration(daemonSet)
  return generation !== undefined && found[generationLabel] === generation
}

/** Sorts scheduled pods before unscheduled pods, then older pods before newer ones. */
export function scheduledThenOldest(a: Pod, b: Pod): number {
  const [scheduledA, scheduledB] = [(a.spec.nodeName ?? '') !== '', (b.spec.nodeName ?? '') !== '']
  if (scheduledA !== scheduledB) return scheduledA ? -1 : 1
  const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (createdA !== createdB) return createdA < createdB ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0
}
