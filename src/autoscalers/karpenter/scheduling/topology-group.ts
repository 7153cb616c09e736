import { type LabelMatcher, matchEverything, matchNothing } from '../../../api/label-matcher.ts'
import { compileLabelSelector } from '../../../api/label-selector.ts'
import type { LabelSelector } from '../../../api/objects/meta.ts'
import type { Taint } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import { Requirement } from './requirement.ts'
import type { Requirements } from './requirements.ts'
import { sortedEntries, type TopologyNodeFilter, unpaired } from './topology-node-filter.ts'

export type TopologyType = 'topology spread' | 'pod affinity' | 'pod anti-affinity'

export interface TopologyGroupFields {
  readonly type: TopologyType
  readonly key: string
  readonly namespaces: ReadonlySet<string>
  readonly selector: LabelSelector | undefined
  readonly maxSkew: number
  readonly minDomains?: number
  readonly filter?: TopologyNodeFilter
}

/** Counts of the pods that a selector matches, by domain (v1.14, scheduling.TopologyGroup). */
export class TopologyGroup {
  readonly fields: TopologyGroupFields
  readonly identity: string
  /** Counts pods. As in upstream, an absent selector matches nothing here, but everything elsewhere. */
  readonly listed: LabelMatcher
  private readonly selector: LabelMatcher
  private readonly domains = new Map<string, number>()
  private readonly empty = new Set<string>()
  private failures = 0

  constructor(fields: TopologyGroupFields, domains: Iterable<string>) {
    this.fields = fields
    this.identity = identityOf(fields)
    const { selector } = fields
    const compiled = compileLabelSelector(selector)
    this.selector = compiled.ok ? compiled.value : matchNothing
    this.listed = selector === undefined ? matchEverything : this.selector
    this.register(domains)
  }

  register(domains: Iterable<string>): void {
    for (const domain of domains) {
      if (this.domains.has(domain)) continue
      this.domains.set(domain, 0)
      this.empty.add(domain)
    }
  }

  record(domains: Iterable<string>): void {
    for (const domain of domains) {
      this.domains.set(domain, (this.domains.get(domain) ?? 0) + 1)
      this.empty.delete(domain)
    }
  }

  selects({ metadata }: Pod): boolean {
    return this.fields.namespaces.has(metadata.namespace ?? 'default') && this.selector.matches(metadata.labels)
  }

  /** How many attempts to place a pod of the group failed. The next one selects another of several equal domains. */
  get failed(): number {
    return this.failures
  }

  set failed(failures: number) {
    this.failures = failures
  }

  /** Reports whether the pod counts on a node with these requirements. */
  counts(pod: Pod, taints: readonly Taint[] | undefined, requirements: Requirements): boolean {
    return this.selects(pod) && (this.fields.filter?.matches(taints, requirements) ?? true)
  }

  /** The domains in which the pod can be placed; empty if there is none. */
  next(pod: Pod, podDomains: Requirement, nodeDomains: Requirement): Requirement {
    const { key, type } = this.fields
    const values =
      type === 'topology spread'
        ? this.nextSpread(pod, podDomains, nodeDomains)
        : type === 'pod affinity'
          ? this.nextAffinity(pod, podDomains, nodeDomains)
          : this.nextAntiAffinity(podDomains, nodeDomains)
    return Requirement.in(key, values)
  }

  get text(): string {
    const counts = [...this.domains].slice(0, 25).map(([domain, count]) => `${domain}:${count}`)
    return `${this.fields.type}, key=${this.fields.key} (counts = ${counts.join(', ')}`
  }

  // A new node has a new host name, so a host name is checked individually and the lowest count is zero.
  private singleHost(nodeDomains: Requirement): string | undefined {
    if (this.fields.key !== labels.hostname || nodeDomains.values.size !== 1) return undefined
    return [...nodeDomains.values][0]
  }

