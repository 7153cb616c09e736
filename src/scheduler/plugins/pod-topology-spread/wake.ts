import { semanticEqual } from '../../../api/equality.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { ObjectReader, WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'
import type { PodTopologySpreadArgs, SpreadConstraint } from './constraints.ts'
import { constraintsOf, settingsOf } from './constraints.ts'

/** Only placed pods in the pod's namespace, and the pod itself, count for its spread. */
function takesPart(pod: Pod, other: Pod | undefined, countsNominated: boolean): boolean {
  if (other === undefined || other.metadata.uid === pod.metadata.uid) return true
  if (!other.spec.nodeName && !(countsNominated && other.status?.nominatedNodeName)) return false
  return other.metadata.namespace === pod.metadata.namespace
}

function podHelps(pod: Pod, { before, after }: WakeChange<Pod>, constraints: readonly SpreadConstraint[]): boolean {
  if (before !== undefined && after !== undefined) {
    if (after.metadata.uid === pod.metadata.uid && constraints.some(({ honorsTaints }) => honorsTaints)) {
      if (!semanticEqual(before.spec.tolerations, after.spec.tolerations)) return true
    }
    return constraints.some(
      ({ selector }) => selector.matches(before.metadata.labels) !== selector.matches(after.metadata.labels),
    )
  }
  const labels = (after ?? before)?.metadata.labels
  return constraints.some(({ selector }) => selector.matches(labels))
}

function nodeHelps({ before, after }: WakeChange<Node>, constraints: readonly SpreadConstraint[]): boolean {
  const was = before !== undefined && inTopology(before, constraints)
  const is = after !== undefined && inTopology(after, constraints)
  if (before === undefined || after === undefined) return was || is
  if (was !== is) return true
  if (!is) return false
  const moved = constraints.some(
    ({ topologyKey }) => before.metadata.labels?.[topologyKey] !== after.metadata.labels?.[topologyKey],
  )
  return moved || !semanticEqual(before.spec?.taints, after.spec?.taints)
}

function inTopology(node: Node, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => Object.hasOwn(node.metadata.labels ?? {}, topologyKey))
}

export function podTopologySpreadWake(args: unknown, release: KubernetesRelease): readonly WakeRule[] {
  const settings = settingsOf((args ?? {}) as PodTopologySpreadArgs, release)
  const nominated = release.changes.has('NominatedPodsWake')
  const hard = (pod: Pod, objects: ObjectReader): readonly SpreadConstraint[] => {
    const constraints = constraintsOf(pod, 'DoNotSchedule', settings, objects)
    if (typeof constraints === 'string') throw new Error(constraints)
    return constraints
  }
  const { Add, Delete, UpdatePodLabel, UpdatePodToleration, UpdateNodeLabel, UpdateNodeTaint } = ActionType
  const podHint: WakeRule['hint'] = (pod, change, objects) => {
    const { before, after } = change as WakeChange<Pod>
    if (!takesPart(pod, before, nominated) || !takesPart(pod, after, nominated)) return false
    return podHelps(pod, change as WakeChange<Pod>, hard(pod, objects))
  }
  const podRules: readonly WakeRule[] = release.changes.has('TargetPodEvents')
    ? [
        { on: { resource: 'AssignedPod', action: Add | UpdatePodLabel | Delete }, hint: podHint },
        { on: { resource: 'TargetPod', action: UpdatePodToleration | UpdatePodLabel }, hint: podHint },
      ]
    : [{ on: { resource: 'Pod', action: Add | UpdatePodLabel | UpdatePodToleration | Delete }, hint: podHint }]
  return [
    ...podRules,
    {
      on: { resource: 'Node', action: Add | Delete | UpdateNodeLabel | UpdateNodeTaint },
      hint: (pod, change, objects) => nodeHelps(change as WakeChange<Node>, hard(pod, objects)),
    },
  ]
}
