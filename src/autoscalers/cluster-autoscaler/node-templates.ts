import { slicesOfNewMachine } from '../../api/local-slices.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations, labels } from '../../api/well-known.ts'
import { daemonPod, eligibilityOf } from '../../controllers/daemon-set/daemon-pod.ts'
import type { ClusterSnapshot, NodeTemplate } from '../simulation/cluster-snapshot.ts'
import { type NodeDevices, noDevices } from '../simulation/simulated-devices.ts'
import { nodeOf } from './node-cloud.ts'
import type { NodeGroup, NodeGroups } from './node-group.ts'
import { readinessOf } from './node-readiness.ts'
import { hasTaintKey, lastingTaints, toBeDeletedTaint } from './taints.ts'
import { copyDevices, unreadyWithout } from './template-devices.ts'

/** A node must have been ready for this long to serve as an example of its group (1.36, nodeinfosprovider). */
const stableMs = 60_000
const templateLabel = 'cluster-autoscaler.kubernetes.io/template-node'

export interface TemplateInput {
  readonly groups: NodeGroups
  readonly nodes: readonly Node[]
  readonly snapshot: ClusterSnapshot
  readonly daemonSets: readonly DaemonSet[]
  readonly wall: number
  /** --force-ds */
  readonly forcesDaemonSets: boolean
  /** A part of the names, so that pods do not match the nodes of an earlier loop. */
  readonly computation: number
}

/**
 * The expected new node of each group (1.36, MixedTemplateNodeInfoProvider): like a healthy node of the group,
 * otherwise like an earlier one, otherwise as the cloud describes it, otherwise like any node of the group.
 */
export class NodeTemplates {
  private readonly seen = new Map<string, NodeTemplate>()
  private last: ReadonlyMap<string, NodeTemplate> = new Map()
  private computations = 0

  compute(given: Omit<TemplateInput, 'computation'>): ReadonlyMap<string, NodeTemplate> {
    this.computations++
    const input: TemplateInput = { ...given, computation: this.computations }
    const templates = new Map<string, NodeTemplate>()
    const others: Node[] = []
    for (const node of input.nodes) {
      const group = input.groups.of(node)
      if (group === undefined || templates.has(group.name)) continue
      if (!isGoodExample(node, input.wall)) {
        others.push(node)
        continue
      }
      const template = templateLike(node, partsOf(node, input.snapshot), group, input, input.forcesDaemonSets)
      templates.set(group.name, template)
      this.seen.set(group.name, template)
    }
    for (const group of input.groups.all) {
      if (templates.has(group.name)) continue
      const known = this.seen.get(group.name)
      if (known !== undefined) templates.set(group.name, known)
      else if (group.template.status?.allocatable !== undefined) templates.set(group.name, fromGroup(group, input))
    }
    for (const node of others) {
      const group = input.groups.of(node) as NodeGroup
      if (templates.has(group.name)) continue
      const parts = partsOf(node, input.snapshot)
      templates.set(group.name, templateLike(node, parts, group, input, input.forcesDaemonSets))
    }
    this.last = templates
    return templates
  }

  /** The node in the view of the autoscaler: not ready without the devices of its group. */
  withDevices(node: Node, group: NodeGroup | undefined, { devices }: ClusterSnapshot): Node {
    const expected = group && (this.last.get(group.name)?.devices?.slices ?? group.devices)
    if (expected === undefined || expected.length === 0) return node
    if (node.spec?.unschedulable === true || !readinessOf(node).isReady) return node
    return unreadyWithout(node, expected, devices.slicesOf(node.metadata.name))
  }

  /** The devices of a new node of the group. */
  devicesOf(group: NodeGroup, name: string): readonly ResourceSlice[] {
    const { node, devices = noDevices } = this.last.get(group.name) ?? {}
    return node === undefined ? [] : slicesOfNewMachine(devices.slices, node.metadata.name, name)
  }
}

function isGoodExample(node: Node, wall: number): boolean {
  const { isReady, changedAt } = readinessOf(node)
  return (
    isReady && changedAt + stableMs < wall && node.spec?.unschedulable !== true && !hasTaintKey(node, toBeDeletedTaint)
  )
}

