import type { View } from '../../../runtime/view.ts'
import type { StateNode } from '../state/state-node.ts'
import { mountedVolumes } from './volume-topology.ts'

type Mounted = ReadonlyMap<string, ReadonlySet<string>>

/** The volumes on a node by driver, compared with the limits of its CSINode. */
export class VolumeUsage {
  private readonly limits: ReadonlyMap<string, number>
  private readonly mounted = new Map<string, Set<string>>()

  constructor(limits: ReadonlyMap<string, number>) {
    this.limits = limits
  }

  exceeds(more: Mounted): boolean {
    for (const [driver, limit] of this.limits) {
      const all = new Set([...(this.mounted.get(driver) ?? []), ...(more.get(driver) ?? [])])
      if (all.size > limit) return true
    }
    return false
  }

  add(more: Mounted): void {
    for (const [driver, volumes] of more) {
      const all = this.mounted.get(driver) ?? new Set()
      for (const volume of volumes) all.add(volume)
      this.mounted.set(driver, all)
    }
  }
}

/** Undefined for nodes without limits. */
export function volumeUsageOf({ node }: StateNode, view: View): VolumeUsage | undefined {
  const name = node?.metadata.name
  if (name === undefined) return undefined
  const limits = new Map<string, number>()
  for (const { name: driver, allocatable } of view.get('csinodes.storage.k8s.io', name)?.spec.drivers ?? []) {
    if (allocatable !== undefined) limits.set(driver, allocatable.count ?? 0)
  }
  if (limits.size === 0) return undefined
  const usage = new VolumeUsage(limits)
  for (const pod of view.podsOn(name)) usage.add(mountedVolumes(pod, view))
  return usage
}
