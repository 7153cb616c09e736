// Assertions about clusters: matchers for vitest and jest, and functions for node:test and other test runners.
import { AssertionError } from 'node:assert'
import type { Cluster, PodFilter } from '../library/cluster.ts'
import {
  type CheckResult,
  checkCondition,
  checkEvent,
  checkNoFailures,
  checkNoPending,
  checkObject,
  checkReady,
  type EventFilter,
  type ObjectText,
} from './cluster-checks.ts'

export type { EventFilter, ObjectText } from './cluster-checks.ts'

/** The matchers of `expect(cluster)`. */
export interface ClusterMatchers<R = void> {
  /** No pod is pending. */
  toHaveNoPending(filter?: Omit<PodFilter, 'phase'>): R
  /** A workload has all its replicas, a node or a pod is Ready, a job is complete: `toBeReady('deployment/web')`. */
  toBeReady(object: ObjectText, namespace?: string): R
  toHaveObject(object: ObjectText, namespace?: string): R
  /** `toHaveCondition('node/node-1', 'Ready', 'Unknown')`. The default of `status` is True. */
  toHaveCondition(object: ObjectText, type: string, status?: string, namespace?: string): R
  toHaveEvent(filter: EventFilter): R
  /** No reconciler was rejected. */
  toHaveNoFailures(): R
}

// biome-ignore lint/suspicious/noExplicitAny: each matcher has its own parameters, see ClusterMatchers
type Matcher = (cluster: Cluster, ...args: any[]) => { readonly pass: boolean; readonly message: () => string }

/** For `expect.extend` of vitest and jest. */
export const clusterMatchers: Readonly<Record<keyof ClusterMatchers, Matcher>> = {
  toHaveNoPending: matcher(checkNoPending),
  toBeReady: matcher(checkReady),
  toHaveObject: matcher(checkObject),
  toHaveCondition: matcher(checkCondition),
  toHaveEvent: matcher(checkEvent),
  toHaveNoFailures: matcher(checkNoFailures),
}

function matcher<A extends unknown[]>(check: (cluster: Cluster, ...args: A) => CheckResult): Matcher {
  return ((cluster: Cluster, ...args: A) => {
    const { pass, message } = check(cluster, ...args)
    return { pass, message: () => message }
  }) as Matcher
}

/** Throws an AssertionError if a pod is pending. */
export const assertNoPending = assertion(checkNoPending)
/** Throws an AssertionError if the object is not ready. */
export const assertReady = assertion(checkReady)
/** Throws an AssertionError if the object does not exist. */
export const assertObject = assertion(checkObject)
/** Throws an AssertionError if the object does not have the condition with this status. */
export const assertCondition = assertion(checkCondition)
/** Throws an AssertionError if no such event was recorded. */
export const assertEvent = assertion(checkEvent)
/** Throws an AssertionError if a reconciler was rejected. */
export const assertNoFailures = assertion(checkNoFailures)

function assertion<A extends unknown[]>(
  check: (cluster: Cluster, ...args: A) => CheckResult,
): (cluster: Cluster, ...args: A) => void {
  return function assertCluster(cluster, ...args) {
    const { pass, message } = check(cluster, ...args)
    if (!pass) throw new AssertionError({ message, stackStartFn: assertCluster })
  }
}
