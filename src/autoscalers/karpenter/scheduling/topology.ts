import { labelMatcher } from '../../../api/label-selector.ts'
import type { NodePool } from '../../../api/objects/karpenter.ts'
import type { LabelSelector } from '../../../api/objects/meta.ts'
import type { Node, Taint } from '../../../api/objects/node.ts'
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import type { View } from '../../../runtime/view.ts'
import type { InstanceType } from '../catalog/instance-type.ts'
import type { StateNode } from '../state/state-node.ts'
import type { Requirement } from './requirement.ts'
import { Requirements } from './requirements.ts'
import { toleratesAll } from './taint-check.ts'
import { TopologyGroup, type TopologyType } from './topology-group.ts'
import { TopologyNodeFilter } from './topology-node-filter.ts'

const unlimitedSkew = 2 ** 31 - 1
const noDomains: ReadonlyMap<string, DomainTaints> = new Map()

/** The sets of taints under which a domain is available. An empty set excludes all other sets. */
type DomainTaints = readonly (readonly Taint[])[]

export interface TopologyInput {
  readonly view: View
  readonly nodes: readonly StateNode[]
  readonly pools: readonly NodePool[]
  readonly types: ReadonlyMap<string, readonly InstanceType[]>
  /** The pods to place. They do not count on their current nodes. */
  readonly pods: readonly Pod[]
  readonly respectsPreferences: boolean
  /** Failed attempts of earlier plans, by identity of the group. */
  readonly failures?: ReadonlyMap<string, number>
  /** Bound pods with a required anti-affinity, with their nodes. */
  readonly repelling: Iterable<readonly [Pod, Node]>
}

/** Spread constraints and affinities of the pods to place (v1.14, scheduling.Topology). */
export class Topology {
  private readonly input: TopologyInput
  private readonly groups = new Map<string, TopologyGroup>()
  /** Anti-affinities of other pods. They also repel pods without anti-affinity. */
  private readonly inverse = new Map<string, TopologyGroup>()
  private readonly owned = new Map<string, Set<TopologyGroup>>()
  private readonly inverseOwned = new Map<string, Set<TopologyGroup>>()
  private readonly domains: ReadonlyMap<string, ReadonlyMap<string, DomainTaints>>
  private readonly moving: ReadonlySet<string>

  constructor(input: TopologyInput) {
    this.input = input
    this.domains = domainsOf(input.pools, input.types)
    this.moving = new Set(input.pods.map(({ metadata }) => metadata.uid ?? ''))
    for (const [pod, node] of input.repelling) {
      if (!this.moving.has(pod.metadata.uid ?? '')) this.addInverse(pod, node.metadata.labels ?? {})
    }
    for (const pod of input.pods) this.update(pod)
  }

  /** Updates the constraints of the pod. A relaxed pod has fewer constraints. */
  update(pod: Pod): void {
    const uid = pod.metadata.uid ?? ''
    this.owned.delete(uid)
    const anti = pod.spec.affinity?.podAntiAffinity
    if (anti?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) this.addInverse(pod, {})
    const fresh = [...this.spreadsOf(pod), ...this.affinitiesOf(pod)]
    if (fresh.length === 0) return
    const mine = new Set<TopologyGroup>()
    for (const made of fresh) {
      let group = this.groups.get(made.identity)
      if (group === undefined) {
        group = made
        this.countPods(group)
        this.groups.set(group.identity, group)
      }
      mine.add(group)
    }
    this.owned.set(uid, mine)
  }

  /** The groups that restrict the placement of the pod. */
  matching(pod: Pod): readonly TopologyGroup[] {
    const mine = this.owned.get(pod.metadata.uid ?? '') ?? []
    return [...mine, ...[...this.inverse.values()].filter((group) => group.selects(pod))]
  }

