// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1MutatingAdmissionPolicy, V1MutatingAdmissionPolicyBinding, V1MutatingWebhookConfiguration, V1ValidatingAdmissionPolicy, V1ValidatingAdmissionPolicyBinding, V1ValidatingWebhookConfiguration } from './admissionregistration.ts'
import type { V1CustomResourceDefinition } from './apiextensions.ts'
import type { V1APIService } from './apiregistration.ts'
import type { V1ControllerRevision, V1DaemonSet, V1Deployment, V1ReplicaSet, V1StatefulSet } from './apps.ts'
import type { V1HorizontalPodAutoscaler } from './autoscaling.ts'
import type { V1CronJob, V1Job } from './batch.ts'
import type { V1CertificateSigningRequest } from './certificates.ts'
import type { V1Lease } from './coordination.ts'
import type { CoreV1Event, V1ComponentStatus, V1ConfigMap, V1Endpoints } from './core-from-core-v1-endpoint-port.ts'
import type { V1LimitRange, V1Namespace, V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from './core-from-v1-grpcaction.ts'
import type { V1PodTemplate, V1ReplicationController, V1ResourceQuota, V1Secret, V1Service, V1ServiceAccount } from './core-from-v1-pod-certificate-projection.ts'
import type { V1EndpointSlice } from './discovery.ts'
import type { EventsV1Event } from './events.ts'
import type { V1FlowSchema, V1PriorityLevelConfiguration } from './flowcontrol.ts'
import type { V1IPAddress, V1Ingress, V1IngressClass, V1NetworkPolicy, V1ServiceCIDR } from './networking.ts'
import type { V1RuntimeClass } from './node.ts'
import type { V1PodDisruptionBudget } from './policy.ts'
import type { V1ClusterRole, V1ClusterRoleBinding, V1Role, V1RoleBinding } from './rbac.ts'
import type { ResourceV1ResourceClaim, V1DeviceClass, V1DeviceTaintRule, V1ResourceClaimTemplate, V1ResourceSlice } from './resource.ts'
import type { V1PriorityClass } from './scheduling.ts'
import type { V1CSIDriver, V1CSINode, V1CSIStorageCapacity, V1StorageClass, V1VolumeAttachment, V1VolumeAttributesClass } from './storage.ts'

/** The objects of every built-in resource. A resource is named `plural` in the core group and `plural.group` elsewhere. */
export interface ServedTypes {
  'apiservices.apiregistration.k8s.io': V1APIService
  'certificatesigningrequests.certificates.k8s.io': V1CertificateSigningRequest
  'clusterrolebindings.rbac.authorization.k8s.io': V1ClusterRoleBinding
  'clusterroles.rbac.authorization.k8s.io': V1ClusterRole
  componentstatuses: V1ComponentStatus
  configmaps: V1ConfigMap
  'controllerrevisions.apps': V1ControllerRevision
  'cronjobs.batch': V1CronJob
  'csidrivers.storage.k8s.io': V1CSIDriver
  'csinodes.storage.k8s.io': V1CSINode
  'csistoragecapacities.storage.k8s.io': V1CSIStorageCapacity
  'customresourcedefinitions.apiextensions.k8s.io': V1CustomResourceDefinition
  'daemonsets.apps': V1DaemonSet
  'deployments.apps': V1Deployment
  'deviceclasses.resource.k8s.io': V1DeviceClass
  'devicetaintrules.resource.k8s.io': V1DeviceTaintRule
  endpoints: V1Endpoints
  'endpointslices.discovery.k8s.io': V1EndpointSlice
  events: CoreV1Event
  'events.events.k8s.io': EventsV1Event
  'flowschemas.flowcontrol.apiserver.k8s.io': V1FlowSchema
  'horizontalpodautoscalers.autoscaling': V1HorizontalPodAutoscaler
  'ingressclasses.networking.k8s.io': V1IngressClass
  'ingresses.networking.k8s.io': V1Ingress
  'ipaddresses.networking.k8s.io': V1IPAddress
  'jobs.batch': V1Job
  'leases.coordination.k8s.io': V1Lease
  limitranges: V1LimitRange
  'mutatingadmissionpolicies.admissionregistration.k8s.io': V1MutatingAdmissionPolicy
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': V1MutatingAdmissionPolicyBinding
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': V1MutatingWebhookConfiguration
  namespaces: V1Namespace
  'networkpolicies.networking.k8s.io': V1NetworkPolicy
  nodes: V1Node
  persistentvolumeclaims: V1PersistentVolumeClaim
  persistentvolumes: V1PersistentVolume
  'poddisruptionbudgets.policy': V1PodDisruptionBudget
  pods: V1Pod
  podtemplates: V1PodTemplate
  'priorityclasses.scheduling.k8s.io': V1PriorityClass
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': V1PriorityLevelConfiguration
  'replicasets.apps': V1ReplicaSet
  replicationcontrollers: V1ReplicationController
  'resourceclaims.resource.k8s.io': ResourceV1ResourceClaim
  'resourceclaimtemplates.resource.k8s.io': V1ResourceClaimTemplate
  resourcequotas: V1ResourceQuota
  'resourceslices.resource.k8s.io': V1ResourceSlice
  'rolebindings.rbac.authorization.k8s.io': V1RoleBinding
  'roles.rbac.authorization.k8s.io': V1Role
  'runtimeclasses.node.k8s.io': V1RuntimeClass
  secrets: V1Secret
  serviceaccounts: V1ServiceAccount
  'servicecidrs.networking.k8s.io': V1ServiceCIDR
  services: V1Service
  'statefulsets.apps': V1StatefulSet
  'storageclasses.storage.k8s.io': V1StorageClass
  'validatingadmissionpolicies.admissionregistration.k8s.io': V1ValidatingAdmissionPolicy
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': V1ValidatingAdmissionPolicyBinding
  'validatingwebhookconfigurations.admissionregistration.k8s.io': V1ValidatingWebhookConfiguration
  'volumeattachments.storage.k8s.io': V1VolumeAttachment
  'volumeattributesclasses.storage.k8s.io': V1VolumeAttributesClass
}
