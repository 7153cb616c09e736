import { isPodTerminal } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Change } from '../../runtime/controller.ts'
import { SchedulerCache } from '../../scheduler/cache/scheduler-cache.ts'
import type { NodeState, ObjectReader, ParsedPod, PluginStatus, Profile } from '../../scheduler/contract/contract.ts'
import { ok, unresolvable } from '../../scheduler/contract/status.ts'
import { FilterRun } from '../../scheduler/framework/filter-run.ts'
import { PodNominator } from '../../scheduler/queue/nominator.ts'
import { type NodeDevices, SimulatedDevices } from './simulated-devices.ts'

/** A node that does not exist yet, with its initial pods. */
export interface NodeTemplate {
  readonly node: Node
  readonly pods: readonly Pod[]
  /** Its devices and the claims of its pods. Absent: none. */
  readonly devices?: NodeDevices
}

type Undo = () => void

/**
 * The nodes of the cluster and the pods on them, on which an autoscaler simulates changes. The filters of the scheduler
 * decide whether a pod fits. `revert` undoes the changes after `fork`. Changes of the real cluster are applied between
 * simulations, so the state is never rebuilt.
 */
export class ClusterSnapshot {
  private readonly profile: Profile
  private readonly isCounted: (pod: Pod) => boolean
  private readonly cache = new SchedulerCache()
  readonly devices: SimulatedDevices
  private readonly nominator = new PodNominator()
  private readonly forks: Undo[][] = []
  private objects: ObjectReader
  /** The time at which each pod was added to its node, by uid. */
  private readonly arrivals = new Map<string, number>()
  private nextArrival = 0
  /** Nodes whose pods simulations removed and added back at the end. */
  private readonly reordered = new Set<string>()
  /** The position of the last result. The next search starts after it, as in upstream. */
  private lastFound = 0

  /** `isCounted`: pods for which it returns false are ignored. */
  constructor(profile: Profile, objects: ObjectReader, isCounted: (pod: Pod) => boolean = () => true) {
    this.profile = profile
    this.objects = objects
    this.isCounted = isCounted
    this.devices = new SimulatedDevices(this.cache, profile, (undo) => this.undoable(undo))
  }

  /** Applies a change of the cluster. Not allowed during a simulation. */
  take(change: Change, objects: ObjectReader): void {
    this.objects = objects
    if (change.resource === 'nodes') {
      if (change.after !== undefined) this.cache.addNode(change.after)
      else if (change.before !== undefined) this.cache.removeNode(change.before)
    } else if (change.resource === 'pods') this.takePod(change.before, change.after)
    else {
      this.cache.noteChange(change.resource, change.before, change.after)
      this.devices.take(change.resource, change.before, change.after)
    }
  }

  get nodes(): readonly NodeState[] {
    return this.cache.cluster(this.objects).nodes
  }

  node(name: string): NodeState | undefined {
    return this.cache.cluster(this.objects).node(name)
  }

  /** The pods that are on a node in the simulation. Simulations that were undone do not change their order. */
  podsOn(name: string): readonly Pod[] {
    const pods = this.node(name)?.pods ?? []
    if (!this.reordered.has(name)) return pods.map(({ pod }) => pod)
    const arrivalOf = ({ uid }: ParsedPod): number =>
      this.cache.isAssumed(uid) ? Number.POSITIVE_INFINITY : (this.arrivals.get(uid) ?? Number.POSITIVE_INFINITY)
    return pods
      .map((parsed) => ({ pod: parsed.pod, at: arrivalOf(parsed) }))
      .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
      .map(({ pod }) => pod)
  }

  parse(pod: Pod): ParsedPod {
    const { nodeName, ...spec } = pod.spec
    return this.cache.parser.parse(nodeName === undefined ? pod : { ...pod, spec })
  }

  fork(): void {
    this.forks.push([])
  }

  revert(): void {
    const undos = this.forks.pop() ?? []
    for (const undo of undos.reverse()) undo()
  }

  /** Ends the fork and keeps its changes in the outer fork. */
  commit(): void {
    const undos = this.forks.pop() ?? []
    this.forks.at(-1)?.push(...undos)
  }

  addNode({ node, pods, devices }: NodeTemplate): void {
    if (devices !== undefined) this.devices.add(devices)
    this.cache.addNode(node)
    this.undoable(() => this.cache.removeNode(node))
    for (const pod of pods) this.place(this.parse(pod), node.metadata.name)
  }

  /** Replaces the Node object. The pods on the node stay. */
  updateNode(before: Node, after: Node): void {
    this.cache.updateNode(before, after)
    this.undoable(() => this.cache.updateNode(after, before))
  }

  /** Removes a node with its pods, its devices, and the claims of the pods. */
  removeNode(name: string): void {
    const state = this.node(name)
    if (state === undefined) return
    for (const parsed of [...state.pods]) {
      this.unplace(parsed)
      this.devices.removeClaimsOf(parsed.pod)
    }
    this.devices.removeSlicesOf(name)
    const { node } = state
    this.cache.removeNode(node)
    this.undoable(() => this.cache.addNode(node))
  }