  /** The requirements with the domains in which the pod can be placed, or the reason why there are none. */
  tighten(
    pod: Pod,
    matching: readonly TopologyGroup[],
    strict: Requirements,
    requirements: Requirements,
  ): Requirements | string {
    if (matching.length === 0) return requirements
    const added: Requirement[] = []
    for (const group of matching) {
      const podDomains = strict.get(group.fields.key)
      const nodeDomains = requirements.get(group.fields.key)
      const domains = group.next(pod, podDomains, nodeDomains)
      if (domains.values.size === 0)
        return `unsatisfiable topology constraint for ${group.text}, podDomains = ${podDomains}, nodeDomains = ${nodeDomains}`
      added.push(domains)
    }
    return requirements.with(added)
  }

  /** Records a pod that is placed on a node with these requirements. */
  record(pod: Pod, taints: readonly Taint[] | undefined, requirements: Requirements): void {
    for (const group of this.groups.values()) {
      if (!group.counts(pod, taints, requirements)) continue
      const domains = requirements.get(group.fields.key)
      // An anti-affinity blocks every domain in which the pod may be placed. Other groups count the pod only in a
      // domain that is certain.
      if (group.fields.type === 'pod anti-affinity') group.record(domains.values)
      else if (domains.size === 1) group.record(domains.values)
    }
    for (const group of this.inverseOwned.get(pod.metadata.uid ?? '') ?? []) {
      group.record(requirements.get(group.fields.key).values)
    }
  }

  registerHost(name: string): void {
    for (const group of this.hostGroups()) group.register([name])
  }

  registerHosts(nodes: readonly StateNode[]): void {
    const groups = [...this.hostGroups()]
    if (groups.length > 0) for (const { hostName } of nodes) for (const group of groups) group.register([hostName])
  }

  private *hostGroups(): Iterable<TopologyGroup> {
    for (const group of this.groups.values()) if (group.fields.key === labels.hostname) yield group
    for (const group of this.inverse.values()) if (group.fields.key === labels.hostname) yield group
  }

  private addInverse(pod: Pod, nodeLabels: Readonly<Record<string, string>>): void {
    const uid = pod.metadata.uid ?? ''
    for (const term of pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      const made = this.affinityGroup('pod anti-affinity', pod, term)
      const group = this.inverse.get(made.identity) ?? made
      this.inverse.set(group.identity, group)
      const domain = nodeLabels[term.topologyKey]
      if (domain !== undefined) group.record([domain])
      const mine = this.inverseOwned.get(uid) ?? new Set()
      this.inverseOwned.set(uid, mine.add(group))
    }
  }

  private spreadsOf(pod: Pod): readonly TopologyGroup[] {
    const constraints = pod.spec.topologySpreadConstraints ?? []
    return constraints
      .filter(({ whenUnsatisfiable }) => this.input.respectsPreferences || whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => this.spreadGroup(pod, constraint))
  }

  private spreadGroup(pod: Pod, constraint: TopologySpreadConstraint): TopologyGroup {
    const { topologyKey, maxSkew, minDomains } = constraint
    const filter = new TopologyNodeFilter(pod, constraint)
    const fields = {
      type: 'topology spread' as const,
      key: topologyKey,
      namespaces: new Set([pod.metadata.namespace ?? 'default']),
      selector: withLabelKeys(constraint, pod),
      maxSkew,
      ...(minDomains === undefined ? {} : { minDomains }),
      filter,
    }
    const group = new TopologyGroup(fields, this.domainsFor(topologyKey, filter.honorsTaints ? pod : undefined))
    group.failed = this.input.failures?.get(group.identity) ?? 0
    return group
  }

  private affinitiesOf(pod: Pod): readonly TopologyGroup[] {
    const { affinity } = pod.spec
    if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return []
    const groups: TopologyGroup[] = []
    for (const [type, part] of [
      ['pod affinity', affinity.podAffinity],
      ['pod anti-affinity', affinity.podAntiAffinity],
    ] as const) {
      const required = part?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const preferred = part?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      for (const term of required) groups.push(this.affinityGroup(type, pod, term))
      if (!this.input.respectsPreferences) continue
      for (const { podAffinityTerm } of preferred) groups.push(this.affinityGroup(type, pod, podAffinityTerm))
    }
    return groups
  }

  private affinityGroup(type: TopologyType, pod: Pod, term: PodAffinityTerm): TopologyGroup {
    const fields = {
      type,
      key: term.topologyKey,
      namespaces: this.namespacesOf(pod, term),
      selector: term.labelSelector,
      maxSkew: unlimitedSkew,
    }
    return new TopologyGroup(fields, this.domainsFor(term.topologyKey, pod))
  }

