import type { Pod } from '../../api/objects/pod.ts'
import { isAssigned, keepNomination, type Nominating, type Nominator, type ParsedPod } from '../contract/contract.ts'

const none: readonly ParsedPod[] = []
const maxChanges = 1_024

/**
 * The pods nominated to nodes. A nomination counts from the decision of the scheduler on, before it is in
 * `status.nominatedNodeName` (v1.36, backend/queue/nominator.go).
 */
export class PodNominator implements Nominator {
  private readonly nodes = new Map<string, string>()
  private readonly pods = new Map<string, ParsedPod[]>()
  private readonly current: ((pod: ParsedPod) => Pod | undefined) | undefined
  // The node of each change, for readers that keep state per node. The oldest entries are dropped.
  private log: string[] = []
  private logStart = 0

  /** @param current Returns the current pod. A deleted or assigned pod is not nominated. */
  constructor(current?: (pod: ParsedPod) => Pod | undefined) {
    this.current = current
  }

  get size(): number {
    return this.nodes.size
  }

  get version(): number {
    return this.logStart + this.log.length
  }

  changedSince(version: number): readonly string[] | undefined {
    return version < this.logStart ? undefined : this.log.slice(version - this.logStart)
  }

  /** An explicit node takes precedence over the status, because it is newer. */
  add(pod: ParsedPod, nominating: Nominating = keepNomination): void {
    this.delete(pod.uid)
    const node = nominating.kind === 'set' ? nominating.node : nominating.kind === 'keep' ? statusNode(pod.pod) : ''
    if (node === '') return
    if (this.current !== undefined) {
      const known = this.current(pod)
      if (known === undefined || isAssigned(known)) return
    }
    this.nodes.set(pod.uid, node)
    const nominated = this.pods.get(node)
    if (nominated === undefined) this.pods.set(node, [pod])
    else nominated.push(pod)
    this.note(node)
  }

  delete(uid: string): void {
    const node = this.nodes.get(uid)
    if (node === undefined) return
    this.nodes.delete(uid)
    const nominated = this.pods.get(node) ?? []
    const at = nominated.findIndex((other) => other.uid === uid)
    if (at >= 0) nominated.splice(at, 1)
    if (nominated.length === 0) this.pods.delete(node)
    this.note(node)
  }

  /**
   * Updates a pod. When neither the old nor the new status has a nomination, a nomination in memory is kept, because
   * its write is pending. Otherwise the new status decides.
   */
  update(before: Pod, after: ParsedPod): void {
    const held = this.nodes.get(after.uid)
    const named = statusNode(before) !== '' || statusNode(after.pod) !== ''
    if (held === undefined && !named) return
    this.add(after, held !== undefined && !named ? { kind: 'set', node: held } : keepNomination)
  }

  nodeOf(uid: string): string | undefined {
    return this.nodes.get(uid)
  }

  nominatedPodsFor(node: string): readonly ParsedPod[] {
    return this.pods.get(node) ?? none
  }

  nominatedNodes(): Iterable<string> {
    return this.pods.keys()
  }

  private note(node: string): void {
    this.log.push(node)
    if (this.log.length <= 2 * maxChanges) return
    this.logStart += maxChanges
    this.log = this.log.slice(maxChanges)
  }

  /** All nominations, for inspection. */
  entries(): { readonly pod: ParsedPod; readonly node: string }[] {
    return [...this.pods].flatMap(([node, pods]) => pods.map((pod) => ({ pod, node })))
  }
}

function statusNode(pod: Pod): string {
  return pod.status?.nominatedNodeName ?? ''
}
