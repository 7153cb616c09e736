import { AsyncLocalStorage } from 'node:async_hooks'
import type { VirtualCluster } from '../controlplane/virtual.ts'
import { nextTurn, realDelay } from './ports-turn.ts'

/** One run of asynchronous code that belongs to the cluster: a reconcile, or a callback of an informer. */
interface Task {
  readonly name: string
  /** Sleeps and reads of watches that only virtual time or a change can end. */
  waits: number
}

/** A source of work for the current instant: a work queue, or a watch with events. */
export interface WorkSource {
  readonly isDue: boolean
  /** Starts what is due, with `work.start`. */
  begin(): void
}

export interface AsyncWorkOptions {
  /** The maximum real time of an instant in which code waits for something outside of the cluster. Default: 10 s. */
  readonly outsideLimitMs?: number
}

// An instant of correct code takes a few rounds in addition to one round per reconciled object; code that reacts to its own
// writes never stops.
const mostRounds = 20_000
const mostRepeats = 5000

/** Asynchronous code waits for something that is neither the cluster nor its clock. */
export class OutsideWaitError extends Error {
  override readonly name = 'OutsideWaitError'
}

/** Controllers that react to their own writes forever. */
export class EndlessWorkError extends Error {
  override readonly name = 'EndlessWorkError'
}

/**
 * Runs asynchronous code under the virtual clock. Calls of the client are answered immediately, so within one instant, code
 * waits only for promises that settle in the same turn of the event loop, for a sleep, or for a watch. The instant is quiet
 * when every task has ended or waits for a sleep or a watch. Only then does time move. Code runs in the order in
 * which its promises settle, which is the same in every run.
 */
export class AsyncWork {
  private readonly cluster: VirtualCluster
  private readonly current = new AsyncLocalStorage<Task>()
  private readonly running = new Set<Task>()
  private readonly sources: WorkSource[] = []
  private readonly outsideLimitMs: number
  private failures: unknown[] = []
  /** Promises were settled, but the code that waits for them has not run yet. */
  private isStirred = false
  private isUsed = false
  /** How often each object was reconciled at this instant, by reconciler and name. */
  private readonly repeats = new Map<string, number>()
  private isFirst = false
  private latest = 'none'
  private quieting: Promise<void> | undefined

  constructor(cluster: VirtualCluster, { outsideLimitMs = 10_000 }: AsyncWorkOptions = {}) {
    this.cluster = cluster
    this.outsideLimitMs = outsideLimitMs
  }

  /** Whether the caller is code that this object runs. Such code must not wait for the instant to become quiet. */
  get isInside(): boolean {
    return this.isUsed && this.current.getStore() !== undefined
  }

  /** Whether asynchronous code can run at this instant. */
  get isDue(): boolean {
    if (this.isStirred || this.failures.length > 0) return true
    for (const source of this.sources) if (source.isDue) return true
    return false
  }

  add(source: WorkSource): () => void {
    this.isUsed = true
    this.isStirred = true
    this.sources.push(source)
    return () => {
      const at = this.sources.indexOf(source)
      if (at >= 0) this.sources.splice(at, 1)
    }
  }

  /**
   * Runs code as a task. `advance` or `settle` throws a rejection that the code does not handle. `object`: the object
   * that the task is about; the instant fails when the same task repeats forever.
   */
  start(name: string, run: () => Promise<void> | void, object?: string): void {
    const task: Task = { name, waits: 0 }
    this.latest = name
    if (object !== undefined) this.countRepeat(name, object)
    this.isUsed = true
    this.isStirred = true
    this.running.add(task)
    const ended = () => {
      this.running.delete(task)
      this.isStirred = true
    }
    const failed = (error: unknown) => {
      this.failures.push(error)
      ended()
    }
    try {
      Promise.resolve(this.current.run(task, run)).then(ended, failed)
    } catch (error) {
      failed(error)
    }
  }

