import { compileLabelSelector } from '../../../api/label-selector.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod, PodAffinityTerm } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

const none: readonly PodAffinityTerm[] = []

function affinityOf(pod: Pod): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none
}

function antiAffinityOf(pod: Pod): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? none
}

/**
 * Reports whether a pod satisfies all terms of another pod. Upstream does not look up namespaces here: a namespace
 * selector counts only if it matches a namespace without labels (v1.36, podMatchesAllAffinityTerms).
 */
function satisfiesAll(terms: readonly PodAffinityTerm[], owner: Pod, candidate: Pod): boolean {
  return terms.length > 0 && terms.every((term) => satisfies(term, owner, candidate))
}

function satisfiesAny(terms: readonly PodAffinityTerm[], owner: Pod, candidate: Pod): boolean {
  return terms.some((term) => satisfies(term, owner, candidate))
}

function satisfies(term: PodAffinityTerm, owner: Pod, candidate: Pod): boolean {
  const namespace = candidate.metadata.namespace ?? ''
  const named = term.namespaces ?? []
  const inNamespace =
    named.length === 0 && term.namespaceSelector === undefined
      ? namespace === (owner.metadata.namespace ?? '')
      : named.includes(namespace) || matches(term.namespaceSelector, undefined)
  return inNamespace && matches(term.labelSelector, candidate.metadata.labels)
}

function matches(selector: PodAffinityTerm['labelSelector'], labels: Pod['metadata']['labels']): boolean {
  const compiled = compileLabelSelector(selector)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.value.matches(labels)
}

function hasPlace(pod: Pod | undefined, countsNominated: boolean): boolean {
  if (pod === undefined || pod.spec.nodeName) return true
  return countsNominated && Boolean(pod.status?.nominatedNodeName)
}

function podHelps(pod: Pod, { before, after }: WakeChange<Pod>, { changes }: KubernetesRelease): boolean {
  const bothWays = changes.has('AffinityWakesBothWays')
  // The only registered update is of labels, and anti-affinity of another pod may have matched the old labels.
  if (bothWays && before !== undefined && after !== undefined && after.metadata.uid === pod.metadata.uid) return true
  const nominated = changes.has('NominatedPodsWake')
  if (!hasPlace(before, nominated) || !hasPlace(after, nominated)) return false
  const wanted = affinityOf(pod)
  const shunned = antiAffinityOf(pod)
  const conflicts = changes.has('AnyAntiAffinityTermWakes') ? satisfiesAny : satisfiesAll
  if (after === undefined) {
    if (before === undefined) return false
    return conflicts(shunned, pod, before) || (bothWays && conflicts(antiAffinityOf(before), before, pod))
  }
  if (before === undefined) return satisfiesAll(wanted, pod, after)
  if (!satisfiesAll(wanted, pod, before) && satisfiesAll(wanted, pod, after)) return true
  return conflicts(shunned, pod, before) && !conflicts(shunned, pod, after)
}

function nodeHelps(pod: Pod, { before, after }: WakeChange<Node>): boolean {
  for (const { topologyKey } of affinityOf(pod)) {
    const now = labelOf(after, topologyKey)
    if (now !== undefined && now !== labelOf(before, topologyKey)) return true
  }
  for (const { topologyKey } of antiAffinityOf(pod)) {
    if (before === undefined) return true
    const was = labelOf(before, topologyKey)
    if (was !== undefined && was !== labelOf(after, topologyKey)) return true
  }
  return false
}

function labelOf(node: Node | undefined, key: string): string | undefined {
  const labels = node?.metadata.labels
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

export function interPodAffinityWake(release: KubernetesRelease): readonly WakeRule[] {
  const { Add, UpdatePodLabel, Delete } = ActionType
  const podHint: WakeRule['hint'] = (pod, change) => podHelps(pod, change as WakeChange<Pod>, release)
  const podRules: readonly WakeRule[] = release.changes.has('TargetPodEvents')
    ? [
        { on: { resource: 'AssignedPod', action: Add | UpdatePodLabel | Delete }, hint: podHint },
        { on: { resource: 'TargetPod', action: UpdatePodLabel }, hint: podHint },
      ]
    : [{ on: { resource: 'Pod', action: Add | UpdatePodLabel | Delete }, hint: podHint }]
  return [
    ...podRules,
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeLabel },
      hint: (pod, change) => nodeHelps(pod, change as WakeChange<Node>),
    },
  ]
}
