import { lookupTable } from '../../base/lookup-table.ts'
import { checkDefinition, checkDefinitionUpdate } from '../custom/definition-validation.ts'
import {
  checkClusterRole,
  checkClusterRoleBinding,
  checkClusterRoleBindingUpdate,
  checkClusterRoleUpdate,
  checkRole,
  checkRoleBinding,
  checkRoleBindingUpdate,
  checkRoleUpdate,
} from './access-rules.ts'
import {
  checkMutatingBinding,
  checkMutatingPolicy,
  checkValidatingBinding,
  checkValidatingPolicy,
  checkValidatingPolicyStatus,
} from './admission-policies.ts'
import { checkApiService, checkApiServiceStatus, checkApiServiceUpdate } from './api-services.ts'
import { checkAutoscaler, checkAutoscalerStatus, checkAutoscalerUpdate } from './autoscalers.ts'
import { checkBudget, checkBudgetStatus } from './budgets.ts'
import {
  checkCertificateRequest,
  checkCertificateRequestApproval,
  checkCertificateRequestStatus,
  checkCertificateRequestUpdate,
} from './certificate-requests.ts'
import { checkClaim, checkClaimStatus, checkClaimUpdate } from './claim-objects.ts'
import {
  checkConfigMap,
  checkConfigMapUpdate,
  checkLease,
  checkLeaseUpdate,
  checkLimitRange,
  checkNamespace,
  checkNamespaceFinalize,
  checkNamespaceStatus,
  checkPriorityClass,
  checkPriorityClassUpdate,
  checkSecret,
  checkSecretUpdate,
} from './cluster-objects.ts'
import {
  checkCompositePodGroup,
  checkCompositePodGroupStatus,
  checkCompositePodGroupUpdate,
  checkGroupAndParent,
  checkWorkloadAndTemplates,
} from './composite-pod-groups.ts'
import { checkResourceClaimStatus } from './device-claim-status.ts'
import {
  checkResourceClaim,
  checkResourceClaimTemplate,
  checkResourceClaimTemplateUpdate,
  checkResourceClaimUpdate,
} from './device-claims.ts'
import { checkDeviceClass, checkDeviceClassUpdate } from './device-classes.ts'
import { checkDeviceTaintRule, checkDeviceTaintRuleStatus, checkDeviceTaintRuleUpdate } from './device-taint-rules.ts'
import { checkEndpointSlice, checkEndpointSliceUpdate, checkEndpoints, checkEndpointsUpdate } from './endpoints.ts'
import { checkCoreEvent, checkEvent, checkEventUpdate } from './events.ts'
import { checkFlowSchema, checkFlowStatus, checkPriorityLevel } from './flow-control.ts'
import {
  checkIngress,
  checkIngressClass,
  checkIngressClassUpdate,
  checkIngressStatus,
  checkIngressUpdate,
} from './ingresses.ts'
import { checkJobStatus } from './job-status.ts'
import { checkCronJob, checkCronJobUpdate, checkJob, checkJobUpdate } from './jobs.ts'
import { checkServiceStatus } from './load-balancers.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkNetworkPolicy, checkNetworkPolicyUpdate } from './network-policies.ts'
import { checkNode, checkNodeUpdate } from './node.ts'
import { checkVolume, checkVolumeStatus, checkVolumeUpdate } from './persistent-volumes.ts'
import { checkNewPod } from './pod.ts'
import { checkPodGroupStatus, checkPodGroupUpdate, checkWorkloadUpdate } from './pod-groups.ts'
import { checkEphemeralUpdate, checkPodResize } from './pod-resize.ts'
import { checkPodStatus } from './pod-status.ts'
import { checkPodUpdate } from './pod-update.ts'
import { checkQuota, checkQuotaStatus, checkQuotaUpdate } from './quotas.ts'
import type { Errors, Obj } from './reader.ts'
import { checkResourceSlice, checkResourceSliceUpdate } from './resource-slices.ts'
import { checkRuntimeClass, checkRuntimeClassUpdate } from './runtime-classes.ts'
import { checkIpAddress, checkIpAddressUpdate, checkServiceCidr, checkServiceCidrUpdate } from './service-ranges.ts'
import { checkService, checkServiceUpdate } from './services.ts'
import { withoutStaticName } from './static-names.ts'
import {
  checkAttachmentUpdate,
  checkAttributesClass,
  checkAttributesClassUpdate,
  checkCsiDriver,
  checkCsiDriverUpdate,
  checkCsiNode,
  checkCsiNodeUpdate,
  checkNewAttachment,
  checkStorageCapacity,
  checkStorageCapacityUpdate,
  checkStorageClass,
  checkStorageClassUpdate,
} from './storage.ts'
import { checkWebhooks, checkWebhooksUpdate } from './webhook-configurations.ts'
import {
  checkDaemonSetStatus,
  checkDeploymentStatus,
  checkReplicaSetStatus,
  checkStatefulSetStatus,
} from './workload-status.ts'
import {
  checkDaemonSet,
  checkDaemonSetUpdate,
  checkDeployment,
  checkDeploymentUpdate,
  checkPodTemplate,
  checkPodTemplateUpdate,
  checkReplicaSet,
  checkReplicaSetUpdate,
  checkReplicationController,
  checkReplicationControllerUpdate,
  checkRevision,
  checkRevisionUpdate,
  checkStatefulSet,
  checkStatefulSetUpdate,
} from './workloads.ts'

