import { isPodReady, isPodTerminal } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import type { TolerationOptions } from '../../api/tolerations.ts'
import type { EventNote } from '../event-note.ts'
import { isPodAvailable } from '../pod-activity.ts'
import { scaledValue } from '../scaled-value.ts'
import { eligibilityOf, isUpdated, scheduledThenOldest, targetNode } from './daemon-pod.ts'

export interface DaemonInput {
  readonly daemonSet: DaemonSet
  readonly nodes: readonly Node[]
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>
  readonly hash: string
  /** Wall time. */
  readonly now: number
  readonly tolerations: TolerationOptions
  /**
   * The time from which a failed daemon pod of the node may be deleted. Undefined: now; the call counts as an attempt.
   */
  readonly mayReplaceAt: (nodeName: string) => number | undefined
}

export interface DaemonDecision {
  /** Names of nodes that need a daemon pod. */
  readonly start: readonly string[]
  readonly stop: readonly Pod[]
  readonly notes: readonly EventNote[]
  /** The time from which a failed daemon pod in backoff may be replaced. */
  readonly wakeAt?: number
}

export function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>()
  for (const pod of pods) {
    // A terminating pod that has ended requires no further action.
    if (isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined) continue
    const node = targetNode(pod)
    if (node === undefined) continue
    const group = byNode.get(node)
    if (group === undefined) byNode.set(node, [pod])
    else group.push(pod)
  }
  return byNode
}

/** Starts missing daemon pods and stops misplaced ones (v1.36, daemon manage). */
export function decideDaemons(input: DaemonInput): DaemonDecision {
  const start: string[] = []
  const stop: Pod[] = []
  const notes: EventNote[] = []
  let wakeAt = Number.POSITIVE_INFINITY
  const existing = new Set<string>()
  for (const node of input.nodes) {
    const { name } = node.metadata
    existing.add(name)
    const { starts, stays } = eligibilityOf(input.daemonSet, node, input.tolerations)
    const pods = input.podsByNode.get(name)
    if (pods === undefined) {
      if (starts) start.push(name)
    } else if (stays) {
      const decided = decideOnNode(input, name, pods, starts)
      if (decided.start) start.push(name)
      stop.push(...decided.stop)
      notes.push(...decided.notes)
      wakeAt = Math.min(wakeAt, decided.wakeAt)
    } else stop.push(...pods.filter(isStaying))
  }
  // The node was deleted. No other controller deletes a pod that was never scheduled.
  for (const [name, pods] of input.podsByNode) {
    if (!existing.has(name)) stop.push(...pods.filter(({ spec }) => (spec.nodeName ?? '') === ''))
  }
  return { start, stop, notes, ...(wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }) }
}

export const isStaying = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined

function decideOnNode(input: DaemonInput, nodeName: string, pods: readonly Pod[], starts: boolean) {
  const stop: Pod[] = []
  const notes: EventNote[] = []
  const running: Pod[] = []
  let wakeAt = Number.POSITIVE_INFINITY
  for (const pod of pods.filter(isStaying)) {
    if (pod.status?.phase === 'Failed') {
      const at = input.mayReplaceAt(nodeName)
      if (at !== undefined) {
        wakeAt = Math.min(wakeAt, at)
        continue
      }
      notes.push(found(pod, nodeName))
      stop.push(pod)
    } else if (pod.status?.phase === 'Succeeded') {
      notes.push(found(pod, nodeName))
      stop.push(pod)
    } else running.push(pod)
  }
  running.sort(scheduledThenOldest)
  if (!allowsSurge(input.daemonSet)) return { start: false, stop: [...stop, ...running.slice(1)], notes, wakeAt }
  if (running.length <= 1) return { start: running.length === 0 && starts, stop, notes, wakeAt }
  return { start: false, stop: [...stop, ...surplusWhenSurging(input, running)], notes, wakeAt }
}

/**
 * Two daemon pods may run on a node only while the new one is not available and the old one is ready (v1.36,
 * podsShouldBeOnNode).
 */
function surplusWhenSurging({ daemonSet, hash, now }: DaemonInput, running: readonly Pod[]): readonly Pod[] {
  const young = running.filter((pod) => pod.metadata.labels?.['controller-revision-hash'] === hash)
  const old = running.filter((pod) => !young.includes(pod))
  const surplus = [...young.slice(1), ...old.slice(1)]
  const [newest] = young
  const [oldest] = old
  if (newest === undefined || oldest === undefined) return surplus
  const isReplaced = isPodAvailable(newest, daemonSet.spec?.minReadySeconds ?? 0, now)
  return !isPodReady(oldest) || isReplaced ? [...surplus, oldest] : surplus
}

