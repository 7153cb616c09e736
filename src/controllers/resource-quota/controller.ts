import { semanticEqual } from '../../api/equality.ts'
import { objectKey } from '../../api/object-key.ts'
import type { ResourceQuota, Service } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { isPodTerminating, quotaEvaluatorOf } from '../../api/resource-quota.ts'
import type { Change, Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type Wake } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { updateStatusCall } from '../object-calls.ts'
import { decideStatus } from './decide-status.ts'

export const resourceQuota = 'resourcequota-controller'

/** The kinds whose objects are recounted. The usage of other kinds is charged on creation and never released. */
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

/** Maintains `status.used` of quotas: initializes it, releases what is deleted, and recounts everything periodically. */
export function createResourceQuotaController(): Controller {
  const wakes = Object.fromEntries(
    counted.map((resource) => [resource, (change: Change, view: View) => replenished(resource, change, view)]),
  )
  return createReconcilerController({
    name: resourceQuota,
    wakes: {
      ...wakes,
      resourcequotas: (change, view) => {
        const { after } = change
        const own = after === undefined || isSettled(after, change.before) ? [] : [change.key]
        return [...own, ...replenished('resourcequotas', change as Change, view)]
      },
    } as { readonly [R in KnownResource]?: Wake<R> },
    reconcile(key, { view, now, wall, call }) {
      const quota = view.get('resourcequotas', key)
      if (quota === undefined) return undefined
      const list = (resource: string) => view.list(resource as KnownResource, quota.metadata.namespace)
      const status = decideStatus(quota, counted, list, wall)
      const wakeAt = now + resyncMs
      if (status === undefined) return { wakeAt }
      return { actions: [call(updateStatusCall('resourcequotas', { ...quota, status } as ResourceQuota))], wakeAt }
    },
  })
}

/** Whether only the usage changed, which admission updates. */
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
 * Whether a change may release usage. Upstream does not react to all such changes (v1.36, quota/v1/install
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
