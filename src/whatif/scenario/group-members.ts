import type { Node } from '../../api/objects/node.ts'
import { groupLabel, type NodeGroup } from '../../autoscalers/cluster-autoscaler/node-group.ts'

export interface GroupMembers {
  readonly members: readonly Node[]
  /** The label that identifies new nodes of the group. */
  readonly label: NodeGroup['label']
  /** The prefix of the names of new nodes. */
  readonly prefix: string
}

interface NamingRule {
  readonly label: string
  /** Reports whether the value of the label identifies a group of the cloud, given the last part of its name. */
  readonly matches: (group: string, value: string, node: Node) => boolean
}

const uuidLength = 36
const isSame = (group: string, value: string) => group === value
const machineOwner = 'cluster.x-k8s.io/owner-name'

/** How the providers name groups and label nodes. */
const rules: readonly NamingRule[] = [
  { label: groupLabel, matches: isSame },
  {
    // The auto scaling group of a managed node group is eks-NAME-UUID.
    label: 'eks.amazonaws.com/nodegroup',
    matches: (group, value) =>
      isSame(group, value) ||
      (group.startsWith(`eks-${value}-`) && group.length === `eks-${value}-`.length + uuidLength),
  },
  {
    label: 'alpha.eksctl.io/nodegroup-name',
    matches: (group, value) => isSame(group, value) || group.includes(`-nodegroup-${value}-NodeGroup-`),
  },
  {
    // A pool has one instance group per zone, and its nodes are named after the group.
    label: 'cloud.google.com/gke-nodepool',
    matches: (group, value, { metadata }) =>
      isSame(group, value) || metadata.name.startsWith(`${group.replace(/-grp$/, '')}-`),
  },
  { label: 'agentpool', matches: (group, value) => isSame(group, value) || group.startsWith(`aks-${value}-`) },
  {
    label: 'kubernetes.azure.com/agentpool',
    matches: (group, value) => isSame(group, value) || group.startsWith(`aks-${value}-`),
  },
  {
    label: 'kops.k8s.io/instancegroup',
    matches: (group, value) => isSame(group, value) || group.startsWith(`${value}.`),
  },
]

/** The nodes of a group of the cloud, found by names and by the labels of the providers. */
export function membersOf(name: string, nodes: readonly Node[]): GroupMembers {
  const group = name.slice(name.lastIndexOf('/') + 1)
  const prefix = prefixOf(group)
  for (const { label, matches } of rules) {
    const members = nodes.filter((node) => {
      const value = node.metadata.labels?.[label]
      return value !== undefined && matches(group, value, node)
    })
    const value = members[0]?.metadata.labels?.[label]
    if (value === undefined) continue
    // The nodes of a pool in several zones have one label and several groups.
    const isOwnLabel = nodes.every((node) => node.metadata.labels?.[label] !== value || members.includes(node))
    return { members, label: isOwnLabel ? { key: label, value } : { key: groupLabel, value: prefix }, prefix }
  }
  return {
    members: nodes.filter((node) => isMachineOf(node, group)),
    label: { key: groupLabel, value: prefix },
    prefix,
  }
}

/** Cluster API names the MachineSet of a node in an annotation: NAME-HASH of a MachineDeployment. */
function isMachineOf({ metadata }: Node, group: string): boolean {
  const owner = metadata.annotations?.[machineOwner]
  return owner !== undefined && (owner === group || owner.slice(0, owner.lastIndexOf('-')) === group)
}

/** A text that is valid in names of nodes and in values of labels, with room for a suffix. */
function prefixOf(group: string): string {
  const text = group
    .replace(/-grp$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 57)
  return text.replace(/^-+/, '').replace(/-+$/, '') || 'group'
}
