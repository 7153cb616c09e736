import type { Outcome } from '../../api/call.ts'
import { goSelectorText } from '../../api/go-selector-text.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { updateStatusCall, withStatus } from '../../api/object-calls.ts'
import { objectKey, splitKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { reachedAt } from '../../base/clock.ts'
import type { Action, Answer, Ask, ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import { createReconcilerController, type ReconcileContext, type ReconcileResult } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import type { EventNote } from '../event-note.ts'
import { isUnchangedForOwner } from '../unchanged-pod.ts'
import { BudgetCounter, type BudgetCounts } from './budget-counter.ts'
import { decideBudgetStatus, decideDisrupted, failedStatus, needsScale } from './decide-budget.ts'
import { replicasAt, scaleOf } from './expected-scale.ts'
import { sparedPod, staleAt } from './stale-disruption.ts'

export const disruptionController = 'disruption-controller'
// The component name in upstream's events.
const component = 'controllermanager'
const budgetPrefix = 'budget:'
const podPrefix = 'pod:'
const readTimeoutMs = 30_000
const nothing: readonly never[] = []

const budgetKind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const
const podKind = { apiVersion: 'v1', kind: 'Pod' } as const

export function createDisruptionController(): Controller {
  const state = new Disruptions()
  return createReconcilerController({
    name: disruptionController,
    wakes: {
      'poddisruptionbudgets.policy': (change, view) => state.budgetChanged(change, view),
      pods: (change) => state.podChanged(change),
      // Watched for lookups only.
      'replicasets.apps': () => undefined,
      'deployments.apps': () => undefined,
      'statefulsets.apps': () => undefined,
      replicationcontrollers: () => undefined,
      'customresourcedefinitions.apiextensions.k8s.io': () => undefined,
    },
    ignores: (change) => change.resource === 'pods' && isUnchangedForOwner(change),
    reconcile(key, context) {
      if (key.startsWith(podPrefix)) return reconcilePod(key.slice(podPrefix.length), context)
      return state.reconcileBudget(key, context)
    },
    onAnswers: (key, answers) => state.takeAnswers(key, answers),
  })
}

/** The answer to an ask for the scale of a controller: its uid and its wanted number. */
interface AskedScale {
  readonly uid: string
  readonly replicas: number
}

interface BudgetState {
  budget: PodDisruptionBudget | undefined
  /** Recorded with the budget's next reconciliation. */
  notes: EventRecord[]
  /** By the uid of the controller. Kept for one reconciliation. */
  scales: ReadonlyMap<string, AskedScale | string> | undefined
}

class Disruptions {
  private readonly counter = new BudgetCounter()
  /** By the keys of budgets in the work queue. */
  private readonly states = new Map<string, BudgetState>()
  private readonly asked = new Map<number, { readonly uid: string; readonly path: readonly string[] }>()

  budgetChanged({ key, before, after }: ChangeOf<'poddisruptionbudgets.policy'>, view: View): string {
    const { namespace = '' } = (after ?? before ?? { metadata: {} as { namespace?: string } }).metadata
    if (after === undefined) this.counter.forget(namespace, key)
    else this.counter.track(after, () => view.selectedBy('pods', namespace, labelMatcher(after.spec?.selector)))
    const wakeKey = budgetPrefix + key
    const states = this.states.get(wakeKey)
    if (states === undefined) this.states.set(wakeKey, { budget: after, notes: [], scales: undefined })
    else states.budget = after
    return wakeKey
  }

  podChanged(change: ChangeOf<'pods'>): string | readonly string[] | undefined {
    const { key, after } = change
    const concerned = this.counter.note(change)
    if (after === undefined) return concerned.length === 0 ? undefined : concerned.map(budgetKey)
    const isMarked = staleAt(after) !== undefined
    if (concerned.length === 0) return isMarked ? podPrefix + key : undefined
    this.warnOfMany(key, after)
    const keys = concerned.map(budgetKey)
    return isMarked ? [...keys, podPrefix + key] : keys
  }

  reconcileBudget(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { wall, view } = context
    const states = this.states.get(key)
    if (states === undefined) return undefined
    const { budget, notes: events, scales } = states
    states.notes = []
    states.scales = undefined
    if (budget === undefined) {
      this.states.delete(key)
      return { events }
    }
    const counts = this.counter.counts(budget)
    if (counts.pods === 0) {
      events.push(aboutBudget(budget, { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' }))
    }
    const scale = needsScale(budget.spec) ? this.expectedScale(budget, counts, scales, context) : { replicas: 0 }
    if ('asks' in scale) {
      states.notes = events
      return { asks: scale.asks }
    }
    if ('failure' in scale) {
      const message = `Failed to calculate the number of expected pods: ${scale.failure}`
      events.push(aboutBudget(budget, { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message }))
      return { actions: writeStatus(budget, failedStatus(budget, scale.failure, wall), context), events }
    }
    if (needsScale(budget.spec) && counts.unmanaged > 0) events.push(aboutBudget(budget, unmanaged(budget)))
    const disrupted = decideDisrupted(budget, (name) => podOf(budget, name, view), wall)
    for (const pod of disrupted.kept) events.push(aboutPod(pod, notDeleted(budget)))
    const status = decideBudgetStatus(budget, { counts, expectedScale: scale.replicas, disrupted, now: wall })
    const { recheckAt } = disrupted
    const actions = writeStatus(budget, status, context)
    return recheckAt === undefined ? { actions, events } : { actions, events, wakeAt: reachedAt(recheckAt, context) }
  }

  takeAnswers(key: string, answers: readonly Answer[]): void {
    const scales = new Map<string, AskedScale | string>()
    for (const { id, outcome } of answers) {
      const asked = this.asked.get(id)
      this.asked.delete(id)
      if (asked === undefined) continue
      if (outcome.kind !== 'ok') scales.set(asked.uid, outcome.kind === 'failed' ? outcome.message : 'timed out')
      else scales.set(asked.uid, readScale(outcome.value as Outcome, asked.path))
    }
    const states = this.states.get(key)
    if (states !== undefined) states.scales = scales
  }

  /** The sum of the scales of all controllers of the pods, each counted once (v1.36, getExpectedScale). */
  private expectedScale(
    budget: PodDisruptionBudget,
    { owners }: BudgetCounts,
    scales: ReadonlyMap<string, AskedScale | string> | undefined,
    { view, now, ids }: ReconcileContext,
  ): { readonly replicas: number } | { readonly failure: string } | { readonly asks: readonly Ask[] } {
    const namespace = budget.metadata.namespace ?? ''
    const sizes = new Map<string, number>()
    const asks: Ask[] = []
    for (const { reference, podNames } of owners.values()) {
      const scale = scaleOf(reference, namespace, view)
      if (scale.kind === 'impossible') return { failure: scale.message }
      if (scale.kind === 'known') {
        sizes.set(scale.uid, scale.replicas)
        continue
      }
      const answer = scale.kind === 'gone' ? undefined : scales?.get(reference.uid)
      if (typeof answer === 'string') return { failure: answer }
      if (answer?.uid === reference.uid) sizes.set(answer.uid, answer.replicas)
      else if (scale.kind === 'gone' || answer !== undefined)
        return { failure: `found no controllers for pod "${[...podNames][0] ?? ''}"` }
      else {
        const id = ids.next()
        this.asked.set(id, { uid: reference.uid, path: scale.path })
        asks.push({ id, deadlineAt: now + readTimeoutMs, request: { kind: 'read', call: scale.call } })
      }
    }
    if (asks.length > 0) return { asks }
    let replicas = 0
    for (const size of sizes.values()) replicas += size
    return { replicas }
  }

  private warnOfMany(key: string, pod: Pod): void {
    const budgets = this.counter.selecting(key, pod)
    if (budgets.length <= 1) return
    const [first = ''] = [...budgets].sort()
    const { namespace = '', name } = pod.metadata
    const message =
      `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  ` +
      `Chose ${JSON.stringify(splitKey(first).name)} arbitrarily.`
    const note = aboutPod(pod, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message })
    this.states.get(budgetKey(first))?.notes.push(note)
  }
}

function budgetKey(key: string): string {
  return budgetPrefix + key
}

function reconcilePod(key: string, context: ReconcileContext): ReconcileResult | undefined {
  const { view, wall } = context
  const pod = view.get('pods', key)
  const at = pod === undefined ? undefined : staleAt(pod)
  if (pod === undefined || at === undefined) return undefined
  if (at > wall) return { wakeAt: reachedAt(at, context) }
  return { actions: [context.call(updateStatusCall('pods', sparedPod(pod, wall)))] }
}

function writeStatus(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudget['status'],
  context: ReconcileContext,
): readonly Action[] {
  if (status === undefined) return nothing
  return [context.call(updateStatusCall('poddisruptionbudgets.policy', withStatus(budget, status)))]
}

function podOf(budget: PodDisruptionBudget, name: string, view: View): Pod | undefined {
  const pod = view.get('pods', objectKey(budget.metadata.namespace, name))
  const selector = labelMatcher(budget.spec?.selector)
  return pod !== undefined && selector.matches(pod.metadata.labels) ? pod : undefined
}

/** The requested object; an unknown uid if it was deleted. */
function readScale(outcome: Outcome, path: readonly string[]): AskedScale | string {
  if (!outcome.ok)
    return outcome.status.reason === 'NotFound' ? { uid: '', replicas: 0 } : (outcome.status.message ?? '')
  const object: KubeObject | undefined = outcome.kind === 'object' ? outcome.object : undefined
  return { uid: object?.metadata.uid ?? '', replicas: replicasAt(object, path) }
}

function unmanaged(budget: PodDisruptionBudget): EventNote {
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${goSelectorText(budget.spec?.selector)}) were found ` +
    'to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined ' +
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  return { type: 'Warning', reason: 'UnmanagedPods', message }
}

function notDeleted({ metadata }: PodDisruptionBudget): EventNote {
  // Upstream writes the namespace twice (v1.36, buildDisruptedPodMap).
  const message = `Pod was expected by PDB ${metadata.namespace}/${metadata.namespace} to be deleted but it wasn't`
  return { type: 'Warning', reason: 'NotDeleted', message }
}

function aboutBudget(budget: PodDisruptionBudget, note: EventNote): EventRecord {
  return { regarding: referenceTo(budget, budgetKind), api: 'core', component: component, ...note }
}

function aboutPod(pod: Pod, note: EventNote): EventRecord {
  return { regarding: referenceTo(pod, podKind), api: 'core', component: component, ...note }
}
