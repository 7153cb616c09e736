import type { LabelMatcher, LabelRequirement } from '../../../api/label-matcher.ts'
import { compileLabelSelector, matcherFromMap } from '../../../api/label-selector.ts'
import type { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod, TopologySpreadConstraint } from '../../../api/objects/pod.ts'
import { controllerOf } from '../../../api/owner-references.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type TolerationOptions, tolerationOptions } from '../../../api/tolerations.ts'
import { labels } from '../../../api/well-known.ts'
import type { ObjectReader } from '../../contract/contract.ts'
import { admits } from '../taint-toleration/taint-toleration.ts'

export interface SpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selector: LabelMatcher
  readonly minDomains: number
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
  readonly tolerations: TolerationOptions
}

export interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly TopologySpreadConstraint[]
  readonly defaultingType?: 'System' | 'List'
}

export interface SpreadSettings {
  readonly defaults: readonly TopologySpreadConstraint[]
  /** The built-in defaults, which also score nodes without one of the labels. */
  readonly systemDefaults: boolean
  readonly tolerations: TolerationOptions
}

export const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: labels.hostname, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: labels.zone, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
]

export function settingsOf(
  { defaultConstraints = [], defaultingType = 'System' }: PodTopologySpreadArgs,
  release: KubernetesRelease,
): SpreadSettings {
  const tolerations = tolerationOptions(release)
  if (defaultingType === 'System') return { defaults: systemDefaults, systemDefaults: true, tolerations }
  return { defaults: defaultConstraints, systemDefaults: false, tolerations }
}

type WhenUnsatisfiable = TopologySpreadConstraint['whenUnsatisfiable']

/**
 * The constraints of the pod of one kind, or the defaults of the profile with the selector of the pod's services and
 * controller. A string is the problem of a selector.
 */
export function constraintsOf(
  pod: Pod,
  action: WhenUnsatisfiable,
  settings: SpreadSettings,
  objects: ObjectReader,
): readonly SpreadConstraint[] | string {
  const own = pod.spec.topologySpreadConstraints ?? []
  if (own.length > 0) return compileConstraints(own, pod.metadata.labels, action, settings)
  const defaults = compileConstraints(settings.defaults, pod.metadata.labels, action, settings)
  if (typeof defaults === 'string' || defaults.length === 0) return defaults
  const selector = defaultSelector(pod, objects)
  if (selector.everything) return []
  return defaults.map((constraint) => ({ ...constraint, selector }))
}

function compileConstraints(
  constraints: readonly TopologySpreadConstraint[],
  podLabels: StringMap | undefined,
  action: WhenUnsatisfiable,
  { tolerations }: SpreadSettings,
): readonly SpreadConstraint[] | string {
  const compiled: SpreadConstraint[] = []
  for (const constraint of constraints) {
    if (constraint.whenUnsatisfiable !== action) continue
    const selector = compileLabelSelector(constraint.labelSelector)
    if (!selector.ok) return selector.message
    compiled.push({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: withMatchingLabels(selector.value, constraint.matchLabelKeys, podLabels),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
      tolerations,
    })
  }
  return compiled
}

function withMatchingLabels(
  selector: LabelMatcher,
  keys: readonly string[] | undefined,
  podLabels: StringMap | undefined,
): LabelMatcher {
  const added: LabelRequirement[] = []
  for (const key of new Set(keys)) {
    const value = podLabels?.[key]
    if (value !== undefined) added.push({ key, operator: '=', values: [value] })
  }
  return selector.and(added)
}

/** The combined selector of the services and the controller of the pod (v1.36, plugins/helper DefaultSelector). */
export function defaultSelector(pod: Pod, objects: ObjectReader): LabelMatcher {
  const namespace = pod.metadata.namespace ?? ''
  let together: Record<string, string> = {}
  for (const { spec } of objects.list('services', namespace)) {
    const selector = spec?.selector
    if (selector !== undefined && matcherFromMap(selector).matches(pod.metadata.labels)) {
      together = { ...together, ...selector }
    }
  }
  const owner = controllerOf(pod)
  const key = `${namespace}/${owner?.name}`
  switch (owner === undefined ? '' : `${owner.apiVersion} ${owner.kind}`) {
    case 'v1 ReplicationController':
      together = { ...together, ...objects.get('replicationcontrollers', key)?.spec?.selector }
      return matcherFromMap(together)
    case 'apps/v1 ReplicaSet':
      return and(together, objects.get('replicasets.apps', key)?.spec?.selector)
    case 'apps/v1 StatefulSet':
      return and(together, objects.get('statefulsets.apps', key)?.spec?.selector)
    default:
      return matcherFromMap(together)
  }
}

function and(map: StringMap, selector: Parameters<typeof compileLabelSelector>[0]): LabelMatcher {
  const base = matcherFromMap(map)
  const other = compileLabelSelector(selector)
  return selector === undefined || !other.ok ? base : base.and(other.value.requirements)
}

/** Reports whether pods on the node count for the constraint. */
export function includes(
  { honorsAffinity, honorsTaints, tolerations }: SpreadConstraint,
  pod: Pod,
  node: Node,
  required: RequiredNodeAffinity,
): boolean {
  if (honorsAffinity && !required.matches(node.metadata.labels, node.metadata.name)) return false
  return !honorsTaints || admits(node.spec?.taints, pod.spec.tolerations, tolerations)
}

export function hasAllKeys(node: Node, constraints: readonly SpreadConstraint[]): boolean {
  const own = node.metadata.labels
  return own === undefined
    ? constraints.length === 0
    : constraints.every(({ topologyKey }) => own[topologyKey] !== undefined)
}
