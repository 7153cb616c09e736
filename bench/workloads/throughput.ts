import type { Pod } from '../../src/api/objects/pod.ts'
import type { Change } from '../../src/runtime/controller.ts'

/** The result of a workload: pods that were bound during the measurement. */
export interface Throughput {
  readonly pods: number
  readonly seconds: number
  /** Pods per second over the whole time of collection. */
  readonly average: number
  /** CPU time of this process in the same period: an estimate of the elapsed time on an idle machine. */
  readonly cpuSeconds: number
}

interface Collection {
  readonly namespaces: ReadonlySet<string>
  readonly selector: Readonly<Record<string, string>>
  readonly startedAt: number
  readonly cpuAtStart: number
  cpuAtLast: number
  lastAt: number
  scheduled: number
}

/** Tracks the node of every pod from the changes, and measures how fast pods are bound. */
export class PodWatch {
  private readonly pods = new Map<string, Map<string, Pod>>()
  private readonly scheduled = new Map<string, number>()
  private readonly clock: () => number
  private collection: Collection | undefined

  constructor(clock: () => number) {
    this.clock = clock
  }

  take(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.resource !== 'pods') continue
      const pod = (change.after ?? change.before) as Pod
      const namespace = pod.metadata.namespace ?? ''
      let known = this.pods.get(namespace)
      if (known === undefined) {
        known = new Map()
        this.pods.set(namespace, known)
      }
      if (change.after === undefined) known.delete(change.key)
      else known.set(change.key, pod)
      const was = isScheduled(change.before as Pod | undefined)
      const is = isScheduled(change.after as Pod | undefined)
      if (was !== is) this.scheduled.set(namespace, this.scheduledIn(namespace) + (is ? 1 : -1))
      if (is && !was) this.count(pod, namespace)
    }
  }

  start(namespaces: readonly string[], selector: Readonly<Record<string, string>> = {}): void {
    const now = this.clock()
    const cpu = cpuSeconds()
    this.collection = {
      namespaces: new Set(namespaces),
      selector,
      startedAt: now,
      lastAt: now,
      cpuAtStart: cpu,
      cpuAtLast: cpu,
      scheduled: 0,
    }
  }

  stop(): Throughput | undefined {
    const { collection } = this
    this.collection = undefined
    if (collection === undefined) return undefined
    const seconds = (collection.lastAt - collection.startedAt) / 1000
    return {
      pods: collection.scheduled,
      seconds,
      average: seconds === 0 ? 0 : collection.scheduled / seconds,
      cpuSeconds: (collection.scheduled < 250 ? cpuSeconds() : collection.cpuAtLast) - collection.cpuAtStart,
    }
  }

  /** Pods of a namespace that are bound, and those that are unschedulable. */
  stages(namespace: string, selector: Readonly<Record<string, string>> = {}): { scheduled: number; attempted: number } {
    let scheduled = 0
    let attempted = 0
    for (const pod of this.pods.get(namespace)?.values() ?? []) {
      if (!matches(pod, selector)) continue
      if (isScheduled(pod)) scheduled++
      else if (pod.status?.conditions?.some(({ type, status }) => type === 'PodScheduled' && status === 'False'))
        attempted++
    }
    return { scheduled, attempted }
  }

  /** The number of bound pods of a namespace; cheap enough to call often. */
  scheduledIn(namespace: string): number {
    return this.scheduled.get(namespace) ?? 0
  }

  list(namespace: string, selector: Readonly<Record<string, string>> = {}): Pod[] {
    return [...(this.pods.get(namespace)?.values() ?? [])].filter((pod) => matches(pod, selector))
  }

  private count(pod: Pod, namespace: string): void {
    const { collection } = this
    if (collection === undefined || !collection.namespaces.has(namespace) || !matches(pod, collection.selector)) return
    collection.scheduled++
    collection.lastAt = this.clock()
    // Reading the CPU time is expensive, and more so with every thread of the process.
    if (collection.scheduled % 250 === 0) collection.cpuAtLast = cpuSeconds()
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function isScheduled(pod: Pod | undefined): boolean {
  return pod !== undefined && pod.spec.nodeName !== undefined && pod.spec.nodeName !== ''
}

function matches(pod: Pod, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => pod.metadata.labels?.[key] === value)
}
