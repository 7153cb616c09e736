import { cidrsOverlap } from '../../api/cidr.ts'
import { findCondition } from '../../api/conditions.ts'
import type { Condition, JsonObject } from '../../api/objects/meta.ts'
import type { IPAddress, ServiceCIDR } from '../../api/objects/service-addresses.ts'
import { formatTime } from '../../api/time.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type ReconcileContext, type ReconcileResult } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { holds, isOfService, isReleasable, rangesOf } from './decide-release.ts'

const name = 'service-cidr-controller'
const ranges = 'servicecidrs.networking.k8s.io'
const addresses = 'ipaddresses.networking.k8s.io'
const finalizer = 'networking.k8s.io/service-cidr-finalizer'
/** Until then, API servers may still allocate addresses of a deleted range. */
const graceMs = 10_000

const ready = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const
const blocked = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
} as const

/** Protects ServiceCIDRs whose addresses are in use, and reports whether they are ready (v1.36, servicecidrs). */
export function createServiceCidrController(): Controller {
  return createReconcilerController({
    name,
    wakes: {
      [ranges]: ({ key, before, after }, view) => [key, ...overlapping(after ?? before, view)],
      // A change of one address matters only to ranges that are being deleted.
      [addresses]: ({ before, after }, view) => containing(after ?? before, view),
    },
    reconcile(key, context) {
      const range = context.view.get(ranges, key)
      if (range === undefined) return undefined
      return range.metadata.deletionTimestamp === undefined ? keep(range, context) : release(range, context)
    },
  })
}

function overlapping(changed: ServiceCIDR | undefined, view: View): readonly string[] {
  const own = changed === undefined ? [] : rangesOf(changed)
  return view
    .list(ranges)
    .filter((range) => rangesOf(range).some((one) => own.some((other) => cidrsOverlap(one, other))))
    .map(({ metadata }) => metadata.name)
}

function containing(address: IPAddress | undefined, view: View): readonly string[] {
  if (address === undefined || !isOfService(address)) return []
  return view
    .list(ranges)
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .filter((range) => rangesOf(range).some((one) => holds(one, address.metadata.name)))
    .map(({ metadata }) => metadata.name)
}

function keep(range: ServiceCIDR, context: ReconcileContext): ReconcileResult | undefined {
  if (range.metadata.finalizers?.includes(finalizer) === true) return report(range, ready, context)
  const patch = { metadata: { finalizers: [finalizer] } }
  const protect = context.call({
    verb: 'patch',
    resource: ranges,
    name: range.metadata.name,
    fieldManager: 'kube-controller-manager',
    patch: { kind: 'strategic', patch },
  })
  return { actions: [protect, ...(report(range, ready, context)?.actions ?? [])] }
}

function release(range: ServiceCIDR, context: ReconcileContext): ReconcileResult | undefined {
  const { view, wall, now, call } = context
  if (range.metadata.finalizers?.includes(finalizer) !== true) return undefined
  if (!isReleasable(range, view.list(ranges), view.list(addresses))) return report(range, blocked, context)
  const leftMs = Date.parse(range.metadata.deletionTimestamp ?? '') + graceMs - wall
  if (leftMs > 0) return { wakeAt: now + leftMs }
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [finalizer] } }
  return {
    actions: [
      call({ verb: 'patch', resource: ranges, name: range.metadata.name, patch: { kind: 'strategic', patch } }),
    ],
  }
}

function report(
  range: ServiceCIDR,
  wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
  { wall, call }: ReconcileContext,
): ReconcileResult | undefined {
  const current = findCondition(range.status?.conditions, 'Ready')
  const isSame =
    current?.status === wanted.status && (current.reason ?? '') === wanted.reason && current.message === wanted.message
  if (isSame) return undefined
  const applied = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: range.metadata.name },
    status: { conditions: [{ type: 'Ready', ...wanted, lastTransitionTime: formatTime(wall) }] },
  }
  const patch = { kind: 'apply', object: applied as unknown as JsonObject, force: true } as const
  const target = { resource: ranges, name: range.metadata.name, subresource: 'status', fieldManager: name } as const
  return { actions: [call({ verb: 'patch', ...target, patch })] }
}