function found(pod: Pod, nodeName: string): EventNote {
  const { namespace, name } = pod.metadata
  return pod.status?.phase === 'Failed'
    ? {
        type: 'Warning',
        reason: 'FailedDaemonPod',
        message: `Found failed daemon pod ${namespace}/${name} on node ${nodeName}, will try to kill it`,
      }
    : {
        type: 'Normal',
        reason: 'SucceededDaemonPod',
        message: `Found succeeded daemon pod ${namespace}/${name} on node ${nodeName}, will try to delete it`,
      }
}

export function allowsSurge(daemonSet: DaemonSet): boolean {
  return limitsOf(daemonSet, 1).surge > 0
}

/** The limits of a rolling update; both percentages are rounded up. */
function limitsOf(daemonSet: DaemonSet, wanted: number): { readonly surge: number; readonly unavailable: number } {
  const { type, rollingUpdate } = daemonSet.spec?.updateStrategy ?? {}
  if ((type ?? 'RollingUpdate') !== 'RollingUpdate') return { surge: 0, unavailable: 0 }
  const surge = scaledValue(rollingUpdate?.maxSurge, wanted, 'up')
  const unavailable = scaledValue(rollingUpdate?.maxUnavailable, wanted, 'up')
  return { surge, unavailable: wanted > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** One step of a rolling update, when every node has its daemon pod (v1.36, daemon rollingUpdate). */
export function decideRolling(input: DaemonInput): DaemonDecision {
  const { daemonSet, nodes } = input
  if ((daemonSet.spec?.updateStrategy?.type ?? 'RollingUpdate') !== 'RollingUpdate') return nothing
  const starting = nodes.filter((node) => eligibilityOf(daemonSet, node, input.tolerations).starts)
  const limits = limitsOf(daemonSet, starting.length)
  const byNode = new Map(input.podsByNode)
  for (const { metadata } of starting) if (!byNode.has(metadata.name)) byNode.set(metadata.name, [])
  return limits.surge === 0
    ? replaceWithin(input, byNode, limits.unavailable)
    : surgeWithin(input, byNode, limits.surge, starting.length)
}

const nothing: DaemonDecision = { start: [], stop: [], notes: [] }

/** The old and the new daemon pod of a node; undefined if there are more. */
function pairOn({ daemonSet, hash }: DaemonInput, pods: readonly Pod[]) {
  const staying = pods.filter(isStaying)
  const young = staying.filter((pod) => isUpdated(daemonSet, pod, hash))
  const old = staying.filter((pod) => !young.includes(pod))
  if (young.length > 1 || old.length > 1) return undefined
  return { young: young[0], old: old[0] }
}

function replaceWithin(
  input: DaemonInput,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  maxUnavailable: number,
): DaemonDecision {
  const { daemonSet, now } = input
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now)
  let unavailable = 0
  const replaced: Pod[] = []
  const candidates: Pod[] = []
  for (const pods of byNode.values()) {
    const pair = pairOn(input, pods)
    const { young, old } = pair ?? {}
    if (pair === undefined || (young === undefined) === (old === undefined)) unavailable++
    else if (young !== undefined) {
      if (!isAvailable(young)) unavailable++
    } else if (old !== undefined) {
      if (!isAvailable(old)) {
        replaced.push(old)
        unavailable++
      } else if (unavailable < maxUnavailable) candidates.push(old)
    }
  }
  const left = Math.max(0, maxUnavailable - unavailable)
  return { ...nothing, stop: [...replaced, ...candidates.slice(0, left)] }
}

function surgeWithin(
  input: DaemonInput,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  maxSurge: number,
  wanted: number,
): DaemonDecision {
  const { daemonSet, nodes, now } = input
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now)
  const starting = new Set(
    nodes.filter((n) => eligibilityOf(daemonSet, n, input.tolerations).starts).map(({ metadata }) => metadata.name),
  )
  let surging = 0
  let available = 0
  const stop: Pod[] = []
  const misplaced: Pod[] = []
  const allowed: string[] = []
  const candidates: string[] = []
  for (const [nodeName, pods] of byNode) {
    const pair = pairOn(input, pods)
    if (pair === undefined) {
      surging++
      continue
    }
    const { young, old } = pair
    const counted = old ?? young
    if (counted !== undefined && isAvailable(counted)) available++
    if (old === undefined) continue
    if (young !== undefined) {
      if (isAvailable(young)) stop.push(old)
      else surging++
    } else if (!starting.has(nodeName)) (isAvailable(old) ? misplaced : stop).push(old)
    else if (!isAvailable(old)) allowed.push(nodeName)
    else if (surging < maxSurge) candidates.push(nodeName)
  }
  // A misplaced daemon pod is stopped only if enough others are available.
  stop.push(...misplaced.slice(0, Math.max(0, available - wanted)))
  return { ...nothing, stop, start: [...allowed, ...candidates.slice(0, Math.max(0, maxSurge - surging))] }
}