  /** Adds a pod to a node without running the filters. */
  place(parsed: ParsedPod, node: string): void {
    this.cache.assumePod(parsed, node)
    this.undoable(() => this.cache.removePod(parsed.pod))
    this.devices.noteArrival(parsed.pod)
  }

  /** Removes a pod. Its claims keep their devices. */
  removePod(pod: Pod): void {
    const parsed = this.cache.getPod(pod.metadata.uid ?? '')
    if (parsed !== undefined) this.unplace(parsed)
  }

  /** Removes a pod that needs another node. */
  unschedulePod(pod: Pod): void {
    this.removePod(pod)
    this.devices.unreserve(pod)
  }

  /** Removes a pod together with its node. */
  dropPod(pod: Pod): void {
    this.removePod(pod)
    this.devices.removeClaimsOf(pod)
  }

  /** The first filter that rejects the node, or `ok`. */
  check(parsed: ParsedPod, name: string): PluginStatus {
    return this.checked(parsed, name).status
  }

  /** Adds the pod to the node if the filters allow it. */
  schedule(parsed: ParsedPod, name: string): PluginStatus {
    const { status, run } = this.checked(parsed, name)
    if (status.code === 'Success') this.occupy(parsed, name, run)
    return status
  }

  private checked(parsed: ParsedPod, name: string): { readonly status: PluginStatus; readonly run?: FilterRun } {
    const node = this.node(name)
    if (node === undefined) return { status: unresolvable('node not found') }
    const run = this.runOf(parsed)
    return run instanceof FilterRun ? { status: filterOn(run, node), run } : { status: run }
  }

  private occupy(parsed: ParsedPod, node: string, run: FilterRun | undefined): void {
    if (run !== undefined) this.devices.allocate(parsed, node, run.states, this.objects)
    this.place(parsed, node)
  }

  /** Adds the pod to the first acceptable node that the filters allow, and returns its name. */
  scheduleOnAny(parsed: ParsedPod, isAcceptable: (node: NodeState) => boolean): string | undefined {
    const run = this.runOf(parsed)
    if (!(run instanceof FilterRun)) return undefined
    const { nodes } = this
    for (let i = 0; i < nodes.length; i++) {
      const at = (this.lastFound + 1 + i) % nodes.length
      const node = nodes[at] as NodeState
      if (node.node.spec?.unschedulable === true || !isAcceptable(node)) continue
      if (filterOn(run, node).code !== 'Success') continue
      this.lastFound = at
      this.occupy(parsed, node.name, run)
      return node.name
    }
    return undefined
  }

  /** The filters for the pod, or the status of a PreFilter plugin that rejects it on all nodes. */
  private runOf(parsed: ParsedPod): FilterRun | PluginStatus {
    const run = new FilterRun(this.profile, parsed, this.cache.cluster(this.objects), this.nominator)
    const outcome = run.preFilter()
    if (outcome.kind === 'error') return unresolvable(outcome.message)
    if (outcome.kind === 'rejected') return outcome.status
    narrowed.set(run, outcome.nodes)
    return run
  }

  private takePod(before: Pod | undefined, after: Pod | undefined): void {
    const isThere = after !== undefined && isOnNode(after) && !isPodTerminal(after) && this.isCounted(after)
    const uid = (after ?? before)?.metadata.uid ?? ''
    if (!isThere) this.arrivals.delete(uid)
    else if (!this.arrivals.has(uid)) this.arrivals.set(uid, this.nextArrival++)
    if (isThere) {
      if (before !== undefined) this.cache.updatePod(before, after)
      else this.cache.addPod(after)
    } else if (before !== undefined) this.cache.removePod(before)
  }

  private unplace(parsed: ParsedPod): void {
    const { uid, pod } = parsed
    const node = this.cache.nodeOf(uid)
    if (node === undefined) return
    const isAssumed = this.cache.isAssumed(uid)
    this.cache.removePod(pod)
    this.undoable(() => {
      this.reordered.add(node)
      if (isAssumed || !isOnNode(pod)) this.cache.assumePod(parsed, node)
      else this.cache.addPod(pod)
    })
  }

  private undoable(undo: Undo): void {
    this.forks.at(-1)?.push(undo)
  }
}

/** The nodes that PreFilter leaves, for each filter run of a simulation. */
const narrowed = new WeakMap<FilterRun, ReadonlySet<string> | undefined>()

function filterOn(run: FilterRun, node: NodeState): PluginStatus {
  const left = narrowed.get(run)
  if (left !== undefined && !left.has(node.name)) return unresolvable('PreFilter filtered the Node out')
  const status = run.filter(node)
  return status.code === 'Success' ? ok : status
}

const isOnNode = ({ spec }: Pod) => spec.nodeName !== undefined && spec.nodeName !== ''
