import { RequiredNodeAffinity } from '../../api/node-selector.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { intValue, milliValue } from '../../api/quantity.ts'
import { isExtendedResource } from '../../api/resource-names.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import { findUntoleratedTaint } from '../../api/tolerations.ts'
import { labels } from '../../api/well-known.ts'

export interface KubeletRejection {
  readonly reason: string
  readonly message: string
}

/**
 * The reason why a kubelet rejects a pod that was bound to its node (v1.36, pkg/kubelet/lifecycle,
 * predicateAdmitHandler). `others`: the pods that the kubelet runs already.
 */
export function decideAdmission(pod: Pod, node: Node, others: readonly Pod[]): KubeletRejection | undefined {
  return osRejection(pod, node) ?? fitRejection(pod, node, others) ?? placementRejection(pod, node, others)
}

function osRejection({ spec }: Pod, node: Node): KubeletRejection | undefined {
  const os = node.status?.nodeInfo?.['operatingSystem'] ?? 'linux'
  const selected = spec.nodeSelector?.[labels.os]
  const labeled = node.metadata.labels?.[labels.os]
  if (selected !== undefined && labeled !== undefined && selected !== labeled) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message }
  }
  const wanted = (spec as { readonly os?: { readonly name?: string } }).os?.name ?? os
  if (wanted === os) return undefined
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
}

const insufficient = (resource: string, requested: number, used: number, capacity: number): KubeletRejection => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
})

function fitRejection(pod: Pod, node: Node, others: readonly Pod[]): KubeletRejection | undefined {
  const allocatable = node.status?.allocatable ?? {}
  const pods = intValue(allocatable['pods'])
  if (others.length + 1 > pods) return insufficient('pods', 1, others.length, pods)
  const wanted = schedulingRequests(pod)
  if (
    wanted.cpuMilli === 0 &&
    wanted.memoryBytes === 0 &&
    wanted.ephemeralStorageBytes === 0 &&
    wanted.scalars.size === 0
  ) {
    return undefined
  }
  const used = others.map((other) => schedulingRequests(other))
  const sum = (of: (requests: (typeof used)[number]) => number) => used.reduce((total, one) => total + of(one), 0)
  const counted = [
    ['cpu', milliValue(allocatable['cpu']), (one: typeof wanted) => one.cpuMilli],
    ['memory', intValue(allocatable['memory']), (one: typeof wanted) => one.memoryBytes],
    [
      'ephemeral-storage',
      intValue(allocatable['ephemeral-storage']),
      (one: typeof wanted) => one.ephemeralStorageBytes,
    ],
    ...[...wanted.scalars.keys()]
      // Extended resources that the node does not have are resources of the cluster.
      .filter((name) => allocatable[name] !== undefined || !isExtendedResource(name))
      .map((name) => [name, intValue(allocatable[name]), (one: typeof wanted) => one.scalars.get(name) ?? 0] as const),
  ] as const
  for (const [resource, capacity, of] of counted) {
    const requested = of(wanted)
    if (requested === 0) continue
    const taken = sum(of)
    if (requested > capacity - taken) return insufficient(resource, requested, taken, capacity)
  }
  return undefined
}

function placementRejection(pod: Pod, node: Node, others: readonly Pod[]): KubeletRejection | undefined {
  const failed = (predicate: string, why: string) => ({
    reason: predicate,
    message: `Predicate ${predicate} failed: ${why}`,
  })
  const affinity = new RequiredNodeAffinity(pod)
  if (!affinity.everything && !affinity.matches(node.metadata.labels, node.metadata.name)) {
    return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")
  }
  const ports = hostPortsOf(pod)
  if (
    ports.length > 0 &&
    others.some((other) => hostPortsOf(other).some((one) => ports.some((own) => conflicts(own, one))))
  ) {
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports")
  }
  if (findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, ['NoExecute']) === undefined) return undefined
  return failed('TaintToleration', "node(s) had taints that the pod didn't tolerate")
}

interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const found: HostPort[] = []
  for (const { ports } of spec.containers) {
    if (ports === undefined) continue
    for (const { hostPort = 0, hostIP = '0.0.0.0', protocol = 'TCP' } of ports) {
      if (hostPort > 0) found.push({ ip: hostIP === '' ? '0.0.0.0' : hostIP, protocol, port: hostPort })
    }
  }
  return found
}

const conflicts = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0')