  private nextSpread(pod: Pod, podDomains: Requirement, nodeDomains: Requirement): readonly string[] {
    const { maxSkew } = this.fields
    const own = this.selects(pod) ? 1 : 0
    const host = this.singleHost(nodeDomains)
    if (host !== undefined) return (this.domains.get(host) ?? 0) + own <= maxSkew ? [host] : []
    const least = this.leastCount(podDomains)
    let best: string[] = []
    let bestCount = Number.POSITIVE_INFINITY
    const candidates = nodeDomains.operator === 'In' ? nodeDomains.values : this.domains.keys()
    for (const domain of candidates) {
      const found = this.domains.get(domain)
      if (found === undefined || !nodeDomains.has(domain)) continue
      const count = found + own
      if (count - least > maxSkew) continue
      if (count < bestCount) best = []
      if (count <= bestCount) best.push(domain)
      bestCount = Math.min(count, bestCount)
    }
    // Among the domains with the lowest count, upstream selects any in each attempt, most often the one that it has
    // known for the longest time. A domain without machines is not selected in every attempt.
    const selected = best[this.failures % best.length]
    return selected === undefined ? [] : [selected]
  }

  private leastCount(podDomains: Requirement): number {
    if (this.fields.key === labels.hostname) return 0
    const { minDomains } = this.fields
    let least = 2 ** 31 - 1
    let supported = 0
    for (const [domain, count] of this.domains) {
      if (!podDomains.has(domain)) continue
      supported++
      if (count < least) least = count
    }
    return minDomains !== undefined && supported < minDomains ? 0 : least
  }

  private nextAffinity(pod: Pod, podDomains: Requirement, nodeDomains: Requirement): Iterable<string> {
    const host = this.singleHost(nodeDomains)
    if (host !== undefined) {
      if (!podDomains.has(host)) return []
      return (this.domains.get(host) ?? 0) > 0 || this.canStart(pod, podDomains) ? [host] : []
    }
    const options = new Set<string>()
    for (const [domain, count] of this.domains) {
      if (count > 0 && podDomains.has(domain) && nodeDomains.has(domain)) options.add(domain)
    }
    if (options.size > 0 || !this.canStart(pod, podDomains)) return options
    // Upstream selects any domain, preferably a domain of the node.
    const both = podDomains.intersection(nodeDomains)
    for (const allowed of [both, podDomains]) {
      const domain = this.firstOf(allowed)
      if (domain !== undefined) options.add(domain)
    }
    return options
  }

  private firstOf(allowed: Requirement): string | undefined {
    for (const domain of this.domains.keys()) if (allowed.has(domain)) return domain
    return undefined
  }

  /** The first pod with affinity to itself can be placed anywhere. */
  private canStart(pod: Pod, podDomains: Requirement): boolean {
    if (!this.selects(pod)) return false
    if (this.domains.size === this.empty.size) return true
    for (const [domain, count] of this.domains) if (count > 0 && podDomains.has(domain)) return false
    return true
  }

  private nextAntiAffinity(podDomains: Requirement, nodeDomains: Requirement): readonly string[] {
    const host = this.singleHost(nodeDomains)
    if (host !== undefined) return (this.domains.get(host) ?? 0) === 0 ? [host] : []
    const isShorter = nodeDomains.operator === 'In' && nodeDomains.size < this.empty.size
    const candidates = isShorter ? nodeDomains.values : this.empty
    return [...candidates].filter(
      (domain) => this.empty.has(domain) && nodeDomains.has(domain) && podDomains.has(domain),
    )
  }
}

function identityOf({ type, key, namespaces, maxSkew, filter, selector }: TopologyGroupFields): string {
  const expressions = (selector?.matchExpressions ?? []).map((expression) =>
    JSON.stringify([expression.key, expression.operator, unpaired(expression.values ?? [])]),
  )
  const matchLabels = selector === undefined ? null : sortedEntries(selector.matchLabels ?? {})
  return JSON.stringify([
    type,
    key,
    [...namespaces].sort(),
    maxSkew,
    filter?.identity ?? '',
    [...new Set(expressions)].sort(),
    matchLabels,
  ])
}
