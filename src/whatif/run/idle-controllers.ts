import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'

/** Controllers that are idle unless objects of these resources exist. */
const objectsOf = lookupTable<readonly string[]>({
  deployment: ['deployments.apps'],
  replicaset: ['replicasets.apps', 'deployments.apps'],
  replicationcontroller: ['replicationcontrollers'],
  statefulset: ['statefulsets.apps'],
  daemonset: ['daemonsets.apps'],
  cronjob: ['cronjobs.batch'],
  job: ['jobs.batch', 'cronjobs.batch'],
  'ttl-after-finished': ['jobs.batch', 'cronjobs.batch'],
  horizontalpodautoscaling: ['horizontalpodautoscalers.autoscaling'],
  disruption: ['poddisruptionbudgets.policy'],
  'ephemeral-volume': ['persistentvolumeclaims'],
  'persistentvolume-binder': ['persistentvolumeclaims', 'persistentvolumes'],
  'pvc-protection': ['persistentvolumeclaims'],
  'pv-protection': ['persistentvolumes'],
  resourcequota: ['resourcequotas'],
  'podgroup-protection': ['podgroups.scheduling.k8s.io'],
  'device-taint-eviction': ['resourceclaims.resource.k8s.io', 'resourceclaimtemplates.resource.k8s.io'],
  resourceclaim: ['resourceclaims.resource.k8s.io', 'resourceclaimtemplates.resource.k8s.io'],
})

/** Controllers that only clean up after a deletion of owners or namespaces. */
const cleaners = ['garbagecollector', 'namespace']

/** Controllers that have nothing to do in this run. Omitting them makes forecasts of large clusters faster, with the same result. */
export function idleControllers(
  store: Store,
  { create, steps }: Pick<ForecastPlan, 'create' | 'steps'>,
): readonly string[] {
  const kinds = new Set(steps.map(({ step }) => step.kind))
  if (create.length > 0 || kinds.has('apply') || kinds.has('patch')) return []
  const restarted = new Set(
    steps.map(({ step }) => (step.kind === 'restart' || step.kind === 'pause' ? step.controller : undefined)),
  )
  const hasAny = (resources: readonly string[]) => resources.some((resource) => store.count(resource) > 0)
  const idle = Object.entries(objectsOf)
    .filter(([, resources]) => !hasAny(resources))
    .map(([name]) => name)
  const deletes = kinds.has('delete') || kinds.has('remove') || kinds.has('drain')
  const cleaned = deletes || hasAny(['jobs.batch', 'cronjobs.batch']) ? [] : cleaners
  return [...idle, ...cleaned].filter((name) => !restarted.has(name))
}
