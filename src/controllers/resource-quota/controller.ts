import { semanticEqual } from '../../api/equality.ts'
import { updateStatusCall } from '../../api/object-calls.ts'
import { objectKey } from '../../api/object-key.ts'
import type { ResourceQuota, Service } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { isPodTerminating, quotaEvaluatorOf } from '../../api/resource-quota.ts'
import type { Change, ChangeOf, Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type Wake } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import type { ServedKind } from '../served-kinds.ts'
import { decideStatus } from './decide-status.ts'

export const resourceQuota = 'resourcequota-controller'

/** The kinds whose objects are always recounted. Others are recounted while a quota limits their number. */
const counted = [
  'pods',
  'services',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'configmaps',
  'secrets',
  'resourcequotas',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'resourceclaims.resource.k8s.io',
] as const satisfies readonly KnownResource[]

/** v1.36, --resource-quota-sync-period. */
const resyncMs = 5 * 60_000

/**
 * Maintains `status.used` of quotas: initializes it, releases the usage of deleted objects, and recounts everything
 * periodically.
 */
export function createResourceQuotaController({ kinds = () => [] }: ResourceQuotaOptions = {}): Controller {
  const wakeOf = (resource: string) => (change: Change, view: View) => replenished(resource, change, view)
  const wakes: Record<string, unknown> = Object.assign(
    Object.create(null),
    Object.fromEntries(counted.map((resource) => [resource, wakeOf(resource)])),
    {
      resourcequotas: (change: ChangeOf<'resourcequotas'>, view: View) => {
        const { after } = change
        const own = after === undefined || isSettled(after, change.before) ? [] : [change.key]
        return [...own, ...replenished('resourcequotas', change as Change, view)]
      },
      // Quotas may be older than the kinds that they limit.
      [definitions]: (_: Change, view: View) => quotaKeys(view),
    },
  )
  /** Kinds whose number a quota limits, besides those that are always counted. */
  const extra = new Set<string>()
  const inner = createReconcilerController({
    name: resourceQuota,
    wakes: wakes as { readonly [R in KnownResource]?: Wake<R> },
    reconcile(key, { view, now, wall, call }) {
      const quota = view.get('resourcequotas', key)
      if (quota === undefined) return undefined
      const list = (resource: string) => view.list(resource as KnownResource, quota.metadata.namespace)
      const status = decideStatus(quota, extra.size === 0 ? counted : [...counted, ...extra], list, wall)
      const wakeAt = now + resyncMs
      if (status === undefined) return { wakeAt }
      return { actions: [call(updateStatusCall('resourcequotas', { ...quota, status } as ResourceQuota))], wakeAt }
    },
  })
  return {
    ...inner,
    step: (input) => {
      const isNews = input.changes.some(({ resource }) => resource === 'resourcequotas' || resource === definitions)
      const added = isNews ? limitedKinds(input.view, kinds()).filter((resource) => !extra.has(resource)) : []
      const output = inner.step(input)
      if (added.length === 0) return output
      for (const resource of added) {
        extra.add(resource)
        wakes[resource] = recountingOnce(wakeOf(resource))
      }
      return { ...output, watches: Object.keys(wakes) }
    },
  }
}

type WakeQuotas = (change: Change, view: View) => readonly string[]

/** The existing objects of a kind arrive as additions when the kind is first watched. Other additions wake no quota. */
function recountingOnce(wake: WakeQuotas): WakeQuotas {
  let isNew = true
  return (change, view) => {
    if (!isNew) return wake(change, view)
    isNew = false
    return quotaKeys(view)
  }
}

const quotaKeys = (view: View): readonly string[] =>
  view.list('resourcequotas').map(({ metadata }) => objectKey(metadata.namespace, metadata.name))

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

export interface ResourceQuotaOptions {
  /** The currently served kinds. Default: only the kinds that are always counted. */
  readonly kinds?: () => readonly ServedKind[]
}

/** The kinds that quotas limit with `count/RESOURCE.GROUP`, besides those that are always counted. */
function limitedKinds(view: View, kinds: readonly ServedKind[]): readonly string[] {
  const named = new Set<string>()
  for (const { spec } of view.list('resourcequotas')) {
    for (const name of Object.keys(spec?.hard ?? {}))
      if (name.startsWith('count/')) named.add(name.slice('count/'.length))
  }
  for (const resource of counted) named.delete(resource)
  return [...named].filter((name) =>
    kinds.some(({ resource, namespaced, storage, verbs }) => {
      return resource === name && namespaced && storage === resource && verbs.includes('watch')
    }),
  )
}

/** Reports whether only the usage changed, which admission updates. */
function isSettled(after: ResourceQuota, before: ResourceQuota | undefined): boolean {
  if (before === undefined || after.status?.hard === undefined) return false
  const said = ({ spec }: ResourceQuota): string => JSON.stringify(spec ?? {})
  return said(after) === said(before)
}

/** The quotas for which a change of one object may release usage (replenishQuota). */
function replenished(resource: string, { before, after }: Change, view: View): readonly string[] {
  if (before === undefined || view.count('resourcequotas') === 0) return []
  const old = before as KubeObject
  if (after !== undefined && !mayGiveBack(resource, old, after as KubeObject)) return []
  const evaluator = quotaEvaluatorOf(resource)
  return view
    .list('resourcequotas', old.metadata.namespace)
    .filter(({ spec }) => (evaluator?.matching(Object.keys(spec?.hard ?? {})).length ?? 0) > 0)
    .map(({ metadata }) => objectKey(metadata.namespace, metadata.name))
}

/**
 * Reports whether a change may release usage. Upstream does not react to all such changes (v1.36, quota/v1/install
 * DefaultUpdateFilter).
 */
function mayGiveBack(resource: string, before: KubeObject, after: KubeObject): boolean {
  switch (resource) {
    case 'pods':
      if (isPodTerminating(before as Pod) !== isPodTerminating(after as Pod)) return true
      return (isOver(after) && !isOver(before)) || hasOtherResources(before as Pod, after as Pod)
    case 'services':
      return quotaType(before) !== quotaType(after)
    default:
      return resource === 'persistentvolumeclaims'
  }
}

function hasOtherResources({ status: before }: Pod, { status: after }: Pod): boolean {
  if (before === after) return false
  return (['containerStatuses', 'initContainerStatuses'] as const).some((field) =>
    before?.[field]?.some(({ name, resources }) => {
      const now = after?.[field]?.find((one) => one.name === name)
      return now !== undefined && !semanticEqual(resources, now.resources)
    }),
  )
}

function quotaType(object: KubeObject): string {
  const { type = '' } = (object as Service).spec ?? {}
  return type === 'NodePort' || type === 'LoadBalancer' ? type : ''
}

const isOver = (object: KubeObject): boolean => {
  const { status } = object as { readonly status?: { readonly phase?: string } }
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}
