import { isPodTerminal } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod, PodStatus } from '../../api/objects/pod.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'
import { type Instant, reachedAt } from '../../base/clock.ts'
import type { Change, ChangeOf, StepInput, StepOutput } from '../../runtime/controller.ts'
import {
  type AfterResults,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { isOffNodes } from '../unchanged-pod.ts'
import { Addresses, defaultAddresses } from './addresses.ts'
import { decideDelay } from './compiled-stage.ts'
import { failingInitOf, sleepMs, stopMs } from './container-programs.ts'
import type { HollowKubelet, HollowKubeletOptions } from './contract.ts'
import { isStuck, isUp } from './found-state.ts'
import { hollowAnnotations, hollowLabel, kwokName } from './hollow-names.ts'
import { decideAdmission, type KubeletRejection } from './kubelet-admission.ts'
import { firstLease, leaseSeconds, renewal, statusPatch } from './kubelet-calls.ts'
import {
  annotatedReport,
  decideNodeStatus,
  hasReported,
  healthy,
  type NodeReport,
  nodeDefaults,
  reportFound,
} from './node-status.ts'
import { packs } from './packs.ts'
import { podCall, podEvents } from './pod-effects.ts'
import { deadlineExceeded, deadlineOf, decideUpkeep, failedStatus } from './pod-upkeep.ts'
import { readyInMs } from './probe-delays.ts'
import { Pulses } from './pulses.ts'
import { missingHandler, sandboxEvent, sandboxRetryMs } from './runtime-handlers.ts'
import type { Stage } from './stage.ts'
import { StageBook } from './stage-book.ts'

export type { HollowKubelet, HollowKubeletOptions } from './contract.ts'

export const hollowKubelet = 'hollow-kubelet'

export function createHollowKubelet(options: HollowKubeletOptions = {}): HollowKubelet {
  const state = new Kubelets(options)
  const inner = createReconcilerController({
    name: hollowKubelet,
    wakes: {
      nodes: (change) => state.keysOfNode(change),
      pods: (change) => (state.concerns(change) ? `${podPrefix}${change.key}` : undefined),
      ...(options.reports === 'complete' ? { [runtimeClasses]: () => undefined } : {}),
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results) => state.takeResults(key, results),
  })
  return {
    name: inner.name,
    watches: inner.watches,
    step: (input) => state.step(input, (full) => inner.step(full)),
    ignores: (change) => change.resource === 'pods' && isOffNodes(change),
    inspect: () => state.inspect(),
    silence: (nodes, now) => state.silence(nodes, now, false),
    fail: (nodes, now) => state.silence(nodes, now, true),
    revive: (nodes, now) => state.revive(nodes, now),
    report: (nodes, report) => state.report(nodes, report),
    isSilent: (node) => state.pulses.isSilent(node),
    state: () => state,
    lastHeartbeat: (node, now) => state.pulses.lastAt(node, now),
  }
}

const runtimeClasses = 'runtimeclasses.node.k8s.io'
const podPrefix = 'pod '
const nodePrefix = 'node '
const leasePrefix = 'lease '

// v1.36, kubelet: NodeLeaseDurationSeconds × 0.25, and nodeStatusReportFrequency.
const defaultRenewMs = 10_000
const reportMs = 300_000

interface Death {
  readonly timestamp: string
  readonly dueAt: number
}

class Kubelets {
  readonly pulses: Pulses
  private readonly options: HollowKubeletOptions
  private readonly renewMs: number
  private readonly statusUpdateIntervalMs: number
  private readonly addresses: Addresses
  private readonly podStages: StageBook
  private readonly nodeStages: StageBook
  readonly reports: Map<string, NodeReport>
  private readonly statusDueAt = new Map<string, number>()
  /** Nodes whose Lease is believed to exist. */
  private readonly leases = new Set<string>()
  private readonly leaseDueAt = new Map<string, number>()
  /** The end of the grace period of each terminating pod, in milliseconds if its start was observed. */
  private readonly deaths = new Map<string, Death>()
  private readonly silenceEndsAt = new Map<string, number>()
  /** Nodes that were revived since the last step. */
  private readonly revived = new Set<string>()
  /** The revived nodes whose machine was down, and the pods that have to restart because of it. */
  private readonly rebooted = new Set<string>()
  private readonly restarting = new Set<string>()
  /** Pods that were found stuck and stay stuck. */
  readonly leftAlone: Set<string>
  private steps = 0

  constructor(options: HollowKubeletOptions) {
    this.options = options
    this.renewMs = options.leaseRenewIntervalMs ?? defaultRenewMs
    const { continues } = options
    this.pulses = new Pulses(this.renewMs, continues?.pulses)
    this.reports = new Map(continues?.reports)
    this.leftAlone = new Set(continues?.leftAlone)
    this.statusUpdateIntervalMs = options.statusUpdateIntervalMs ?? reportMs
    this.addresses = new Addresses(options.addresses ?? defaultAddresses)
    const stages = options.stages ?? packs.fast
    this.podStages = new StageBook(stages.filter(({ of }) => of === 'Pod'))
    this.nodeStages = new StageBook(stages.filter(({ of }) => of === 'Node'))
  }

  step(input: StepInput, proceed: (input: StepInput) => StepOutput): StepOutput {
    for (const change of input.changes) {
      if (change.resource === 'nodes') this.noteNode(change, input)
      else if (change.resource === 'pods') this.notePod(change, input)
    }
    this.steps++
    return proceed(
      this.revived.size === 0 ? input : { ...input, changes: [...input.changes, ...this.takeRevived(input)] },
    )
  }

  /** A revived kubelet handles its node and all its pods as if they were new. */
  private takeRevived({ view }: StepInput): readonly Change[] {
    const again: Change[] = []
    for (const name of this.revived) {
      const node = view.get('nodes', name)
      if (node === undefined) continue
      again.push({ resource: 'nodes', key: name, after: node })
      const isRebooted = this.rebooted.delete(name)
      for (const pod of view.podsOn(name)) {
        again.push({ resource: 'pods', key: keyOf(pod), after: pod })
        if (isRebooted) this.restarting.add(pod.metadata.uid ?? '')
      }
    }
    this.revived.clear()
    return again
  }

  inspect(): unknown {
    return { silent: this.pulses.silent(), leftAlone: this.leftAlone.size, terminating: this.deaths.size }
  }

  keysOfNode({ key, after }: ChangeOf<'nodes'>): readonly string[] {
    if (after === undefined) return []
    return this.options.heartbeats === 'computed'
      ? [`${nodePrefix}${key}`]
      : [`${nodePrefix}${key}`, `${leasePrefix}${key}`]
  }

  concerns({ key, after }: ChangeOf<'pods'>): boolean {
    const node = after?.spec.nodeName
    if (after === undefined || node === undefined || node === '') return false
    // A silent node does nothing; when it is revived, all its pods are examined.
    if (this.pulses.isSilent(node)) return false
    if (this.options.reports === 'complete' && needsUpkeep(after)) return true
    const isRestarting = this.restarting.size > 0 && this.restarting.has(after.metadata.uid ?? '')
    return this.podStages.concerns(key, after, isRestarting)
  }

  silence(nodes: Iterable<string>, now: number, dead: boolean): void {
    for (const node of nodes) {
      this.pulses.silence(node, now, dead)
      this.revived.delete(node)
    }
  }

  revive(nodes: Iterable<string>, now: number): void {
    for (const node of nodes) {
      const was = this.pulses.revive(node, now)
      if (was === 'was-not-silent') continue
      this.silenceEndsAt.delete(node)
      this.statusDueAt.delete(node)
      this.leaseDueAt.delete(node)
      this.revived.add(node)
      if (was === 'dead') this.rebooted.add(node)
    }
  }

  report(nodes: Iterable<string>, report: NodeReport): void {
    for (const node of nodes) {
      this.reports.set(node, report)
      if (!this.pulses.isSilent(node)) this.revived.add(node)
    }
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    if (key.startsWith(podPrefix)) return this.reconcilePod(key.slice(podPrefix.length), context)
    if (key.startsWith(nodePrefix)) return this.reconcileNode(key.slice(nodePrefix.length), context)
    return this.renewLease(key.slice(leasePrefix.length), context)
  }

  takeResults(key: string, results: readonly KeyedResult[]): AfterResults | undefined {
    const failed = results.find(({ outcome }) => !outcome.ok)
    if (failed === undefined) return undefined
    if (key.startsWith(leasePrefix)) {
      const { outcome } = failed
      const reason = outcome.ok ? undefined : outcome.status.reason
      if (reason === 'NotFound' && failed.call.verb === 'patch') this.leases.delete(key.slice(leasePrefix.length))
      else if (reason === 'AlreadyExists') this.leases.add(key.slice(leasePrefix.length))
      else return 'retry'
      return 'again'
    }
    if (key.startsWith(podPrefix)) this.podStages.markDone(key.slice(podPrefix.length), false)
    return undefined
  }

  private noteNode({ key, before, after }: ChangeOf<'nodes'>, input: StepInput): void {
    const { now } = input
    if (after === undefined) {
      this.pulses.forget(key)
      this.reports.delete(key)
      this.statusDueAt.delete(key)
      this.leases.delete(key)
      this.leaseDueAt.delete(key)
      this.nodeStages.forget(key, before?.metadata.uid)
      return
    }
    if (!this.serves(after)) return
    if (before === undefined) this.greet(key, after, input)
    // Pods that were bound before the first report of the node are started after it.
    else if (!hasReported(before) && hasReported(after) && !this.pulses.isSilent(key)) this.revived.add(key)
    const silent = after.metadata.annotations?.[hollowAnnotations.silent] === 'true'
    const wasSilent = before?.metadata.annotations?.[hollowAnnotations.silent] === 'true'
    if (silent && !wasSilent) this.silence([key], now, false)
    if (!silent && wasSilent) this.revive([key], now)
  }

  private greet(name: string, node: Node, { now, wall, view }: StepInput): void {
    this.addresses.seeNode(node)
    const isFirst = this.steps === 0
    if (isFirst) this.leases.add(name)
    if (this.pulses.knows(name)) return
    if (isFirst && this.options.adopt === 'as-found') {
      this.adopt(name, node, view.get('leases.coordination.k8s.io', `${nodeLeaseNamespace}/${name}`), { now, wall })
      return
    }
    const spread = isFirst && this.options.spread === true
    this.pulses.begin(name, spread ? now - (1 - fraction(name)) * this.renewMs : now)
    if (spread) this.statusDueAt.set(name, now + fraction(name) * this.statusUpdateIntervalMs)
  }

  /** Continues from the state in which the node was found. */
  private adopt(name: string, node: Node, lease: Lease | undefined, instant: Instant): void {
    const found = reportFound(node)
    if (found !== undefined) this.reports.set(name, found)
    const { now } = instant
    const renewTime = parseTime(lease?.spec?.renewTime)
    const renewedAt = renewTime === undefined ? undefined : reachedAt(renewTime, instant)
    // Without a Lease: assume that half an interval has passed since the last renewal.
    const since = renewedAt === undefined ? now - this.renewMs / 2 : Math.min(renewedAt, now)
    this.pulses.begin(name, since)
    const hasReported = node.status?.conditions?.some(({ type }) => type === 'Ready') === true
    const isOverdue = renewedAt !== undefined && now - renewedAt > leaseSeconds * 1000
    if ((hasReported && found === undefined) || isOverdue) this.pulses.silence(name, since + 1)
  }

  private notePod({ key, before, after }: ChangeOf<'pods'>, { now, wall, view }: StepInput): void {
    if (after === undefined) {
      if (before !== undefined) this.addresses.podGone(before)
      this.podStages.forget(key, before?.metadata.uid)
      this.deaths.delete(key)
      this.leftAlone.delete(before?.metadata.uid ?? '')
      this.restarting.delete(before?.metadata.uid ?? '')
      return
    }
    const { deletionTimestamp: timestamp, deletionGracePeriodSeconds: seconds = 0 } = after.metadata
    if (timestamp !== undefined && this.deaths.get(key)?.timestamp !== timestamp) {
      const isFresh = before !== undefined && before.metadata.deletionTimestamp === undefined
      const dueAt = isFresh ? now + Number(seconds) * 1000 : reachedAt(parseTime(timestamp) ?? wall, { now, wall })
      this.deaths.set(key, { timestamp, dueAt })
      if (before !== undefined) this.podStages.leave(key)
    }
    if (
      this.steps === 0 &&
      this.options.adopt === 'as-found' &&
      !isUp(after) &&
      isStuck(after, view.get('nodes', after.spec.nodeName ?? ''))
    ) {
      this.leftAlone.add(after.metadata.uid ?? '')
    }
  }

  private serves(node: Node): boolean {
    if (this.options.serves !== 'labeled') return true
    const { labels, annotations } = node.metadata
    if (labels?.[hollowLabel] !== undefined || annotations?.[hollowLabel] !== undefined) return true
    return labels?.[kwokName] === 'fake' || annotations?.[kwokName] === 'fake'
  }

  private reconcileNode(
    name: string,
    { view, now, wall, call, random }: ReconcileContext,
  ): ReconcileResult | undefined {
    const node = view.get('nodes', name)
    if (node === undefined || !this.serves(node)) return undefined
    const endsAt = this.silenceEndsAt.get(name)
    if (this.pulses.isSilent(name)) {
      if (endsAt === undefined) return undefined
      if (endsAt <= now) this.revive([name], now)
      return { wakeAt: Math.max(endsAt, now) }
    }
    const isWritten = this.options.heartbeats !== 'computed'
    const dueAt = this.statusDueAt.get(name) ?? now
    const heartbeatDue = isWritten && dueAt <= now
    const status = decideNodeStatus({
      node,
      report: annotatedReport(node) ?? this.reports.get(name) ?? healthy,
      now: formatTime(wall),
      heartbeatDue,
      takeAddresses: () => this.addresses.takeForNode(),
      defaults: this.options.defaults ?? nodeDefaults(this.options.version ?? defaultRelease.version),
    })
    if (heartbeatDue) this.statusDueAt.set(name, now + this.statusUpdateIntervalMs)
    const stageAt = this.nodeStageAt(name, node, now, random)
    const wakeAt = Math.min(stageAt, isWritten ? (this.statusDueAt.get(name) ?? now) : Number.POSITIVE_INFINITY)
    return {
      ...(status === undefined ? {} : { actions: [call(statusPatch('nodes', undefined, name, status))] }),
      ...(wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }),
    }
  }

  /** Applies the stage of the node if it is due. Returns the time at which the next stage is due. */
  private nodeStageAt(name: string, node: Node, now: number, random: ReconcileContext['random']): number {
    if (this.nodeStages.isEmpty) return Number.POSITIVE_INFINITY
    const draw = () => random.stream(hollowKubelet).next()
    const entry = this.nodeStages.enter(name, node, {
      now,
      rebooted: false,
      draw,
      delayOf: ({ stage }) => decideDelay(stage.delay, { object: node, graceLeftMs: 0, restarts: 0, draw }),
    })
    if (entry === undefined) return Number.POSITIVE_INFINITY
    if (entry.dueAt > now) return entry.dueAt
    this.nodeStages.leave(name)
    const { next } = entry.stage.stage
    if (next.kind !== 'silence') return Number.POSITIVE_INFINITY
    this.pulses.silence(name, now)
    this.silenceEndsAt.set(name, now + next.forMs)
    return now + next.forMs
  }

  private renewLease(name: string, { view, now, wall, call }: ReconcileContext): ReconcileResult | undefined {
    const node = view.get('nodes', name)
    if (node === undefined || !this.serves(node) || this.pulses.isSilent(name)) return undefined
    const dueAt = this.leaseDueAt.get(name) ?? now
    if (dueAt > now && this.leases.has(name)) return { wakeAt: dueAt }
    const isKnown = this.leases.has(name)
    this.leases.add(name)
    const wakeAt = this.pulses.nextAfter(name, now)
    this.leaseDueAt.set(name, wakeAt)
    return {
      actions: [call(isKnown ? renewal(name, renewTimeOf(name, view, wall)) : firstLease(node, wall), 'high')],
      wakeAt,
    }
  }

  private delayOf(stage: Stage, pod: Pod, { now, wall }: Instant, draw: () => number): number {
    const graceLeftMs = (this.deaths.get(keyOf(pod))?.dueAt ?? now) - now
    const question = {
      object: pod,
      graceLeftMs,
      stopWithinMs: this.options.stopWithinMs,
      restarts: restartsOf(pod),
      draw,
    }
    if (this.options.reports === 'complete') {
      if (stage.name === 'pod-ready-again') return readyInMs(pod, wall)
      const isStop =
        stage.delay?.grace !== undefined && pod.metadata.annotations?.[stage.delay.annotation ?? ''] === undefined
      const hookMs = isStop ? stopMs(pod) : undefined
      if (hookMs !== undefined) return Math.min(graceLeftMs, hookMs)
      const ranMs = stage.name === 'pod-complete' && stage.delay?.afterMs !== undefined ? sleepMs(pod) : undefined
      if (ranMs !== undefined && pod.metadata.annotations?.[hollowAnnotations.runFor] === undefined) return ranMs
    }
    return decideDelay(stage.delay, question)
  }

  /** Does what the stages do not cover: admission, the active deadline, and parts of the status. */
  private keepUp(pod: Pod, node: Node, context: ReconcileContext): ReconcileResult | undefined {
    const { view, now, wall, call } = context
    const { name, namespace, deletionTimestamp } = pod.metadata
    if (deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined
    const stamp = formatTime(wall)
    const write = (status: PodStatus | undefined, rejection?: KubeletRejection): ReconcileResult => {
      if (status === undefined) return {}
      const regarding = referenceTo(pod, { apiVersion: 'v1', kind: 'Pod' })
      const about = { regarding, api: 'core', component: 'kubelet', host: node.metadata.name } as const
      const events = rejection === undefined ? [] : [{ ...about, type: 'Warning' as const, ...rejection }]
      return { actions: [call(statusPatch('pods', namespace, name, status))], events }
    }
    if (pod.status?.startTime === undefined && pod.status?.phase !== 'Running') {
      const others = view
        .podsOn(node.metadata.name)
        .filter(
          (one) => one.status?.startTime !== undefined && !isPodTerminal(one) && one.metadata.uid !== pod.metadata.uid,
        )
      const rejection = decideAdmission(pod, node, others)
      if (rejection !== undefined) {
        const told = { reason: rejection.reason, message: `Pod was rejected: ${rejection.message}` }
        return write(failedStatus(pod, told, stamp), rejection)
      }
    }
    const deadline = deadlineOf(pod)
    if (deadline !== undefined && deadline <= wall) {
      return write(failedStatus(pod, deadlineExceeded, stamp), deadlineExceeded)
    }
    const status = decideUpkeep(pod, stamp)
    if (status !== undefined) return write(status)
    return deadline === undefined ? undefined : { wakeAt: reachedAt(deadline, { now, wall }) }
  }

  private reconcilePod(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, now, call } = context
    const pod = view.get('pods', key)
    if (pod === undefined) return undefined
    const name = pod.spec.nodeName ?? ''
    const node = view.get('nodes', name)
    if (node === undefined || !this.serves(node) || !hasReported(node) || this.pulses.isSilent(name)) return undefined
    if (pod.metadata.deletionTimestamp === undefined && this.leftAlone.has(pod.metadata.uid ?? '')) return undefined
    const isComplete = this.options.reports === 'complete'
    const handler = isComplete ? missingHandler(pod, node, (id) => view.get(runtimeClasses, id)) : undefined
    if (handler !== undefined && pod.metadata.deletionTimestamp === undefined)
      return { events: [sandboxEvent(pod, name, handler)], wakeAt: now + sandboxRetryMs }
    const kept = isComplete ? this.keepUp(pod, node, context) : undefined
    if (kept?.actions !== undefined) return kept
    const draw = () => context.random.stream(hollowKubelet).next()
    const entry = this.podStages.enter(key, pod, {
      now,
      rebooted: this.restarting.has(pod.metadata.uid ?? ''),
      draw,
      delayOf: ({ stage }) => this.delayOf(stage, pod, context, draw),
    })
    if (entry === undefined || entry.isDone || entry.dueAt === Number.POSITIVE_INFINITY) return kept
    if (entry.dueAt > now) return { wakeAt: Math.min(entry.dueAt, kept?.wakeAt ?? entry.dueAt) }
    this.podStages.markDone(key, true)
    this.restarting.delete(pod.metadata.uid ?? '')
    const action = podCall(entry.stage, pod, {
      node,
      wall: context.wall,
      takeIps: (hostIps) => this.addresses.takeForPod(pod, node, hostIps, () => view.podsOn(name)),
      isComplete,
    })
    return { actions: [call(action)], events: podEvents(entry.stage.stage, pod, name) }
  }
}

