import type { Pod } from '../../api/objects/pod.ts'
import { isMissing, type PodState, podStateOf, podStates } from '../../api/pod-state.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'

/** What the pods of one node come to, without those that have ended. */
export interface NodeTally {
  readonly pods: number
  readonly cpuMilli: number
  readonly memoryBytes: number
}

const NOTHING: NodeTally = { pods: 0, cpuMilli: 0, memoryBytes: 0 }

/** How many pods are in which state and what they ask of which node: counted once, and kept up with every change. */
export class PodTally {
  readonly states: Record<PodState, number>
  /** The uids of pods that should have run when they were counted, and did not. */
  readonly missing: ReadonlySet<string>
  private readonly nodes = new Map<string, { -readonly [Name in keyof NodeTally]: NodeTally[Name] }>()

  constructor(pods: Iterable<Pod>) {
    this.states = Object.fromEntries(podStates.map((state) => [state, 0])) as Record<PodState, number>
    const missing = new Set<string>()
    for (const pod of pods) {
      const state = podStateOf(pod)
      this.states[state]++
      if (isMissing(state)) missing.add(pod.metadata.uid ?? '')
      if (state !== 'ended') this.count(pod, 1)
    }
    this.missing = missing
  }

  on(node: string): NodeTally {
    return this.nodes.get(node) ?? NOTHING
  }

  /** The states are what `podStateOf` says of the pods. */
  take(before: Pod | undefined, after: Pod | undefined, old: PodState | undefined, young: PodState | undefined): void {
    if (old !== undefined) this.states[old]--
    if (young !== undefined) this.states[young]++
    const was = old === 'ended' ? undefined : before
    const is = young === 'ended' ? undefined : after
    if (was !== undefined && is !== undefined && asksTheSame(was, is)) return
    if (was !== undefined) this.count(was, -1)
    if (is !== undefined) this.count(is, 1)
  }

  private count(pod: Pod, sign: 1 | -1): void {
    const name = pod.spec.nodeName
    if (name === undefined || name === '') return
    let tally = this.nodes.get(name)
    if (tally === undefined) {
      tally = { ...NOTHING }
      this.nodes.set(name, tally)
    }
    const { cpuMilli, memoryBytes } = schedulingRequests(pod)
    tally.pods += sign
    tally.cpuMilli += sign * cpuMilli
    tally.memoryBytes += sign * memoryBytes
  }
}

/** Objects that are written keep the parts that do not change. What a kubelet gave counts only where it says so. */
function asksTheSame(a: Pod, b: Pod): boolean {
  return a.spec === b.spec && !isGiven(a) && !isGiven(b)
}

function isGiven({ status }: Pod): boolean {
  return (
    status?.resources !== undefined ||
    status?.containerStatuses?.some(({ resources }) => resources !== undefined) === true ||
    status?.initContainerStatuses?.some(({ resources }) => resources !== undefined) === true
  )
}