  private namespacesOf(pod: Pod, { namespaces = [], namespaceSelector }: PodAffinityTerm): ReadonlySet<string> {
    if (namespaceSelector === undefined)
      return new Set(namespaces.length === 0 ? [pod.metadata.namespace ?? 'default'] : namespaces)
    const matcher = labelMatcher(namespaceSelector)
    const selected = this.input.view.list('namespaces').filter(({ metadata }) => matcher.matches(metadata.labels))
    return new Set([...selected.map(({ metadata }) => metadata.name), ...namespaces])
  }

  /** `pod`: only domains that it tolerates. */
  private domainsFor(key: string, pod: Pod | undefined): readonly string[] {
    const known = [...(this.domains.get(key) ?? noDomains)]
    const usable =
      pod === undefined
        ? known
        : known.filter(([, sets]) => sets.some((taints) => toleratesAll(taints, pod.spec.tolerations)))
    return usable.map(([domain]) => domain)
  }

  private countPods(group: TopologyGroup): void {
    const { view, nodes } = this.input
    const { key, filter, namespaces } = group.fields
    for (const { node } of nodes) {
      const domain = node?.metadata.labels?.[key]
      if (node === undefined || domain === undefined) continue
      if (filter?.matches(node.spec?.taints, Requirements.fromLabels(node.metadata.labels)) === false) continue
      group.register([domain])
    }
    const counted = new Map<string, boolean>()
    for (const namespace of namespaces) {
      for (const pod of view.selectedBy('pods', namespace, group.listed)) {
        if (isIgnored(pod) || this.moving.has(pod.metadata.uid ?? '')) continue
        const name = pod.spec.nodeName as string
        const node = view.get('nodes', name)
        if (node === undefined) continue
        const domain = node.metadata.labels?.[key] ?? (key === labels.hostname ? name : undefined)
        if (domain === undefined) continue
        let counts = counted.get(name)
        if (counts === undefined) {
          counts = filter?.matches(node.spec?.taints, Requirements.fromLabels(node.metadata.labels)) ?? true
          counted.set(name, counts)
        }
        if (counts) group.record([domain])
      }
    }
  }
}

function isIgnored({ metadata, spec, status }: Pod): boolean {
  const isTerminal = status?.phase === 'Failed' || status?.phase === 'Succeeded'
  return (spec.nodeName ?? '') === '' || isTerminal || metadata.deletionTimestamp !== undefined
}

function withLabelKeys(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  pod: Pod,
): LabelSelector | undefined {
  const more = matchLabelKeys.flatMap((key) => {
    const value = pod.metadata.labels?.[key]
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }]
  })
  if (more.length === 0) return labelSelector
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...more] }
}

/** The domains in which new nodes can be, by label, from the requirements of pools and instance types. */
function domainsOf(
  pools: readonly NodePool[],
  types: ReadonlyMap<string, readonly InstanceType[]>,
): ReadonlyMap<string, ReadonlyMap<string, DomainTaints>> {
  const byKey = new Map<string, Map<string, DomainTaints>>()
  const insert = ({ key, values }: Requirement, taints: readonly Taint[]): void => {
    const domains = byKey.get(key) ?? new Map<string, DomainTaints>()
    byKey.set(key, domains)
    for (const domain of values) {
      const sets = domains.get(domain)
      if (sets === undefined || taints.length === 0) domains.set(domain, [taints])
      else if (sets[0]?.length !== 0) domains.set(domain, [...sets, taints])
    }
  }
  for (const pool of pools) {
    const { metadata, spec } = pool.spec.template
    const own = Requirements.fromFields(spec.requirements).and(Requirements.fromLabels(metadata?.labels))
    const taints = spec.taints ?? []
    const its = types.get(pool.metadata.name)
    if (its === undefined) continue
    for (const { requirements } of its) for (const each of own.and(requirements).all) insert(each, taints)
    for (const each of own.all) if (each.operator === 'In') insert(each, taints)
  }
  return byKey
}
