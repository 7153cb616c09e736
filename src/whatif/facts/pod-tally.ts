import type { Pod } from '../../api/objects/pod.ts'
import { isMissing, type PodState, podStateOf, podStates } from '../../api/pod-state.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'

/** The number and the requests of the pods of one node, without finished pods. */
export interface NodeTally {
  readonly pods: number
  readonly cpuMilli: number
  readonly memoryBytes: number
}

const nothing: NodeTally = { pods: 0, cpuMilli: 0, memoryBytes: 0 }

/** Counts pods by state, and requests by node. Counts once, then updates with every change. */
export class PodTally {
  readonly states: Record<PodState, number>
  /** The uids of pods that were missing at the first count. */
  readonly missing = new Set<string>()
  private readonly nodes = new Map<string, { -readonly [Name in keyof NodeTally]: NodeTally[Name] }>()

  /** `see` is called with every pod and its state. */
  constructor(pods: Iterable<Pod>, see?: (pod: Pod, state: PodState) => void) {
    this.states = Object.fromEntries(podStates.map((state) => [state, 0])) as Record<PodState, number>
    for (const pod of pods) {
      const state = podStateOf(pod)
      this.states[state]++
      see?.(pod, state)
      if (isMissing(state)) this.missing.add(pod.metadata.uid ?? '')
      if (state !== 'ended') this.count(pod, 1)
    }
  }

  /** A tally with the same counts. */
  copy(): PodTally {
    const copy = new PodTally([])
    Object.assign(copy.states, this.states)
    for (const uid of this.missing) copy.missing.add(uid)
    for (const [name, tally] of this.nodes) copy.nodes.set(name, { ...tally })
    return copy
  }

  on(node: string): NodeTally {
    return this.nodes.get(node) ?? nothing
  }

  /** `old` and `young` are the results of `podStateOf` for `before` and `after`. */
  take(before: Pod | undefined, after: Pod | undefined, old: PodState | undefined, young: PodState | undefined): void {
    if (old !== undefined) this.states[old]--
    if (young !== undefined) this.states[young]++
    const was = old === 'ended' ? undefined : before
    const is = young === 'ended' ? undefined : after
    if (was !== undefined && is !== undefined && hasSameRequests(was, is)) return
    if (was !== undefined) this.count(was, -1)
    if (is !== undefined) this.count(is, 1)
  }

  private count(pod: Pod, sign: 1 | -1): void {
    const name = pod.spec.nodeName
    if (name === undefined || name === '') return
    let tally = this.nodes.get(name)
    if (tally === undefined) {
      tally = { ...nothing }
      this.nodes.set(name, tally)
    }
    const { cpuMilli, memoryBytes } = schedulingRequests(pod)
    tally.pods += sign
    tally.cpuMilli += sign * cpuMilli
    tally.memoryBytes += sign * memoryBytes
  }
}

/** Writes reuse unchanged parts of an object. Resources in the status, which a resize sets, also count. */
function hasSameRequests(a: Pod, b: Pod): boolean {
  return a.spec === b.spec && !hasStatusResources(a) && !hasStatusResources(b)
}

function hasStatusResources({ status }: Pod): boolean {
  return (
    status?.resources !== undefined ||
    status?.containerStatuses?.some(({ resources }) => resources !== undefined) === true ||
    status?.initContainerStatuses?.some(({ resources }) => resources !== undefined) === true
  )
}
