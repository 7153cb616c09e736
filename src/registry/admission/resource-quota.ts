import type { Failure } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { ResourceQuota } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Quantities } from '../../api/pod-resources.ts'
import { compareQuantities, formatQuantity, quantitySign, subtractQuantities } from '../../api/quantity.ts'
import {
  addUsage,
  isPodTerminating,
  type QuotaEvaluator,
  quotaEvaluatorOf,
  quotaScopesAdmit,
  readUsage,
  writtenUsage,
} from '../../api/resource-quota.ts'
import type { StoreWrite } from '../../store/contract.ts'
import type { AdmissionRequest } from './admission.ts'
import { refuse } from './forbidden.ts'

const nothing: readonly StoreWrite[] = []

/**
 * The charges of a write to the quotas of the namespace, as additional writes, or why a quota forbids it
 * (ResourceQuota). A quota limits nothing until its controller has written its limits into the status.
 */
export function quotaCharges(admission: AdmissionRequest): readonly StoreWrite[] | Failure {
  const { kind, object, context } = admission
  const { store } = context
  const { namespace } = object.metadata
  if (!kind.namespaced || namespace === undefined || store.count('resourcequotas') === 0) return nothing
  if (context.disabledAdmission.has('ResourceQuota')) return nothing
  const evaluator = quotaEvaluatorOf(kind.storage)
  if (evaluator === undefined || !isCounted(admission)) return nothing
  const quotas = store.list('resourcequotas', { namespace }) as readonly ResourceQuota[]
  const writes: StoreWrite[] = []
  const usage = evaluator.usage(object, context.nowMs)
  for (const quota of quotas) {
    const charge = chargeOf(quota, evaluator, usage, admission)
    if (typeof charge === 'string') return refuse(kind, object.metadata.name, charge)
    if (charge === undefined) continue
    const status = { ...quota.status, used: writtenUsage(charge) }
    const key = `${namespace}/${quota.metadata.name}`
    writes.push({ kind: 'update', resource: 'resourcequotas', key, object: { ...quota, status } as KubeObject })
  }
  return writes
}

/** The writes that can change the usage of an object. */
function isCounted({ kind, object, old, context: { subresource } }: AdmissionRequest): boolean {
  if (old === undefined) return subresource === undefined
  switch (kind.resource) {
    case 'pods':
      if (subresource === 'resize') return true
      return subresource === undefined && isPodTerminating(object as Pod) !== isPodTerminating(old as Pod)
    case 'services':
      return subresource === undefined
    case 'persistentvolumeclaims':
      if (subresource === undefined) return true
      return subresource === 'status' && !deepEqual(claimState(object), claimState(old))
    default:
      return false
  }
}

function claimState(object: KubeObject): unknown {
  const { status = {} } = object as { readonly status?: Readonly<Record<string, unknown>> }
  return [status['allocatedResources'], status['currentVolumeAttributesClassName'], status['modifyVolumeStatus']]
}

const pairs = (usage: Quantities, names: readonly string[]): string =>
  [...names]
    .sort()
    .flatMap((name) => {
      const amount = usage.get(name)
      return amount === undefined ? [] : [`${name}=${formatQuantity(amount)}`]
    })
    .join(',')

/** The new usage of the quota, undefined if it does not change, or why it is exceeded. */
function chargeOf(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator,
  usage: Quantities,
  { object, old, context }: AdmissionRequest,
): Quantities | string | undefined {
  const { name } = quota.metadata
  const hard = readUsage(quota.status?.hard)
  const limited = evaluator.matching([...hard.keys()])
  if (limited.length === 0 || !quotaScopesAdmit(quota, evaluator, object)) return undefined
  const missing = evaluator.missing?.(limited, object)
  if (missing !== undefined) return `failed quota: ${name}: ${missing}`
  const used = readUsage(quota.status?.used)
  const unknown = limited.filter((resource) => !used.has(resource))
  if (unknown.length > 0) return `status unknown for quota: ${name}, resources: ${[...limited].sort().join(',')}`
  const negative = [...usage].filter(([, amount]) => quantitySign(amount) < 0).map(([resource]) => resource)
  if (negative.length > 0) return `quota usage is negative for resource(s): ${negative.sort().join(',')}`
  const before = old !== undefined && quotaScopesAdmit(quota, evaluator, old) ? old : undefined
  const delta = before === undefined ? usage : growth(usage, evaluator.usage(before, context.nowMs))
  const requested = new Map([...delta].filter(([resource, amount]) => hard.has(resource) && quantitySign(amount) !== 0))
  if (requested.size === 0) return undefined
  const next = addUsage(used, requested)
  if (context.subresource !== 'status') {
    const exceeded = [...requested.keys()].filter((resource) => {
      const [sum, limit] = [next.get(resource), hard.get(resource)]
      return sum !== undefined && limit !== undefined && compareQuantities(sum, limit) > 0
    })
    if (exceeded.length > 0) {
      const parts = `requested: ${pairs(requested, exceeded)}, used: ${pairs(used, exceeded)}, limited: ${pairs(hard, exceeded)}`
      return `exceeded quota: ${name}, ${parts}`
    }
  }
  return next
}

/** Counts increases only. The quota controller subtracts decreases. */
function growth(after: Quantities, before: Quantities): Quantities {
  return new Map(
    [...after].flatMap(([name, amount]) => {
      const old = before.get(name)
      const delta = old === undefined ? amount : subtractQuantities(amount, old)
      return quantitySign(delta) > 0 ? [[name, delta] as const] : []
    }),
  )
}
