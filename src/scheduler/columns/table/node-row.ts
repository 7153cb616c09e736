import type { Node } from '../../../api/objects/node.ts'
import { intValue, milliValue } from '../../../api/quantity.ts'
import { isScalarResource } from '../../../api/resource-names.ts'
import { extended } from '../../../base/extended.ts'
import type { NodeState } from '../../contract/node-state.ts'
import type { HostPort, ParsedPod } from '../../contract/parsed-pod.ts'
import { HostPorts } from './host-ports.ts'

interface MutableAmounts {
  cpuMilli: number
  memoryBytes: number
  ephemeralStorageBytes: number
  readonly scalars: Map<string, number>
}

const noNode: Node = { metadata: { name: '' } }

/** A node with its pods. The rows of the node table are mirrored into columns; copies are for trials. */
export class NodeRow implements NodeState {
  readonly name: string
  readonly row: number
  node: Node = noNode
  /** False when the node is deleted, or not added yet, but pods on it are known. */
  exists = false
  readonly pods: ParsedPod[] = []
  readonly podsWithAffinity: ParsedPod[] = []
  readonly podsWithRequiredAntiAffinity: ParsedPod[] = []
  allocatable: MutableAmounts & { pods: number } = extended(noAmounts(), { pods: 0 })
  readonly requested: MutableAmounts = noAmounts()
  readonly nonZeroRequested = { cpuMilli: 0, memoryBytes: 0 }
  readonly claimUses = new Map<string, number>()
  private ports: HostPorts = new HostPorts()
  /** Undefined: to be computed. */
  private lowest: number | undefined

  constructor(name: string, row: number) {
    this.name = name
    this.row = row
  }

  setNode(node: Node): void {
    this.node = node
    this.exists = true
    this.allocatable = allocatableOf(node)
  }

  dropNode(): void {
    this.node = noNode
    this.exists = false
    this.allocatable = extended(noAmounts(), { pods: 0 })
  }

  /** The lowest priority of the pods; Infinity without pods. */
  get lowestPriority(): number {
    if (this.lowest === undefined) {
      let lowest = Number.POSITIVE_INFINITY
      for (const { priority } of this.pods) if (priority < lowest) lowest = priority
      this.lowest = lowest
    }
    return this.lowest
  }

  addPod(pod: ParsedPod): void {
    this.pods.push(pod)
    this.lowest = undefined
    if (pod.shape.hasAffinity) this.podsWithAffinity.push(pod)
    if (pod.shape.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.push(pod)
    this.count(pod, 1)
    for (const port of pod.shape.hostPorts) this.ports.add(port)
  }

  /** Reports whether the pod was on the node. */
  removePod(known: ParsedPod): boolean {
    const pod = takeOut(this.pods, known)
    if (pod === undefined) return false
    this.lowest = undefined
    if (pod.shape.hasAffinity) takeOut(this.podsWithAffinity, pod)
    if (pod.shape.requiredAntiAffinity.length > 0) takeOut(this.podsWithRequiredAntiAffinity, pod)
    this.count(pod, -1)
    for (const port of pod.shape.hostPorts) this.ports.remove(port)
    return true
  }

  /** For an update that does not change any count. */
  replacePod(before: ParsedPod, after: ParsedPod): void {
    replaceIn(this.pods, before, after)
    this.lowest = undefined
    if (after.shape.hasAffinity) replaceIn(this.podsWithAffinity, before, after)
    if (after.shape.requiredAntiAffinity.length > 0) replaceIn(this.podsWithRequiredAntiAffinity, before, after)
  }

  portsFree(ports: readonly HostPort[]): boolean {
    return this.ports.free(ports)
  }

  copy(): NodeRow {
    const copy = new NodeRow(this.name, this.row)
    copy.node = this.node
    copy.exists = this.exists
    copy.pods.push(...this.pods)
    copy.podsWithAffinity.push(...this.podsWithAffinity)
    copy.podsWithRequiredAntiAffinity.push(...this.podsWithRequiredAntiAffinity)
    copy.allocatable = this.allocatable
    const { cpuMilli, memoryBytes, ephemeralStorageBytes } = this.requested
    Object.assign(copy.requested, { cpuMilli, memoryBytes, ephemeralStorageBytes })
    for (const [name, amount] of this.requested.scalars) copy.requested.scalars.set(name, amount)
    Object.assign(copy.nonZeroRequested, this.nonZeroRequested)
    for (const [claim, uses] of this.claimUses) copy.claimUses.set(claim, uses)
    copy.ports = this.ports.copy()
    return copy
  }

  private count({ shape }: ParsedPod, sign: 1 | -1): void {
    const { requests } = shape
    this.requested.cpuMilli += sign * requests.cpuMilli
    this.requested.memoryBytes += sign * requests.memoryBytes
    this.requested.ephemeralStorageBytes += sign * requests.ephemeralStorageBytes
    // Most pods have no scalar requests, and this runs for every pod.
    if (requests.scalars.size > 0) {
      for (const [name, amount] of requests.scalars) {
        this.requested.scalars.set(name, (this.requested.scalars.get(name) ?? 0) + sign * amount)
      }
    }
    this.nonZeroRequested.cpuMilli += sign * shape.nonZeroCpuMilli
    this.nonZeroRequested.memoryBytes += sign * shape.nonZeroMemoryBytes
    for (const claim of shape.claims) {
      const uses = (this.claimUses.get(claim) ?? 0) + sign
      if (uses > 0) this.claimUses.set(claim, uses)
      else this.claimUses.delete(claim)
    }
  }
}

function noAmounts(): MutableAmounts {
  return { cpuMilli: 0, memoryBytes: 0, ephemeralStorageBytes: 0, scalars: new Map() }
}

function allocatableOf(node: Node): MutableAmounts & { pods: number } {
  const list = node.status?.allocatable
  const scalars = new Map<string, number>()
  for (const name in list) if (isScalarResource(name)) scalars.set(name, intValue(list[name]))
  return {
    cpuMilli: milliValue(list?.cpu),
    memoryBytes: intValue(list?.memory),
    ephemeralStorageBytes: intValue(list?.['ephemeral-storage']),
    pods: intValue(list?.pods),
    scalars,
  }
}

function takeOut(pods: ParsedPod[], pod: ParsedPod): ParsedPod | undefined {
  const at = placeOf(pods, pod)
  if (at < 0) return undefined
  const found = pods[at] as ParsedPod
  const last = pods.pop() as ParsedPod
  if (at < pods.length) pods[at] = last
  return found
}

function replaceIn(pods: ParsedPod[], before: ParsedPod, after: ParsedPod): void {
  const at = placeOf(pods, before)
  if (at >= 0) pods[at] = after
}

/** Most callers pass the object that is in the list, which `indexOf` finds without reading the pods. */
function placeOf(pods: readonly ParsedPod[], pod: ParsedPod): number {
  const at = pods.indexOf(pod)
  return at >= 0 ? at : pods.findIndex(({ uid }) => uid === pod.uid)
}
