import type { DeviceTaint, DeviceTaintRule, ResourceSlice } from '../../api/objects/devices.ts'

/** A slice before and after a change, with the taints of rules. */
export interface SliceChange {
  readonly before?: ResourceSlice
  readonly after?: ResourceSlice
}

/** Adds the taints of DeviceTaintRules to the devices that they select (v1.36, resourceslice/tracker). */
export class TaintedSlices {
  private readonly rules = new Map<string, DeviceTaintRule>()
  /** The slices as they are published, for those with taints of rules. */
  private readonly originals = new Map<string, ResourceSlice>()

  /** The slice with the taints of all rules; the same object without any. */
  taint(slice: ResourceSlice): ResourceSlice {
    const { name } = slice.metadata
    const tainted = this.rules.size === 0 ? slice : withTaints(slice, [...this.rules.values()])
    if (tainted === slice) this.originals.delete(name)
    else this.originals.set(name, slice)
    return tainted
  }

  forget(slice: ResourceSlice): void {
    this.originals.delete(slice.metadata.name)
  }

  /** Takes a change of a rule. Returns the slices whose devices it selects or selected. */
  noteRule(
    before: DeviceTaintRule | undefined,
    after: DeviceTaintRule | undefined,
    slices: Iterable<ResourceSlice>,
  ): readonly SliceChange[] {
    // The status of a rule changes often.
    if (before !== undefined && before.spec === after?.spec) return []
    if (after !== undefined) this.rules.set(after.metadata.name, after)
    else if (before !== undefined) this.rules.delete(before.metadata.name)
    const changed = [before, after].filter((rule) => rule !== undefined)
    const changes: SliceChange[] = []
    for (const known of slices) {
      if (!changed.some((rule) => taintsOf(rule, known, undefined) !== undefined)) continue
      const tainted = this.taint(this.originals.get(known.metadata.name) ?? known)
      if (!sameTaints(known, tainted)) changes.push({ before: known, after: tainted })
    }
    return changes
  }
}

function withTaints(slice: ResourceSlice, rules: readonly DeviceTaintRule[]): ResourceSlice {
  let isChanged = false
  const devices = (slice.spec.devices ?? []).map((device) => {
    const added = rules.flatMap((rule) => taintsOf(rule, slice, device.name) ?? [])
    if (added.length === 0) return device
    isChanged = true
    return { ...device, taints: [...(device.taints ?? []), ...added] }
  })
  return isChanged ? { ...slice, spec: { ...slice.spec, devices } } : slice
}

/** The taint of a rule that selects a device, or any device of the slice. */
function taintsOf(
  { apiVersion, spec }: DeviceTaintRule,
  { spec: { driver, pool } }: ResourceSlice,
  device: string | undefined,
): DeviceTaint | undefined {
  const { deviceSelector: selector, taint } = spec
  // Before v1.37, with resource.k8s.io/v1, a rule without a selector selects all devices.
  if (selector === undefined) return apiVersion === 'resource.k8s.io/v1' ? undefined : taint
  if (selector.driver !== undefined && selector.driver !== driver) return undefined
  if (selector.pool !== undefined && selector.pool !== pool.name) return undefined
  if (device !== undefined && selector.device !== undefined && selector.device !== device) return undefined
  return taint
}

function sameTaints(a: ResourceSlice, b: ResourceSlice): boolean {
  if (a === b) return true
  return (a.spec.devices ?? []).every(({ taints = [] }, i) => {
    const others = b.spec.devices?.[i]?.taints ?? []
    return (
      taints.length === others.length &&
      taints.every(({ key, value, effect, timeAdded }, j) => {
        const other = others[j]
        return key === other?.key && value === other.value && effect === other.effect && timeAdded === other.timeAdded
      })
    )
  })
}