function fromGroup(group: NodeGroup, input: TemplateInput): NodeTemplate {
  const node = nodeOf({ name: group.name, group })
  // Cloud providers include the static pod of kube-proxy in the template of a new node.
  const parts = { pods: [kubeProxy(group.name)], devices: { slices: group.devices ?? [], claims: [] } }
  return templateLike(node, parts, group, input, true)
}

type NodeParts = Required<Omit<NodeTemplate, 'node'>>

/** The contents of a node: its pods, its devices, and the claims of the pods. */
function partsOf({ metadata }: Node, snapshot: ClusterSnapshot): NodeParts {
  const pods = snapshot.podsOn(metadata.name)
  const claims = pods.flatMap((pod) => snapshot.devices.claimsOf(pod))
  return { pods, devices: { slices: snapshot.devices.slicesOf(metadata.name), claims } }
}

function templateLike(
  example: Node,
  { pods, devices }: NodeParts,
  group: NodeGroup,
  { daemonSets, computation }: TemplateInput,
  forcesDaemonSets: boolean,
): NodeTemplate {
  const name = `template-node-for-${group.name}-${computation}`
  const node: Node = {
    ...example,
    metadata: {
      ...example.metadata,
      name,
      uid: name,
      labels: { ...example.metadata.labels, [labels.hostname]: name, [templateLabel]: 'true' },
    },
    spec: { ...example.spec, taints: lastingTaints(example.spec?.taints) },
  }
  const staying = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && (isMirrorPod(pod) || isDaemonSetPod(pod)),
  )
  const running = new Set(
    pods.map((pod) => controllerOf(pod)).flatMap((owner) => (owner === undefined ? [] : owner.uid)),
  )
  const expected = daemonSets
    .filter((set) => !running.has(set.metadata.uid ?? '') && eligibilityOf(set, node, {}).starts)
    .map((set) => daemonPod(set, '', name))
    .filter((pod) => forcesDaemonSets || isNodeCritical(pod))
  return { node, ...onCopy([...staying, ...expected], devices, example.metadata.name, name) }
}

function onCopy(pods: readonly Pod[], devices: NodeDevices, like: string, name: string): Omit<NodeTemplate, 'node'> {
  const copies = pods.map((pod, at) => [pod, onTemplate(pod, name, at)] as const)
  if (devices.slices.length + devices.claims.length === 0) return { pods: copies.map(([, copy]) => copy) }
  return copyDevices(devices, copies, like, name)
}

function onTemplate(pod: Pod, node: string, at: number): Pod {
  const name = `${pod.metadata.name ?? pod.metadata.generateName ?? 'pod'}-${at}`
  return { ...pod, metadata: { ...pod.metadata, name, uid: `${node}/${name}` }, spec: { ...pod.spec, nodeName: node } }
}

/** A copy of a template with its own name, for the simulation. */
export function copyOf({ node, pods, devices = noDevices }: NodeTemplate, suffix: string): NodeTemplate {
  const name = `${node.metadata.name}-${suffix}`
  return {
    node: {
      ...node,
      metadata: { ...node.metadata, name, uid: name, labels: { ...node.metadata.labels, [labels.hostname]: name } },
    },
    ...onCopy(pods, devices, node.metadata.name, name),
  }
}

function kubeProxy(group: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `kube-proxy-${group}`,
      namespace: 'kube-system',
      annotations: { [annotations.mirrorPod]: 'mirror' },
      labels: { component: 'kube-proxy', tier: 'node' },
    },
    spec: {
      containers: [{ name: 'kube-proxy', image: 'kubeproxy', resources: { requests: { cpu: '100m' } } }],
      priority: 2_000_000_000,
    },
    status: { phase: 'Running' },
  } as unknown as Pod
}

function isNodeCritical({ spec }: Pod): boolean {
  return (
    spec.priorityClassName === 'system-node-critical' && (spec.preemptionPolicy ?? 'PreemptLowerPriority') !== 'Never'
  )
}

export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotations.mirrorPod] !== undefined
}

export function isDaemonSetPod(pod: Pod): boolean {
  return (
    controllerOf(pod)?.kind === 'DaemonSet' ||
    pod.metadata.annotations?.['cluster-autoscaler.kubernetes.io/daemonset-pod'] === 'true'
  )
}
