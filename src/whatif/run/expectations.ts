import type { Pod } from '../../api/objects/pod.ts'
import { isMissing, type PodState, podStateOf } from '../../api/pod-state.ts'
import type { Change } from '../../runtime/controller.ts'
import type { Store } from '../../store/contract.ts'
import { seconds } from '../facts/pod-entries.ts'
import { selectsPod } from '../facts/pod-selection.ts'
import type { RunRecorder } from '../facts/run-recorder.ts'
import type { ExpectationResult } from '../report/forecast.ts'
import { counted, span } from '../report/phrases.ts'
import type { Expectation } from '../scenario/expectation.ts'
import { NoneLasting, WorkloadsAvailable } from './lasting-states.ts'

export interface Violation {
  readonly atMs: number
  readonly text: string
}

/** Finds the first violation of each expectation during a run. */
export class ExpectationWatch {
  private readonly checks: readonly { readonly expectation: Expectation; readonly check: ExpectationCheck }[]
  private readonly startMs: number

  constructor(expectations: readonly Expectation[], startMs: number, store: Store, lastStepMs: number) {
    this.startMs = startMs
    this.checks = expectations.map((expectation) => ({
      expectation,
      check: createCheck(expectation, store, lastStepMs),
    }))
  }

  /** Must be called after the recorder has taken the same changes. */
  take(changes: readonly Change[], now: number, recorder: RunRecorder): void {
    for (const { check } of this.checks)
      if (check.violation === undefined) check.take(changes, now - this.startMs, recorder)
  }

  results(elapsedMs: number, recorder: RunRecorder): readonly ExpectationResult[] {
    return this.checks.map(({ expectation: { path, kind }, check }) => {
      if (check.violation === undefined) check.end(elapsedMs, recorder)
      const { violation } = check
      if (violation === undefined) return { path, kind, holds: true }
      return { path, kind, holds: false, violation: { seconds: seconds(violation.atMs), text: violation.text } }
    })
  }
}

export interface ExpectationCheck {
  violation: Violation | undefined
  take(changes: readonly Change[], atMs: number, recorder: RunRecorder): void
  end(atMs: number, recorder: RunRecorder): void
}

function createCheck(expectation: Expectation, store: Store, lastStepMs: number): ExpectationCheck {
  switch (expectation.kind) {
    case 'workloadsAvailable':
      return new WorkloadsAvailable(store, expectation)
    case 'noPodStuck':
      return new NoneLasting({
        store,
        counts: ({ metadata }) => metadata.deletionTimestamp !== undefined,
        forMs: expectation.forMs,
        pods: expectation.pods,
        onReadyNodes: true,
        text: (key, pod) =>
          `${key} is Terminating for ${span(expectation.forMs)} on ${pod.spec.nodeName}, which is Ready`,
      })
    case 'noPodPending':
      if (expectation.forMs !== undefined) return pendingFor(store, expectation, expectation.forMs)
      return new NoneMissing(store, {
        pods: expectation.pods,
        fromMs: expectation.afterMs,
        counts: (state) => state === 'pending',
        text: (key, message) => `${key} is pending${message === '' ? '' : `: ${message}`}`,
      })
    case 'allRunningWithin':
      return new NoneMissing(store, {
        pods: expectation.pods,
        fromMs: lastStepMs + expectation.withinMs,
        counts: isMissing,
        text: (key) => `${key} is not running ${span(expectation.withinMs)} after the last step`,
      })
    case 'maxUnavailable':
      return new FewMissing(store, expectation)
    case 'noPodDeleted':
      return onChanges((change, atMs) => {
        if (change.resource !== 'pods' || !selectsPod(expectation.pods, (change.after ?? change.before) as Pod)) return
        const isMarked = change.after?.metadata.deletionTimestamp !== undefined || change.after === undefined
        if (!isMarked || change.before?.metadata.deletionTimestamp !== undefined) return
        return { atMs, text: `${change.key} is deleted` }
      })
    case 'maxEvictionsPerMinute':
      return new EvictionRate(expectation.max)
    case 'pdbNeverViolated':
      return new BudgetCheck(expectation)
    case 'settlesWithin':
      return {
        violation: undefined,
        take() {},
        end(atMs, recorder) {
          const wellAt = recorder.wellAgainMs
          if (wellAt !== undefined && wellAt <= expectation.withinMs) return
          const text = wellAt === undefined ? 'not recovered at the end' : `recovered only at ${span(wellAt)}`
          this.violation = { atMs: Math.min(expectation.withinMs, atMs), text }
        },
      }
    // These compare the run with its baseline, or need its drains. See comparedExpectations().
    case 'drainedWithin':
    case 'minReady':
    case 'maxUnavailableTime':
    case 'noNewPending':
    case 'noLoop':
    case 'verdict':
      return { violation: undefined, take() {}, end() {} }
  }
}

function pendingFor(
  store: Store,
  { pods }: Extract<Expectation, { readonly kind: 'noPodPending' }>,
  forMs: number,
): ExpectationCheck {
  return new NoneLasting({
    store,
    counts: (pod) => podStateOf(pod) === 'pending',
    forMs,
    pods,
    text: (key, pod) => {
      const message = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? ''
      return `${key} is pending for ${span(forMs)}${message === '' ? '' : `: ${message}`}`
    },
  })
}

function onChanges(find: (change: Change, atMs: number) => Violation | undefined): ExpectationCheck {
  return {
    violation: undefined,
    take(changes, atMs) {
      for (const change of changes) this.violation ??= find(change, atMs)
    },
    end() {},
  }
}

