import type { CreateCall, Failure, Outcome } from '../../api/call.ts'
import { findCondition, isPodReady, withCondition } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import type { DeleteOptions, KubeObject, Status } from '../../api/objects/meta.ts'
import type { Pod, PodCondition, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { failure, notFound } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import { nodeRestriction } from '../admission/node-restriction.ts'
import { type Backend, storedForm, storeKey, writeContextOf } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind } from '../kinds/kind.ts'
import { storeFailure } from '../write/commit.ts'
import { removeObject } from '../write/delete.ts'
import { governSubresource } from '../write/governed.ts'

interface EvictionObject extends KubeObject {
  readonly deleteOptions?: DeleteOptions & {
    readonly dryRun?: readonly string[]
    readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
  }
}

const evicted: Outcome = {
  ok: true,
  kind: 'status',
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
}

const wouldViolate = "Cannot evict pod as it would violate the pod's disruption budget."
// The maximum number of evictions that the disruption controller has not confirmed.
const maxDisruptedPods = 2000

/**
 * POST pods/eviction: a deletion that a PodDisruptionBudget may reject (v1.36, registry/core/pod/storage EvictionREST).
 */
export function evictPod(backend: Backend, kind: Kind, call: CreateCall, caller: Caller): Outcome {
  const eviction = governed(backend, kind, call, caller)
  if (isFailure(eviction)) return eviction
  const name = call.name ?? ''
  if (name !== (eviction.metadata?.name ?? '')) {
    return failure('BadRequest', 'name in URL does not match name in Eviction object')
  }
  const options = eviction.deleteOptions ?? {}
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const field = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential'
    return invalidObject('Eviction', 'evictions.policy', name, [
      invalid(field, true, 'can not be set for pod eviction, try after removing the option'),
    ])
  }
  const dryRun = call.dryRun === true || (options.dryRun?.length ?? 0) > 0
  const key = storeKey(kind, call.namespace ?? eviction.metadata.namespace, name)
  const pod = backend.store.get('pods', key) as Pod | undefined
  if (pod === undefined) return notFound('pods', name)
  if (!needsNoBudget(pod)) {
    const refused = takeFromBudget(backend, pod, dryRun)
    if (refused !== undefined) return refused
  }
  return disruptAndDelete(backend, kind, key, pod, options, dryRun)
}

/** The eviction after NodeRestriction, webhooks and policies. They do not see the deletion that follows. */
function governed(backend: Backend, kind: Kind, call: CreateCall, caller: Caller): EvictionObject | Failure {
  const { dynamic, store, release, guard } = backend
  const given = call.object as EvictionObject
  if (backend.options.restrictsNodes === true) {
    const { name = '', namespace = '' } = call
    const place = { kind, caller, name, namespace, subresource: 'eviction', object: given, store, release, guard }
    const refused = nodeRestriction({ ...place, operation: 'CREATE' })
    if (refused !== undefined) return refused
  }
  if (dynamic === undefined) return given
  const dryRun = call.dryRun === true || (given.deleteOptions?.dryRun?.length ?? 0) > 0
  const context = writeContextOf(backend, caller, { ...call, subresource: 'eviction', dryRun })
  const place = { name: call.name ?? '', namespace: call.namespace ?? given.metadata?.namespace }
  return governSubresource(dynamic, kind, context, place, given) as EvictionObject | Failure
}

function needsNoBudget(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return true
  const phase = pod.status?.phase
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending'
}

/** Counts one disruption against the budget of the pod, or returns why no disruption is allowed. */
function takeFromBudget(backend: Backend, pod: Pod, dryRun: boolean): Failure | undefined {
  const budgets = budgetsOf(backend, pod)
  const [budget] = budgets
  if (budget === undefined) return undefined
  if (budgets.length > 1) return severalBudgets()
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  if (!isPodReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return undefined
  }
  return (
    budgetRefusal(budget, backend.release) ?? (dryRun ? undefined : countDisruption(backend, budget, pod.metadata.name))
  )
}

function budgetsOf(backend: Backend, pod: Pod): readonly PodDisruptionBudget[] {
  const { namespace } = pod.metadata
  const all = backend.store.list('poddisruptionbudgets.policy', namespace === undefined ? {} : { namespace })
  return (all as readonly PodDisruptionBudget[]).filter((one) => selects(one.spec?.selector, pod.metadata.labels))
}

