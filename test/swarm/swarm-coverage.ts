import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Change } from '../../src/runtime/controller.ts'
import type { SwarmStory } from './story.ts'

/** The coverage of stories: counts by name. */
export class SwarmCoverage {
  readonly counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count)
  }

  addAll(counts: ReadonlyMap<string, number> | Readonly<Record<string, number>>, prefix = ''): void {
    const entries = counts instanceof Map ? counts : Object.entries(counts)
    for (const [name, count] of entries) this.add(prefix + name, count)
  }

  /** The contents of the cluster of a story. */
  takeStory({ config, autoscaling = {}, load, objects, heartbeats, callRates }: SwarmStory): void {
    const ranges = String(config['cluster-cidr']).split(',').length
    const allocator = config['cidr-allocator-type'] ?? 'RangeAllocator'
    this.add(`cluster: release ${String(config['kubernetes-version'])}`)
    this.add(`cluster: ${String(allocator)}, ${ranges === 1 ? 'one range' : 'two ranges'}`)
    this.add(`cluster: heartbeats ${heartbeats}`)
    this.add(`cluster: request limits ${callRates}`)
    if (config['service-cluster-ip-range'] !== undefined) this.add('cluster: range of services')
    if ('clusterAutoscaler' in autoscaling) this.add('cluster: Cluster Autoscaler')
    if ('karpenter' in autoscaling) this.add('cluster: Karpenter')
    if (load !== undefined) this.add('cluster: HorizontalPodAutoscaler')
    if (String(config['feature-gates']).includes('GenericWorkload')) this.add('cluster: gangs')
    for (const kind of new Set(objects.map((object) => String(object['kind'])))) this.add(`objects: ${kind}`)
  }

  takeChange({ resource, before, after }: Change, by: string | undefined): void {
    const who = by ?? 'steps'
    switch (resource) {
      case 'pods':
        this.takePod(before as Pod | undefined, after as Pod | undefined, who)
        return
      case 'nodes':
        if (before === undefined) this.add(`nodes added by ${who}`)
        if (after === undefined) this.add(`nodes removed by ${who}`)
        return
      case 'deployments.apps':
        if (who !== 'steps' && replicasOf(before) !== replicasOf(after)) this.add(`deployments scaled by ${who}`)
        return
      case 'resourceclaims.resource.k8s.io':
        if (!isAllocated(before) && isAllocated(after)) this.add('device claims allocated')
    }
  }

  private takePod(before: Pod | undefined, after: Pod | undefined, who: string): void {
    const isBound = (pod: Pod | undefined) => (pod?.spec.nodeName ?? '') !== ''
    if (!isBound(before) && isBound(after)) this.add(`pods bound by ${who}`)
    const isGoing = (pod: Pod | undefined) => pod?.metadata.deletionTimestamp !== undefined
    const isDeleted = before !== undefined && !isGoing(before) && (after === undefined || isGoing(after))
    if (isDeleted) this.add(`pods deleted by ${who}`)
  }

  /** A table in Markdown, the totals first. */
  table(title: string): string {
    const rank = (name: string) => `${name.startsWith('total: ') ? 0 : 1}${name}`
    const rows = [...this.counts].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
    const lines = rows.map(([name, count]) => `| ${name} | ${count.toLocaleString('en-US')} |`)
    return [`| ${title} | count |`, '|---|---:|', ...lines].join('\n')
  }
}

const replicasOf = (object: KubeObject | undefined) =>
  (object as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec?.replicas

const isAllocated = (object: KubeObject | undefined) =>
  (object as { readonly status?: { readonly allocation?: object } } | undefined)?.status?.allocation !== undefined
