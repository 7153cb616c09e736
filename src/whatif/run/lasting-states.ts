// Expectations that are violated when a state lasts too long.
import { isNodeReady } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Change } from '../../runtime/controller.ts'
import type { Store } from '../../store/contract.ts'
import { selectsPod } from '../facts/pod-selection.ts'
import { RequiredWorkloads, type Shortage, WorkloadAvailability } from '../facts/workload-availability.ts'
import { span } from '../report/phrases.ts'
import type { ExpectedPods } from '../scenario/expectation.ts'
import type { ExpectationCheck, Violation } from './expectations.ts'

interface LastingOptions {
  readonly store: Store
  readonly counts: (pod: Pod) => boolean
  readonly forMs: number
  readonly pods: ExpectedPods
  /** Only pods on nodes that are Ready, whose kubelet could end the pods. */
  readonly onReadyNodes?: boolean
  readonly text: (key: string, pod: Pod) => string
}

/** No pod may be in a state for longer than a time. Pods that are in this state at the start do not count. */
export class NoneLasting implements ExpectationCheck {
  violation: Violation | undefined
  private readonly options: LastingOptions
  private readonly before = new Set<string>()
  private readonly since = new Map<string, { readonly atMs: number; readonly pod: Pod }>()

  constructor(options: LastingOptions) {
    this.options = options
    const { store, counts } = options
    for (const pod of store.list('pods') as readonly Pod[]) if (counts(pod)) this.before.add(pod.metadata.uid ?? '')
  }

  take(changes: readonly Change[], atMs: number): void {
    this.judge(atMs)
    for (const change of changes) if (change.resource === 'pods') this.note(change.key, change.after, atMs)
  }

  end(atMs: number): void {
    this.judge(atMs)
  }

  private note(key: string, pod: Pod | undefined, atMs: number): void {
    const { pods } = this.options
    const isOld = this.before.has(pod?.metadata.uid ?? '')
    const counts = pod !== undefined && !isOld && this.options.counts(pod) && selectsPod(pods, pod)
    if (!counts) this.since.delete(key)
    else if (this.since.get(key)?.pod.metadata.uid !== pod.metadata.uid) this.since.set(key, { atMs, pod })
  }

  private judge(nowMs: number): void {
    const { forMs, store, onReadyNodes, text } = this.options
    // Pods are in the order in which they entered the state, so the first pod is in it for the longest time.
    for (const [key, { atMs, pod }] of this.since) {
      if (nowMs - atMs < forMs) return
      if (onReadyNodes === true && !isOnReadyNode(pod, store)) continue
      this.violation ??= { atMs: atMs + forMs, text: text(key, (store.get('pods', key) as Pod | undefined) ?? pod) }
      return
    }
  }
}

function isOnReadyNode(pod: Pod, store: Store): boolean {
  const node = store.get('nodes', pod.spec.nodeName ?? '') as Node | undefined
  return node !== undefined && isNodeReady(node)
}

/** No workload may have fewer ready pods than its budget desires for longer than a time. */
export class WorkloadsAvailable implements ExpectationCheck {
  violation: Violation | undefined
  private readonly availability: WorkloadAvailability
  private readonly forMs: number
  private readonly pods: ExpectedPods

  constructor(store: Store, { forMs, pods }: { readonly forMs: number; readonly pods: ExpectedPods }) {
    this.availability = new WorkloadAvailability(new RequiredWorkloads(store))
    this.forMs = forMs
    this.pods = pods
  }

  take(changes: readonly Change[], atMs: number): void {
    this.availability.take(changes, atMs)
  }

  end(atMs: number): void {
    const shortage = worstShortage(this.availability, atMs, this.forMs, this.pods)
    if (shortage !== undefined) this.violation = { atMs: shortage.fromMs, text: shortageText(shortage, atMs) }
  }
}

/** The first shortage that lasts longer than `forMs`. */
export function worstShortage(
  availability: WorkloadAvailability,
  endMs: number,
  forMs: number,
  pods: ExpectedPods = {},
): Shortage | undefined {
  availability.judge()
  return availability.shortages.find(({ workload, fromMs, untilMs = endMs }) => {
    const { namespace, labels } = workload
    const isSelected = selectsPod(pods, { metadata: { namespace, labels, name: '' } } as unknown as Pod)
    return isSelected && untilMs - fromMs > forMs
  })
}

export function shortageText({ workload, fromMs, untilMs, ready }: Shortage, endMs: number): string {
  const { namespace, own, replicas, required } = workload
  const end = untilMs === undefined ? `for ${span(endMs - fromMs)}, up to the end` : `for ${span(untilMs - fromMs)}`
  return `${namespace}/${own} has ${ready} of ${replicas} ready ${end}; at least ${required} required`
}
