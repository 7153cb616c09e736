// The public API of the package: a cluster for tests, and the contracts of plugins and controllers.
export type { Call, Outcome, Patch, WatchEvent } from './api/call.ts'
export type { KubeObject, LabelSelector, ObjectMeta, Status } from './api/objects/meta.ts'
export type { Lease, Node, Taint } from './api/objects/node.ts'
export type { Pod, PodDisruptionBudget, PodSpec, PriorityClass, Toleration } from './api/objects/pod.ts'
export type { KnownResource, ObjectOf, ResourceName, ResourceTypes } from './api/objects/resources.ts'
export type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from './api/objects/workloads.ts'
export { parseFeatureGates } from './api/releases/feature-gates.ts'
export type { KubernetesRelease } from './api/releases/kubernetes-release.ts'
export { knownMinors, releaseOf, withFeatureGates } from './api/releases/release-of.ts'
export { version } from './base/version.ts'
export type { NodeShape } from './controlplane/hollow-nodes.ts'
export type { ApiClass } from './library/api-client.ts'
export { ClusterOptionError } from './library/argument-checks.ts'
export { EndlessWorkError, OutsideWaitError } from './library/async-work.ts'
export {
  type Cluster,
  ClusterTimeoutError,
  type DrainSettings,
  type PodFilter,
  type ServedCluster,
  type ServeSettings,
} from './library/cluster.ts'
export { ClusterError } from './library/cluster-error.ts'
export type { ClusterOptions } from './library/cluster-options.ts'
export type { ClusterSource, ObjectList } from './library/cluster-source.ts'
export {
  type ControllerDefinition,
  type ControllerSource,
  defineController,
  defineReconciler,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
  type ReconcilerSource,
} from './library/controller-definition.ts'
export { createCluster } from './library/create-cluster.ts'
export type { ClientWatch, Informer } from './library/informer.ts'
export type * from './library/kubernetes-types/index.ts'
export type { ClientHeader, ClientList, ClientObject, ClientStatus, ObjectClient } from './library/object-client.ts'
export type { ObjectEvent, ObjectWatch, WatchOptions } from './library/object-watch.ts'
export type { ReconcileFailure } from './library/reconciler-runner.ts'
export { type ObjectNamed, type ServedResource, UnknownResourceError } from './library/resource-name.ts'
export type { Action, Change, Controller, EventRecord, StepInput, StepOutput } from './runtime/controller.ts'
export type { View } from './runtime/view.ts'
export type { NodeState, ParsedPod, Plugin } from './scheduler/contract/contract.ts'
export { ActionType, definePlugin } from './scheduler/contract/contract.ts'
export { ok, pending, skip, unresolvable, unschedulable } from './scheduler/contract/status.ts'
export { explainPod, type PodExplanation } from './whatif/explain/explain-pod.ts'
export { ObjectSet } from './whatif/explain/object-set.ts'
export type { Forecast } from './whatif/report/forecast.ts'
export { type ForecastRequest, forecast } from './whatif/run/forecast.ts'