/** The restarts of the first container, or of the init container that fails. */
function restartsOf(pod: Pod): number {
  const { status } = pod
  const failing = status?.phase === 'Pending' ? failingInitOf(pod) : undefined
  const own = status?.initContainerStatuses?.find(({ name }) => name === failing?.name)
  return (own ?? status?.containerStatuses?.[0])?.restartCount ?? 0
}

/** Reports whether a pod may need more than its stages. */
function needsUpkeep({ metadata, spec, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  return (
    (status?.phase === 'Running' && status.observedGeneration !== metadata.generation) ||
    spec.readinessGates !== undefined ||
    spec.activeDeadlineSeconds !== undefined ||
    spec.ephemeralContainers !== undefined
  )
}

/** Node lifecycle counts only a renewTime later than the last one, so it advances even when the wall clock is set back. */
function renewTimeOf(node: string, view: View, wall: number): number {
  const lease = view.get('leases.coordination.k8s.io', `${nodeLeaseNamespace}/${node}`)
  return Math.max(wall, (parseTime(lease?.spec?.renewTime) ?? Number.NEGATIVE_INFINITY) + 1)
}

/** A number in [0, 1), derived from the name. */
function fraction(name: string): number {
  let hash = 2166136261
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619)
  return (hash >>> 0) / 2 ** 32
}
