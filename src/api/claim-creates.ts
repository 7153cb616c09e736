import type { MetricDescription } from '../base/metrics.ts'

/** The metric of created claims that kube-scheduler and kube-controller-manager have since v1.37. */
export const claimCreates: MetricDescription = {
  name: 'dynamic_resource_allocation_resourceclaim_creates_total',
  help: 'Number of ResourceClaims creation requests, categorized by creation status, admin access, and owning API group and kind (either Pod or scheduling.k8s.io/PodGroup)',
  labels: ['status', 'admin_access', 'owner_api_group', 'owner_api_kind'],
}