  private countRepeat(name: string, object: string): void {
    const key = `${name} of ${object}`
    const count = (this.repeats.get(key) ?? 0) + 1
    this.repeats.set(key, count)
    if (count === 1) this.isFirst = true
    if (count > mostRepeats)
      throw new EndlessWorkError(
        `${key} ran ${mostRepeats} times at one instant; it reacts to its own writes: write only what differs, or return ` +
          'requeueAfter to run again later',
      )
  }

  /** A promise that virtual time or a change of the cluster settles. A task that waits for it does not keep the instant busy. */
  wait<T>(begin: (resolve: (value: T) => void) => void): Promise<T> {
    const task = this.current.getStore()
    this.isUsed = true
    if (task !== undefined) task.waits++
    return new Promise<T>((resolve) => {
      begin((value) => {
        if (task !== undefined) task.waits--
        this.isStirred = true
        resolve(value)
      })
    })
  }

  /** Resolves when the virtual clock has advanced by `ms`. */
  sleep(ms: number): Promise<void> {
    const { clock } = this.cluster
    return this.wait((resolve) => {
      clock.at(clock.now() + Math.max(0, ms), () => resolve())
    })
  }

  /** Makes the clock stop at this time, when work becomes due. */
  wakeAt(ms: number): void {
    const { clock } = this.cluster
    clock.at(Math.max(ms, clock.now()), () => {})
  }

  /** Settles the cluster, and runs all asynchronous code of this instant until it ends or waits. */
  async quiet(): Promise<void> {
    if (this.isInside) throw new Error('code that the cluster runs must not advance or settle it')
    while (this.quieting !== undefined) await this.quieting
    this.cluster.driver.settle()
    if (!this.isDue && this.outside() === undefined) return
    this.quieting = this.runInstant()
    try {
      await this.quieting
    } finally {
      this.quieting = undefined
    }
  }

  /** Runs due work for a write that does not wait for it. The next `quiet` throws a failure. */
  stir(): void {
    if (!this.isDue || this.isInside || this.quieting !== undefined) return
    this.quiet().catch((error: unknown) => this.failures.push(error))
  }

  private async runInstant(): Promise<void> {
    const { store, driver } = this.cluster
    this.repeats.clear()
    for (let rounds = 0; ; ) {
      if (rounds >= mostRounds) throw new EndlessWorkError(this.endless())
      const isBusy = this.isDue
      this.isStirred = false
      this.isFirst = false
      for (const source of [...this.sources]) if (source.isDue) source.begin()
      if (!this.isFirst) rounds++
      if (!isBusy) {
        const outside = this.outside()
        if (outside === undefined) return
        await this.waitOutside(outside)
      }
      await nextTurn()
      const { revision } = store
      driver.settle()
      if (store.revision !== revision) this.isStirred = true
      if (this.failures.length > 0) throw this.failures.shift()
    }
  }

  private outside(): Task | undefined {
    for (const task of this.running) if (task.waits === 0) return task
    return undefined
  }

  private async waitOutside(task: Task): Promise<void> {
    let waitedMs = 0
    for (
      let delayMs = 0;
      this.running.has(task) && task.waits === 0 && !this.isStirred;
      delayMs = Math.min(delayMs + 1, 20)
    ) {
      if (waitedMs >= this.outsideLimitMs) {
        throw new OutsideWaitError(
          `${task.name} has waited ${this.outsideLimitMs / 1000} s for something outside of the cluster; ` +
            'use sleep() of the cluster instead of a timer',
        )
      }
      await realDelay(delayMs)
      waitedMs += Math.max(delayMs, 1)
    }
  }

  private endless(): string {
    const names = [...new Set([...this.running].map(({ name }) => name))]
    const running = names.length === 0 ? `last run: ${this.latest}` : `running: ${names.join(', ')}`
    return `the instant does not end after ${mostRounds} rounds; ${running}; code that reacts to its own writes never ends`
  }
}
