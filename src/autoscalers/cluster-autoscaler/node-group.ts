import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'

/** A group of nodes of one shape that the autoscaler resizes. */
export interface NodeGroup {
  readonly name: string
  readonly min: number
  readonly max: number
  /** The node that the cloud would create if the group has none. */
  readonly template: Node
  /** The ResourceSlices of that node, which name the group instead of a node. */
  readonly devices?: readonly ResourceSlice[]
  /** The label that identifies nodes of the group. */
  readonly label: { readonly key: string; readonly value: string }
  /** Time from the request to the Node object. */
  readonly bootMs: number
  /** Nodes of the group that do not have its label. */
  readonly members?: ReadonlySet<string>
  /** The prefix of the names of new nodes. Default: the name of the group. */
  readonly nodePrefix?: string
  /** The size that was requested from the cloud before the forecast. Machines without a node are starting. */
  readonly foundTarget?: number
  /** The time since which the group has been in backoff. */
  readonly backoffSinceMs?: number
  /** Price per node and hour, for the price expander and for reports. */
  readonly pricePerHour?: number
}

/** The label of nodes whose group is defined in a file or a scenario. */
export const groupLabel = 'kwok-nodegroup'

/** Finds the group of each node. */
export class NodeGroups {
  readonly all: readonly NodeGroup[]
  private readonly byLabel = new Map<string, Map<string, NodeGroup>>()
  private readonly byName: ReadonlyMap<string, NodeGroup>
  private readonly byNode = new Map<string, NodeGroup>()

  constructor(groups: readonly NodeGroup[]) {
    this.all = groups
    this.byName = new Map(groups.map((group) => [group.name, group]))
    for (const group of groups) {
      for (const node of group.members ?? []) this.byNode.set(node, group)
      const { key, value } = group.label
      let values = this.byLabel.get(key)
      if (values === undefined) {
        values = new Map()
        this.byLabel.set(key, values)
      }
      values.set(value, group)
    }
  }

  get(name: string): NodeGroup | undefined {
    return this.byName.get(name)
  }

  of(node: Node): NodeGroup | undefined {
    const { labels, name } = node.metadata
    const known = this.byNode.get(name)
    if (known !== undefined || labels === undefined) return known
    for (const [key, groups] of this.byLabel) {
      const value = labels[key]
      const group = value === undefined ? undefined : groups.get(value)
      if (group !== undefined) return group
    }
    return undefined
  }
}
