import { keyOf } from '../../../api/object-key.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import type { Change } from '../../../runtime/controller.ts'
import type { View } from '../../../runtime/view.ts'
import { initializedLabel, nodePoolLabel } from '../names.ts'
import { NodeLists } from './node-lists.ts'
import { isProvisionable, isTerminal } from './pod-conditions.ts'
import { StateNode } from './state-node.ts'

const settledMs = 5 * 60_000

/** Nodes and claims by provider id, with the pods on them (v1.14, state.Cluster). */
export class ClusterState {
  private readonly byId = new Map<string, StateNode>()
  private all: readonly StateNode[] | undefined
  readonly lists = new NodeLists(() => this.nodes)
  private readonly idOfNode = new Map<string, string>()
  /** The provider ids of claims. An empty id means that no machine has been launched yet. */
  private readonly idOfClaim = new Map<string, string>()
  private readonly unlaunched = new Set<string>()
  private readonly nodeOfPod = new Map<string, string>()
  private readonly repellingPods = new Map<string, Pod>()
  private readonly provisionable = new Map<string, Pod>()
  /** Failed attempts of the provisioner to place pods, by identity of the topology group. */
  readonly failures = new Map<string, number>()
  private changes = 0
  private changedAt = Number.NEGATIVE_INFINITY

  get nodes(): readonly StateNode[] {
    this.all ??= [...this.byId.values()]
    return this.all
  }

  /** No decision may be made while the machine of a claim is unknown. */
  get isSynced(): boolean {
    return this.unlaunched.size === 0
  }

  byClaim(name: string): StateNode | undefined {
    return this.byId.get(this.idOfClaim.get(name) ?? '')
  }

  byNode(name: string): StateNode | undefined {
    return this.byId.get(this.idOfNode.get(name) ?? '')
  }

  /** Records a created claim that is not in the view yet. */
  expectClaim(name: string): void {
    if (!this.idOfClaim.has(name)) this.nameId(name, '')
  }

  private nameId(claim: string, id: string): void {
    this.idOfClaim.set(claim, id)
    if (id === '') this.unlaunched.add(claim)
    else this.unlaunched.delete(claim)
  }

  hasClaim(name: string): boolean {
    return this.idOfClaim.has(name)
  }

  /** Pods for which the scheduler found no node. */
  get pending(): Iterable<Pod> {
    return this.provisionable.values()
  }

  /** Bound pods with a required anti-affinity, and their nodes. */
  *repelling(): Iterable<readonly [Pod, Node]> {
    for (const [key, pod] of this.repellingPods) {
      const node = this.byNode(this.nodeOfPod.get(key) ?? '')?.node
      if (node !== undefined) yield [pod, node]
    }
  }

  /** A number that changes when consolidation may have become possible, and every five minutes. */
  consolidationState(now: number): number {
    if (now - this.changedAt >= settledMs) this.markChanged(now)
    return this.changes
  }

  markChanged(now: number): void {
    this.changes++
    this.changedAt = now
  }

  take(change: Change, view: View, now: number): void {
    switch (change.resource) {
      case 'pods':
        if (change.after === undefined) this.deletePod(change.key, now)
        else this.setPod(change.key, change.after, now)
        this.byNode((change.after ?? change.before)?.spec.nodeName ?? '')?.touchPods()
        return
      case 'nodes':
        if (change.after === undefined) this.deleteNode(change.key, now)
        else this.setNode(change.after, view, now)
        return
      case 'nodeclaims.karpenter.sh':
        if (change.after === undefined) this.deleteClaim(change.key, now)
        else this.setClaim(change.after, now)
        return
      case 'nodepools.karpenter.sh':
        if (change.after !== undefined && change.after.metadata.generation !== change.before?.metadata.generation)
          this.markChanged(now)
        return
      default:
        return
    }
  }

  private setNode(node: Node, view: View, now: number): void {
    const { name, labels: own = {} } = node.metadata
    const isManaged = (own[nodePoolLabel] ?? '') !== ''
    const providerID = node.spec?.providerID ?? ''
    if (providerID === '' && isManaged) return
    if (isManaged && (own[labels.instanceType] ?? '') === '' && (own[initializedLabel] ?? '') === '') return
    const id = providerID === '' ? name : providerID
    const before = this.idOfNode.get(name)
    if (before !== undefined && before !== id) this.deleteNode(name, now)
    const isNew = this.byId.get(id)?.node === undefined
    this.change(id, now, (state) => {
      state.node = node
    })
    this.idOfNode.set(name, id)
    if (isNew) for (const pod of view.podsOn(name)) this.setPod(keyOf(pod), pod, now)
  }

  private deleteNode(name: string, now: number): void {
    const state = this.byNode(name)
    this.idOfNode.delete(name)
    if (state === undefined) return
    state.node = undefined
    if (state.claim === undefined) this.drop(state)
    this.markChanged(now)
  }

  private setClaim(claim: NodeClaim, now: number): void {
    const { name } = claim.metadata
    const id = claim.status?.providerID ?? ''
    if (id !== '') {
      this.change(id, now, (state) => {
        state.claim = claim
      })
    }
    this.nameId(name, id)
  }

  private deleteClaim(name: string, now: number): void {
    const state = this.byClaim(name)
    this.idOfClaim.delete(name)
    this.unlaunched.delete(name)
    if (state === undefined) return
    state.claim = undefined
    if (state.node === undefined) this.drop(state)
    this.markChanged(now)
  }

  private drop(state: StateNode): void {
    this.byId.delete(state.id)
    this.lists.remove(state)
    this.all = undefined
  }

  private change(id: string, now: number, apply: (state: StateNode) => void): void {
    const existing = this.byId.get(id)
    const state = existing ?? new StateNode(id, this.lists)
    const before = existing === undefined ? undefined : [state.isInitialized, state.isLeaving]
    apply(state)
    if (existing === undefined) {
      this.byId.set(id, state)
      this.all = undefined
    }
    const isSame = before !== undefined && before[0] === state.isInitialized && before[1] === state.isLeaving
    if (!isSame) this.markChanged(now)
  }

  private setPod(key: string, pod: Pod, now: number): void {
    const isRepelling = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
    if (isRepelling) this.repellingPods.set(key, pod)
    if (isProvisionable(pod)) this.provisionable.set(key, pod)
    else this.provisionable.delete(key)
    const node = pod.spec.nodeName ?? ''
    if (isTerminal(pod)) this.release(key)
    else if (node !== '') {
      const before = this.nodeOfPod.get(key)
      if (before !== undefined && before !== node) this.release(key)
      this.byNode(node)?.setPod(key, pod)
      this.nodeOfPod.set(key, node)
      if (before !== node) this.markChanged(now)
    }
  }

  private deletePod(key: string, now: number): void {
    this.repellingPods.delete(key)
    this.provisionable.delete(key)
    this.release(key)
    this.markChanged(now)
  }

  private release(key: string): void {
    const node = this.nodeOfPod.get(key)
    this.nodeOfPod.delete(key)
    if (node !== undefined) this.byNode(node)?.removePod(key)
  }
}