type ObjectCheck = (errors: Errors, object: Obj) => void
type CheckUpdate = (errors: Errors, object: Obj, old: Obj) => void

export interface Validator {
  readonly create: ObjectCheck
  readonly update: CheckUpdate
  /** By subresource. Absent: only the rules for metadata. */
  readonly subresources?: Readonly<Record<string, CheckUpdate>>
  /** False: the common rules check metadata, or the name, after the validator. */
  readonly checksMeta?: boolean
  /** An update of the object itself is also checked like a creation. */
  readonly wholeOnUpdate?: true | 'before 1.35' | 'before 1.36' | 'before 1.37'
}

/** The validators by resource name (v1.36, pkg/apis/<group>/validation). */
export const validators = lookupTable<Validator>({
  'certificatesigningrequests.certificates.k8s.io': {
    create: checkCertificateRequest,
    checksMeta: false,
    update: checkCertificateRequestUpdate,
    subresources: { status: checkCertificateRequestStatus, approval: checkCertificateRequestApproval },
  },
  'apiservices.apiregistration.k8s.io': {
    create: checkApiService,
    update: checkApiServiceUpdate,
    subresources: { status: checkApiServiceStatus },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    create: checkFlowSchema,
    update: checkFlowSchema,
    subresources: { status: checkFlowStatus },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    create: checkPriorityLevel,
    update: checkPriorityLevel,
    subresources: { status: checkFlowStatus },
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    create: withoutStaticName(checkWebhooks),
    update: checkWebhooksUpdate,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    create: withoutStaticName(checkWebhooks),
    update: checkWebhooksUpdate,
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    create: withoutStaticName(checkMutatingPolicy),
    update: checkMutatingPolicy,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    create: withoutStaticName(checkMutatingBinding),
    update: checkMutatingBinding,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    create: withoutStaticName(checkValidatingPolicy),
    update: checkValidatingPolicy,
    subresources: { status: checkValidatingPolicyStatus },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    create: withoutStaticName(checkValidatingBinding),
    update: checkValidatingBinding,
  },
  pods: {
    create: checkNewPod,
    update: checkPodUpdate,
    subresources: { status: checkPodStatus, ephemeralcontainers: checkEphemeralUpdate, resize: checkPodResize },
  },
  nodes: {
    create: checkNode,
    update: checkNodeUpdate,
    wholeOnUpdate: true,
    subresources: { status: checkNodeUpdate },
  },
  namespaces: {
    create: checkNamespace,
    wholeOnUpdate: true,
    update: (errors, object, old) => checkMetaUpdate(errors, metaOf(object), metaOf(old)),
    subresources: { status: checkNamespaceStatus, finalize: checkNamespaceFinalize },
  },
  configmaps: { create: checkConfigMap, update: checkConfigMapUpdate },
  secrets: { create: checkSecret, update: checkSecretUpdate },
  limitranges: { create: checkLimitRange, update: checkLimitRange },
  podtemplates: { create: checkPodTemplate, update: checkPodTemplateUpdate },
  replicationcontrollers: {
    create: checkReplicationController,
    update: checkReplicationControllerUpdate,
    wholeOnUpdate: 'before 1.35',
    subresources: { status: checkReplicaSetStatus },
  },
  'deployments.apps': {
    create: checkDeployment,
    update: checkDeploymentUpdate,
    subresources: { status: checkDeploymentStatus },
  },
  'replicasets.apps': {
    create: checkReplicaSet,
    update: checkReplicaSetUpdate,
    subresources: { status: checkReplicaSetStatus },
  },
  'statefulsets.apps': {
    create: checkStatefulSet,
    update: checkStatefulSetUpdate,
    subresources: { status: checkStatefulSetStatus },
  },
  'daemonsets.apps': {
    create: checkDaemonSet,
    update: checkDaemonSetUpdate,
    subresources: { status: checkDaemonSetStatus },
  },
  'controllerrevisions.apps': { create: checkRevision, update: checkRevisionUpdate },
  'jobs.batch': {
    create: checkJob,
    update: checkJobUpdate,
    wholeOnUpdate: 'before 1.37',
    subresources: { status: checkJobStatus },
  },
  'cronjobs.batch': {
    create: checkCronJob,
    update: checkCronJobUpdate,
    subresources: { status: checkCronJobUpdate },
  },
  'poddisruptionbudgets.policy': {
    create: checkBudget,
    update: (errors, object) => checkBudget(errors, object),
    checksMeta: false,
    subresources: { status: checkBudgetStatus },
  },
  'horizontalpodautoscalers.autoscaling': {
    create: checkAutoscaler,
    update: checkAutoscalerUpdate,
    subresources: { status: checkAutoscalerStatus },
  },
  'priorityclasses.scheduling.k8s.io': { create: checkPriorityClass, update: checkPriorityClassUpdate },
  'leases.coordination.k8s.io': { create: checkLease, update: checkLeaseUpdate },
  services: { create: checkService, update: checkServiceUpdate, subresources: { status: checkServiceStatus } },
  events: { create: checkCoreEvent, update: checkCoreEvent, checksMeta: false },
  'events.events.k8s.io': { create: checkEvent, update: checkEventUpdate },
  persistentvolumeclaims: {
    create: checkClaim,
    update: checkClaimUpdate,
    wholeOnUpdate: 'before 1.35',
    subresources: { status: checkClaimStatus },
  },
  persistentvolumes: {
    create: checkVolume,
    update: checkVolumeUpdate,
    wholeOnUpdate: true,
    subresources: { status: checkVolumeStatus },
  },
  'storageclasses.storage.k8s.io': {
    create: checkStorageClass,
    update: checkStorageClassUpdate,
    wholeOnUpdate: true,
  },
  'volumeattributesclasses.storage.k8s.io': {
    create: checkAttributesClass,
    update: checkAttributesClassUpdate,
    wholeOnUpdate: 'before 1.35',
  },
  'volumeattachments.storage.k8s.io': {
    create: checkNewAttachment,
    update: checkAttachmentUpdate,
    subresources: { status: checkAttachmentUpdate },
  },
  'csinodes.storage.k8s.io': { create: checkCsiNode, update: checkCsiNodeUpdate, wholeOnUpdate: 'before 1.36' },
  'csidrivers.storage.k8s.io': { create: checkCsiDriver, update: checkCsiDriverUpdate },
  'csistoragecapacities.storage.k8s.io': {
    create: checkStorageCapacity,
    update: checkStorageCapacityUpdate,
    wholeOnUpdate: true,
  },
  'customresourcedefinitions.apiextensions.k8s.io': { create: checkDefinition, update: checkDefinitionUpdate },
  'runtimeclasses.node.k8s.io': {
    create: checkRuntimeClass,
    update: checkRuntimeClassUpdate,
    wholeOnUpdate: true,
  },
  resourcequotas: { create: checkQuota, update: checkQuotaUpdate, subresources: { status: checkQuotaStatus } },
  serviceaccounts: {
    create: (errors, object) => checkMeta(errors, metaOf(object), { namespaced: true, name: 'subdomain' }),
    wholeOnUpdate: true,
    update: (errors, object, old) => checkMetaUpdate(errors, metaOf(object), metaOf(old)),
  },
  endpoints: { create: checkEndpoints, update: checkEndpointsUpdate },
  'endpointslices.discovery.k8s.io': { create: checkEndpointSlice, update: checkEndpointSliceUpdate },
  'ingresses.networking.k8s.io': {
    create: checkIngress,
    update: checkIngressUpdate,
    subresources: { status: checkIngressStatus },
  },
  'ingressclasses.networking.k8s.io': { create: checkIngressClass, update: checkIngressClassUpdate },
  'networkpolicies.networking.k8s.io': {
    create: checkNetworkPolicy,
    update: checkNetworkPolicyUpdate,
    wholeOnUpdate: 'before 1.36',
  },
  'ipaddresses.networking.k8s.io': { create: checkIpAddress, update: checkIpAddressUpdate },
  'servicecidrs.networking.k8s.io': { create: checkServiceCidr, update: checkServiceCidrUpdate },
  'deviceclasses.resource.k8s.io': {
    create: checkDeviceClass,
    update: checkDeviceClassUpdate,
    wholeOnUpdate: 'before 1.35',
  },
  'resourceclaims.resource.k8s.io': {
    create: checkResourceClaim,
    update: checkResourceClaimUpdate,
    wholeOnUpdate: 'before 1.35',
    subresources: { status: checkResourceClaimStatus },
  },
  'resourceclaimtemplates.resource.k8s.io': {
    create: checkResourceClaimTemplate,
    update: checkResourceClaimTemplateUpdate,
    wholeOnUpdate: true,
  },
  'devicetaintrules.resource.k8s.io': {
    create: checkDeviceTaintRule,
    update: checkDeviceTaintRuleUpdate,
    subresources: { status: checkDeviceTaintRuleStatus },
  },
  'resourceslices.resource.k8s.io': { create: checkResourceSlice, update: checkResourceSliceUpdate },
  'workloads.scheduling.k8s.io': { create: checkWorkloadAndTemplates, update: checkWorkloadUpdate },
  'podgroups.scheduling.k8s.io': {
    create: checkGroupAndParent,
    update: checkPodGroupUpdate,
    subresources: { status: checkPodGroupStatus },
  },
  'compositepodgroups.scheduling.k8s.io': {
    create: checkCompositePodGroup,
    update: checkCompositePodGroupUpdate,
    subresources: { status: checkCompositePodGroupStatus },
  },
  'roles.rbac.authorization.k8s.io': { create: checkRole, update: checkRoleUpdate, wholeOnUpdate: 'before 1.35' },
  'clusterroles.rbac.authorization.k8s.io': {
    create: checkClusterRole,
    update: checkClusterRoleUpdate,
    wholeOnUpdate: 'before 1.35',
  },
  'rolebindings.rbac.authorization.k8s.io': {
    create: checkRoleBinding,
    update: checkRoleBindingUpdate,
    wholeOnUpdate: 'before 1.35',
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    create: checkClusterRoleBinding,
    update: checkClusterRoleBindingUpdate,
    wholeOnUpdate: 'before 1.35',
  },
})