function severalBudgets(): Failure {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    code: 500,
  }
  return { ok: false, status }
}

function budgetRefusal({ metadata, status }: PodDisruptionBudget, release: KubernetesRelease): Failure | undefined {
  const { name } = metadata
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const allowed = status?.disruptionsAllowed ?? 0
  if (allowed < 0) {
    const why = 'pdb disruptions allowed is negative'
    return forbidden(name, why, why, release)
  }
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'
    return forbidden(name, why, 'too many pending evictions not confirmed by PDB controller', release)
  }
  return allowed === 0 ? tooManyRequests(whyNone(name, status, release), 0) : undefined
}

function whyNone(name: string, status: PodDisruptionBudget['status'], release: KubernetesRelease): string {
  const condition = findCondition(status?.conditions, 'DisruptionAllowed')
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  const said = condition?.status === 'False' && condition.message !== undefined && condition.message !== ''
  if (said && condition.reason === 'SyncFailed' && atLeast(release, '1.35')) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`
  }
  // v1.34 only counts.
  if (currentHealthy <= desiredHealthy || !atLeast(release, '1.35')) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return said
    ? `The disruption budget ${name} does not allow evicting pods currently (${condition.reason ?? ''}): ${condition.message}`
    : `The disruption budget ${name} does not allow evicting pods currently`
}

function tooManyRequests(message: string, retryAfterSeconds: number): Failure {
  return failure('TooManyRequests', wouldViolate, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  })
}

/** Since v1.37 this refusal has a cause, as the other refusals do. */
function forbidden(name: string, why: string, cause: string, release: KubernetesRelease): Failure {
  const message = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`
  return failure('Forbidden', `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: ${why}`, {
    name,
    group: 'policy',
    kind: 'poddisruptionbudget',
    ...(atLeast(release, '1.37') ? { causes: [{ reason: 'DisruptionBudget', message }] } : {}),
  })
}

function countDisruption(backend: Backend, budget: PodDisruptionBudget, podName: string): Failure | undefined {
  const now = formatTime(backend.clock.now())
  const allowed = (budget.status?.disruptionsAllowed ?? 0) - 1
  const status = {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...budget.status,
    disruptionsAllowed: allowed,
    disruptedPods: { ...budget.status?.disruptedPods, [podName]: now },
    ...(allowed === 0 ? { conditions: exhausted(budget, now) } : {}),
  }
  const { namespace = '', name } = budget.metadata
  const result = backend.store.commit([
    {
      kind: 'update',
      resource: 'poddisruptionbudgets.policy',
      key: `${namespace}/${name}`,
      object: { ...budget, status } as PodDisruptionBudget,
    },
  ])
  if (result.ok) return undefined
  const kind = backend.kinds.find('poddisruptionbudgets.policy')
  return kind === undefined ? undefined : storeFailure(kind, name, result.refusal)
}

function exhausted(budget: PodDisruptionBudget, now: string) {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False' as const,
    reason: 'InsufficientPods',
    message: '',
    observedGeneration: budget.status?.observedGeneration ?? 0,
  }
  return withCondition(budget.status?.conditions, condition, now)
}

function disruptAndDelete(
  backend: Backend,
  kind: Kind,
  key: string,
  pod: Pod,
  options: DeleteOptions,
  dryRun: boolean,
): Outcome {
  const { preconditions, gracePeriodSeconds, propagationPolicy, orphanDependents } = options
  const target: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
  }
  const rest: DeleteOptions = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
  }
  // The preconditions refer to the pod before the condition is written, so they are checked first.
  if (preconditions !== undefined) {
    const check = removeObject(backend, kind, { object: pod, options: { ...rest, preconditions }, dryRun: true })
    if (!check.ok) return check
  }
  if (dryRun) return evicted
  const conditions = withCondition(pod.status?.conditions, target, formatTime(backend.clock.now()))
  let marked = pod
  if (conditions !== pod.status?.conditions) {
    const object: Pod = { ...pod, status: { ...pod.status, conditions } }
    const result = backend.store.commit([
      { kind: 'update', resource: 'pods', key, object: storedForm(backend, kind, object) },
    ])
    if (!result.ok) return storeFailure(kind, pod.metadata.name, result.refusal)
    marked = (result.changes[0]?.after ?? object) as Pod
  }
  const outcome = removeObject(backend, kind, { object: marked, options: rest, dryRun: false })
  return outcome.ok ? evicted : outcome
}
