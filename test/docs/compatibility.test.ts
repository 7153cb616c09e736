import { describe, expect, it } from 'vitest'
import { knownMinors, releaseOf } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'
import { read } from '../tidy/project.ts'

// The names that v1.36 has, as kube-scheduler and kube-controller-manager print them in their help and on /metrics.
const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const plugins = words(`
  PrioritySort DefaultBinder DefaultPreemption DynamicResources GangScheduling ImageLocality InterPodAffinity NodeAffinity
  NodeDeclaredFeatures NodeName NodePorts NodeResourcesBalancedAllocation NodeResourcesFit NodeUnschedulable NodeVolumeLimits
  PodTopologySpread SchedulingGates TaintToleration VolumeBinding VolumeRestrictions VolumeZone TopologyPlacementGenerator
  PodGroupPodsCount
`)

const controllers = words(`
  bootstrap-signer certificatesigningrequest-approving certificatesigningrequest-cleaner certificatesigningrequest-signing
  cloud-node-lifecycle clusterrole-aggregation cronjob daemonset deployment device-taint-eviction disruption endpoints
  endpointslice endpointslice-mirroring ephemeral-volume garbage-collector horizontal-pod-autoscaler job
  kube-apiserver-serving-clustertrustbundle-publisher legacy-serviceaccount-token-cleaner namespace node-ipam node-lifecycle
  node-route persistentvolume-attach-detach persistentvolume-binder persistentvolume-expander persistentvolume-protection
  persistentvolumeclaim-protection pod-garbage-collector podcertificaterequest-cleaner podgroup-protection replicaset
  replicationcontroller resourceclaim resourcepoolstatusrequest resourcequota root-ca-certificate-publisher selinux-warning
  service-cidr service-lb serviceaccount serviceaccount-token statefulset storage-version-migrator
  storageversion-garbage-collector taint-eviction token-cleaner ttl-after-finished ttl validatingadmissionpolicy-status
  volumeattributesclass-protection
`).map((name) => `${name}-controller`)

const schedulerMetrics = words(`
  async_api_call_execution_duration_seconds async_api_call_execution_total batch_attempts_total batch_cache_flushed_total
  cache_size dra_bindingconditions_allocations_total dra_bindingconditions_wait_duration_seconds goroutines inflight_events
  pending_async_api_calls pending_pods permit_wait_duration_seconds plugin_evaluation_total pod_scheduled_after_flush_total
  pod_scheduling_attempts podgroup_schedule_attempts_total podgroup_scheduling_algorithm_duration_seconds
  podgroup_scheduling_attempt_duration_seconds preemption_attempts_total preemption_goroutines_duration_seconds
  preemption_goroutines_execution_total queue_incoming_pods_total resourceclaim_creates_total schedule_attempts_total
  scheduling_algorithm_duration_seconds scheduling_attempt_duration_seconds unschedulable_pods event_handling_duration_seconds
  framework_extension_point_duration_seconds get_node_hint_duration_seconds plugin_execution_duration_seconds
  pod_scheduling_sli_duration_seconds preemption_victims queueing_hint_execution_duration_seconds
  store_schedule_results_duration_seconds
`).map((name) => `scheduler_${name}`)

const flags = words(`
  config master write-config-to kube-api-burst kube-api-content-type kube-api-qps kubeconfig
  pod-max-in-unschedulable-pods-duration profiling contention-profiling leader-elect leader-elect-lease-duration
  leader-elect-renew-deadline leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace
  leader-elect-retry-period emulated-version feature-gates min-compatibility-version allocate-node-cidrs cidr-allocator-type
  cloud-config cloud-provider cluster-cidr cluster-name configure-cloud-routes controllers node-monitor-period
  node-cidr-mask-size node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 service-cluster-ip-range large-cluster-size-threshold
  node-eviction-rate node-monitor-grace-period node-startup-grace-period secondary-node-eviction-rate
  unhealthy-zone-threshold terminated-pod-gc-threshold enable-garbage-collector enable-dynamic-provisioning
  use-service-account-credentials namespace-sync-period min-resync-period
`).map((name) => `--${name}`)

const gates = words(`
  StorageCapacityScoring VolumeLimitScaling OpportunisticBatching DynamicResourceAllocation GangScheduling GenericWorkload
  SchedulerAsyncPreemption SchedulerAsyncAPICalls SchedulerPopFromBackoffQ SchedulerQueueingHints NodeDeclaredFeatures
  NominatedNodeNameForExpectation MatchLabelKeysInPodTopologySpread PodLevelResources TaintTolerationComparisonOperators
  MaxUnavailableStatefulSet WorkloadAwarePreemption TopologyAwareWorkloadScheduling
`)

const verbs = words('create get list watch update patch delete deletecollection')

describe('docs/compatibility.md', () => {
  const tables = read('docs/compatibility.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')
  const isNamed = (name: string) => new RegExp(`(^|[^\\w-])${name}($|[^\\w-])`, 'm').test(tables)

  it.each([
    ['every scheduler plugin', plugins],
    ['every controller', controllers],
    ['every metric of the scheduler', schedulerMetrics],
    ['every flag that concerns scheduling, nodes or both programs', flags],
    ['every feature gate that concerns scheduling', gates],
    ['every verb', verbs],
  ])('matches what docs/compatibility.md says: %s', (_, names) => {
    expect(names.filter((name) => !isNamed(name))).toEqual([])
  })
})

it('docs/compatibility.md has the default of every gate in every release', () => {
  const page = read('docs/compatibility.md')
  const section = page.slice(page.indexOf('### Feature gates that concern scheduling'))
  const rows = section
    .slice(0, section.indexOf('\n### ', 1))
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(rows.length).toBeGreaterThan(20)
  for (const [, names = '', ...cells] of rows)
    for (const name of names.split(', '))
      expect([name, ...cells.slice(0, 4)]).toEqual([name, ...knownMinors.map((minor) => defaultOf(name, minor))])
})

/** The default of a gate as the page writes it. */
function defaultOf(name: string, minor: string): string {
  const { featureGates, gates } = must(releaseOf(minor))
  const gate = featureGates[name]
  if (gate === undefined) return gates.has(name) ? 'on, permanent' : '–'
  const more = gate.locked === true ? ', locked' : gate.stage === 'alpha' ? ' (alpha)' : ''
  return `${gate.on ? 'on' : 'off'}${more}`
}
