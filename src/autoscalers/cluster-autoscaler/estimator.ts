import type { Pod } from '../../api/objects/pod.ts'
import { intValue, milliValue } from '../../api/quantity.ts'
import { labels } from '../../api/well-known.ts'
import type { PluginStatus } from '../../scheduler/contract/contract.ts'
import type { ClusterSnapshot, NodeTemplate } from '../simulation/cluster-snapshot.ts'
import { copyOf } from './node-templates.ts'

export interface NodeEstimate {
  readonly nodeCount: number
  readonly pods: readonly Pod[]
}

/**
 * The number of new nodes that the pods need, by first fit, largest pods first, on copies of the template (1.36,
 * estimator BinpackingNodeEstimator). `maxNodes` undefined: no limit.
 */
export function estimateNodes(
  snapshot: ClusterSnapshot,
  groups: readonly (readonly Pod[])[],
  template: NodeTemplate,
  maxNodes: number | undefined,
): NodeEstimate {
  snapshot.fork()
  try {
    const packing = new Packing(snapshot, template, maxNodes)
    for (const pods of largestFirst(snapshot, groups, template)) packing.add(pods)
    return { nodeCount: packing.used.size, pods: packing.scheduled }
  } finally {
    snapshot.revert()
  }
}

class Packing {
  readonly scheduled: Pod[] = []
  readonly used = new Set<string>()
  private readonly snapshot: ClusterSnapshot
  private readonly template: NodeTemplate
  private readonly maxNodes: number | undefined
  private readonly added = new Set<string>()
  private last: string | undefined
  private isFull = false

  constructor(snapshot: ClusterSnapshot, template: NodeTemplate, maxNodes: number | undefined) {
    this.snapshot = snapshot
    this.template = template
    this.maxNodes = maxNodes
  }

  add(pods: readonly Pod[]): void {
    const left = this.addToExisting(pods)
    if (!this.isFull) this.addToNew(left)
  }

  private addToExisting(pods: readonly Pod[]): readonly Pod[] {
    for (const [at, pod] of pods.entries()) {
      const node = this.snapshot.scheduleOnAny(this.snapshot.parse(pod), ({ name }) => this.added.has(name))
      if (node === undefined) return pods.slice(at)
      this.note(pod, node)
    }
    return []
  }

  private addToNew(pods: readonly Pod[]): void {
    for (const pod of pods) {
      if (this.fitsSomewhere(pod)) continue
      // A pod that does not fit on an empty node does not fit on another empty node.
      if (this.last !== undefined && !this.used.has(this.last)) return
      if (this.maxNodes !== undefined && this.added.size >= this.maxNodes) {
        this.isFull = true
        return
      }
      const name = this.addNode()
      if (this.snapshot.schedule(this.snapshot.parse(pod), name).code !== 'Success') return
      this.note(pod, name)
    }
  }

  private fitsSomewhere(pod: Pod): boolean {
    const { last, snapshot } = this
    if (last === undefined) return false
    const parsed = snapshot.parse(pod)
    const status = snapshot.schedule(parsed, last)
    if (status.code === 'Success') {
      this.note(pod, last)
      return true
    }
    if (!spreadsOverHosts(pod) || !isSpreadRejection(status)) return false
    const node = snapshot.scheduleOnAny(parsed, ({ name }) => name !== last)
    if (node === undefined) return false
    this.note(pod, node)
    return true
  }

  private addNode(): string {
    const copy = copyOf(this.template, `e-${this.added.size}`)
    this.snapshot.addNode(copy)
    this.last = copy.node.metadata.name
    this.added.add(this.last)
    return this.last
  }

  private note(pod: Pod, node: string): void {
    this.used.add(node)
    this.scheduled.push(pod)
  }
}

function spreadsOverHosts({ spec }: Pod): boolean {
  return spec.topologySpreadConstraints?.some(({ topologyKey }) => topologyKey === labels.hostname) === true
}

function isSpreadRejection({ reasons }: PluginStatus): boolean {
  return reasons.includes("node(s) didn't match pod topology spread constraints")
}

/** 1.36, estimator DecreasingPodOrderer: by the sum of the shares of cpu and memory that a pod requests. */
function largestFirst(
  snapshot: ClusterSnapshot,
  groups: readonly (readonly Pod[])[],
  { node }: NodeTemplate,
): readonly (readonly Pod[])[] {
  const cpuMilli = milliValue(node.status?.allocatable?.['cpu'])
  const memoryBytes = intValue(node.status?.allocatable?.['memory'])
  const share = (requested: number, allocatable: number) => (allocatable > 0 ? requested / allocatable : 0)
  const scored = groups.map((pods) => {
    const { requests } = snapshot.parse(pods[0] as Pod).shape
    return { pods, score: share(requests.cpuMilli, cpuMilli) + share(requests.memoryBytes, memoryBytes) }
  })
  return scored.sort((a, b) => b.score - a.score).map(({ pods }) => pods)
}