interface MissingOptions {
  readonly pods: Extract<Expectation, { readonly kind: 'noPodPending' }>['pods']
  readonly fromMs: number
  readonly counts: (state: PodState) => boolean
  readonly text: (key: string, message: string) => string
}

/** From a point in time on, no pod may be in a bad state at the end of an instant. */
class NoneMissing implements ExpectationCheck {
  violation: Violation | undefined
  private readonly options: MissingOptions
  private readonly missing = new Map<string, Pod>()
  private readonly before = new Set<string>()
  private lastMs = 0

  constructor(store: Store, options: MissingOptions) {
    this.options = options
    // Pods that were missing before the steps are not an effect of the steps.
    for (const pod of store.list('pods') as readonly Pod[])
      if (options.counts(podStateOf(pod))) this.before.add(pod.metadata.uid ?? '')
  }

  take(changes: readonly Change[], atMs: number): void {
    if (atMs > this.lastMs) this.judge(atMs)
    this.lastMs = atMs
    for (const change of changes) if (change.resource === 'pods') this.note(change.key, change.after)
  }

  end(atMs: number): void {
    if (atMs >= this.options.fromMs) this.judge(atMs + 1)
  }

  /** Checks the state between the previous instant and this one. */
  private judge(nextMs: number): void {
    const { fromMs, text } = this.options
    if (this.violation !== undefined || nextMs <= fromMs) return
    const [first] = this.missing
    if (first === undefined) return
    const [key, pod] = first
    const message = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? ''
    this.violation = { atMs: Math.max(fromMs, this.lastMs), text: text(key, message) }
  }

  private note(key: string, pod: Pod | undefined): void {
    const { pods, counts } = this.options
    const isOld = this.before.has(pod?.metadata.uid ?? '')
    if (pod !== undefined && !isOld && counts(podStateOf(pod)) && selectsPod(pods, pod)) this.missing.set(key, pod)
    else this.missing.delete(key)
  }
}

/** At most `max` pods may be missing at the end of an instant. */
class FewMissing implements ExpectationCheck {
  violation: Violation | undefined
  private readonly expectation: Extract<Expectation, { readonly kind: 'maxUnavailable' }>
  private readonly missing = new Set<string>()
  private readonly before = new Set<string>()
  private lastMs = 0

  constructor(store: Store, expectation: Extract<Expectation, { readonly kind: 'maxUnavailable' }>) {
    this.expectation = expectation
    // Pods that were missing before the steps are not an effect of the steps.
    for (const pod of store.list('pods') as readonly Pod[])
      if (isMissing(podStateOf(pod))) this.before.add(pod.metadata.uid ?? '')
  }

  take(changes: readonly Change[], atMs: number): void {
    if (atMs > this.lastMs) this.judge()
    this.lastMs = atMs
    for (const change of changes) if (change.resource === 'pods') this.note(change.key, change.after)
  }

  end(): void {
    this.judge()
  }

  private judge(): void {
    const { max } = this.expectation
    if (this.violation !== undefined || this.missing.size <= max) return
    this.violation = {
      atMs: this.lastMs,
      text: `${counted(this.missing.size, 'pod is', 'pods are')} unavailable, at most ${max} allowed`,
    }
  }

  private note(key: string, pod: Pod | undefined): void {
    const isOld = this.before.has(pod?.metadata.uid ?? '')
    const counts = pod !== undefined && !isOld && isMissing(podStateOf(pod))
    if (counts && selectsPod(this.expectation.pods, pod)) this.missing.add(key)
    else this.missing.delete(key)
  }
}

/** At most `max` disruptions may occur within sixty seconds. */
class EvictionRate implements ExpectationCheck {
  violation: Violation | undefined
  private readonly max: number
  private readonly recent: number[] = []
  private seen = 0

  constructor(max: number) {
    this.max = max
  }

  take(_changes: readonly Change[], _atMs: number, { facts }: RunRecorder): void {
    for (; this.seen < facts.length; this.seen++) {
      const { what, atMs } = facts[this.seen] as { what: string; atMs: number }
      if (what !== 'disruption') continue
      this.recent.push(atMs)
      while ((this.recent[0] as number) <= atMs - 60_000) this.recent.shift()
      if (this.recent.length > this.max) {
        this.violation ??= {
          atMs,
          text: `${counted(this.recent.length, 'eviction')} within a minute, at most ${this.max} allowed`,
        }
      }
    }
  }

  end(): void {}
}

class BudgetCheck implements ExpectationCheck {
  violation: Violation | undefined
  private readonly expectation: Extract<Expectation, { readonly kind: 'pdbNeverViolated' }>

  constructor(expectation: Extract<Expectation, { readonly kind: 'pdbNeverViolated' }>) {
    this.expectation = expectation
  }

  take(): void {}

  end(_atMs: number, { breaches }: RunRecorder): void {
    const { name, namespace } = this.expectation
    const breach = breaches.find(({ budget, isOld, fromMs, untilMs }) => {
      const [space, own] = budget.split('/')
      const isSelected = (name === undefined || name === own) && (namespace === undefined || namespace === space)
      return isSelected && !isOld && (untilMs === undefined || untilMs > fromMs)
    })
    if (breach === undefined) return
    const { budget, fromMs, healthy, desired } = breach
    this.violation = { atMs: fromMs, text: `${budget} has ${counted(healthy, 'healthy pod')}, ${desired} desired` }
  }
}
