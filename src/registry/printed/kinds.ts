import type { DeviceTaintRule, ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Lease } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget, PriorityClass } from '../../api/objects/pod.ts'
import type { IPAddress } from '../../api/objects/service-addresses.ts'
import type { CSINode, StorageClass, VolumeAttachment } from '../../api/objects/storage.ts'
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../api/objects/workloads.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { since } from './age.ts'
import { autoscalerCells } from './autoscalers.ts'
import { bindingCells, eventCells, nodeCells, quotaCells } from './cluster.ts'
import { cronJobCells, jobCells } from './jobs.ts'
import { endpointsText, ingressCells, serviceCells } from './network.ts'
import { podCells } from './pod.ts'
import {
  apiServiceCells,
  flowSchemaCells,
  policyBindingCells,
  policyCells,
  priorityLevelCells,
  signingRequestCells,
  webhookCells,
} from './registrations.ts'
import { claimCells, isShownAsDefault, volumeCells } from './storage.ts'
import { containers, formattedSelector, labelsText, selectorText, size, someOf } from './text.ts'

const replicaColumns = 'Name · Desired:i · Current:i · Ready:i · Age · Containers+ · Images+ · Selector+'

function replicaCells({ metadata, spec, status }: ReplicaSet | ReplicationController, age: string, selector: unknown) {
  return [
    metadata.name,
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age,
    ...containers(spec?.template?.spec),
    selector,
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: each row of the table below knows its own kind
type Cells = (object: any, now: number, age: string, scope: PrintScope) => readonly unknown[]

export interface PrintScope {
  readonly release: KubernetesRelease
  /** The list that the object is printed in; undefined if it is printed alone. */
  readonly list: readonly KubeObject[] | undefined
}

type Columns = string | ((release: KubernetesRelease) => string)

/** Columns as `Name · Ready:i · Age · IP+`: `:i` integer, `:b` boolean, `+` for -o wide only. */
export const printedKinds = lookupTable<readonly [columns: Columns, cells: Cells]>({
  pods: [
    'Name · Ready · Status · Restarts · Age · IP+ · Node+ · Nominated Node+ · Readiness Gates+',
    (pod: Pod, now, _age, { release }) => podCells(pod, now, release),
  ],
  nodes: [
    'Name · Status · Roles · Age · Version · Internal-IP+ · External-IP+ · OS-Image+ · Kernel-Version+ · Container-Runtime+',
    nodeCells,
  ],
  namespaces: ['Name · Status · Age', (object, _now, age) => [object.metadata.name, object.status?.phase ?? '', age]],
  events: [
    'Last Seen · Type · Reason · Object · Subobject+ · Source+ · Message · First Seen+ · Count+ · Name+',
    eventCells,
  ],
  services: ['Name · Type · Cluster-IP · External-IP · Port(s) · Age · Selector+', serviceCells],
  configmaps: [
    'Name · Data · Age',
    (object, _now, age) => [object.metadata.name, size(object.data) + size(object.binaryData), age],
  ],
  secrets: [
    'Name · Type · Data · Age',
    (object, _now, age) => [object.metadata.name, object.type ?? '', size(object.data), age],
  ],
  serviceaccounts: [
    (release) => (atLeast(release, '1.35') ? 'Name · Age' : 'Name · Secrets · Age'),
    (object, _now, age, { release }) => {
      const secrets = atLeast(release, '1.35') ? [] : [object.secrets?.length ?? 0]
      return [object.metadata.name, ...secrets, age]
    },
  ],
  endpoints: ['Name · Endpoints · Age', (object, _now, age) => [object.metadata.name, endpointsText(object), age]],
  componentstatuses: ['Name · Status · Message · Error', componentStatusCells],
  limitranges: [
    'Name · Created At',
    (object) => [object.metadata.name, object.metadata.creationTimestamp ?? '<unknown>'],
  ],
  podtemplates: [
    'Name · Containers · Images · Pod Labels',
    (object) => [
      object.metadata.name,
      ...containers(object.template?.spec),
      labelsText(object.template?.metadata?.labels),
    ],
  ],
  resourcequotas: ['Name · Request · Limit · Age', quotaCells],
  replicationcontrollers: [
    replicaColumns,
    (controller: ReplicationController, _now, age) =>
      replicaCells(controller, age, labelsText(controller.spec?.selector)),
  ],
  persistentvolumes: [
    'Name · Capacity · Access Modes · Reclaim Policy · Status · Claim · StorageClass · VolumeAttributesClass · Reason · Age · VolumeMode+',
    volumeCells,
  ],
  persistentvolumeclaims: [
    'Name · Status · Volume · Capacity · Access Modes · StorageClass · VolumeAttributesClass · Age · VolumeMode+',
    claimCells,
  ],
  'deployments.apps': [
    'Name · Ready · Up-to-date · Available · Age · Containers+ · Images+ · Selector+',
    ({ metadata, spec, status }: Deployment, _now, age) => [
      metadata.name,
      `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
      status?.updatedReplicas ?? 0,
      status?.availableReplicas ?? 0,
      age,
      ...containers(spec?.template.spec),
      selectorText(spec?.selector),
    ],
  ],
  'replicasets.apps': [
    replicaColumns,
    (set: ReplicaSet, _now, age) => replicaCells(set, age, formattedSelector(set.spec?.selector)),
  ],
  'statefulsets.apps': [
    'Name · Ready · Age · Containers+ · Images+',
    ({ metadata, spec, status }: StatefulSet, _now, age) => [
      metadata.name,
      `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
      age,
      ...containers(spec?.template.spec),
    ],
  ],
  'daemonsets.apps': [
    'Name · Desired:i · Current:i · Ready:i · Up-to-date:i · Available:i · Node Selector · Age · Containers+ · Images+ · Selector+',
    ({ metadata, spec, status }: DaemonSet, _now, age) => [
      metadata.name,
      status?.desiredNumberScheduled ?? 0,
      status?.currentNumberScheduled ?? 0,
      status?.numberReady ?? 0,
      status?.updatedNumberScheduled ?? 0,
      status?.numberAvailable ?? 0,
      labelsText(spec?.template.spec.nodeSelector),
      age,
      ...containers(spec?.template.spec),
      formattedSelector(spec?.selector),
    ],
  ],
  'controllerrevisions.apps': [
    'Name · Controller · Revision · Age',
    (object: ControllerRevision, _now, age) => {
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
      const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : ''
      return [
        object.metadata.name,
        owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`,
        object.revision,
        age,
      ]
    },
  ],
  'jobs.batch': ['Name · Status · Completions · Duration · Age · Containers+ · Images+ · Selector+', jobCells],
  'cronjobs.batch': [
    'Name · Schedule · Timezone · Suspend:b · Active:i · Last Schedule · Age · Containers+ · Images+ · Selector+',
    cronJobCells,
  ],
  'poddisruptionbudgets.policy': [
    'Name · Min Available · Max Unavailable · Allowed Disruptions:i · Age',
    ({ metadata, spec, status }: PodDisruptionBudget, _now, age) => [
      metadata.name,
      String(spec?.minAvailable ?? 'N/A'),
      String(spec?.maxUnavailable ?? 'N/A'),
      status?.disruptionsAllowed ?? 0,
      age,
    ],
  ],
  'priorityclasses.scheduling.k8s.io': [
    'Name · Value:i · Global-Default:b · Age · PreemptionPolicy',
    (object: PriorityClass, _now, age) => [
      object.metadata.name,
      object.value,
      object.globalDefault ?? false,
      age,
      object.preemptionPolicy ?? '',
    ],
  ],
  'leases.coordination.k8s.io': [
    'Name · Holder · Age',
    (object: Lease, _now, age) => [object.metadata.name, object.spec?.holderIdentity ?? '', age],
  ],
  'storageclasses.storage.k8s.io': [
    'Name · Provisioner · ReclaimPolicy · VolumeBindingMode · AllowVolumeExpansion · Age',
    (object: StorageClass, _now, age, scope) => {
      const isDefault = isShownAsDefault(object, scope)
      return [
        `${object.metadata.name}${isDefault ? ' (default)' : ''}`,
        object.provisioner,
        object.reclaimPolicy ?? 'Delete',
        object.volumeBindingMode ?? 'Immediate',
        object.allowVolumeExpansion ?? false,
        age,
      ]
    },
  ],
  'csinodes.storage.k8s.io': [
    'Name · Drivers:i · Age',
    (object: CSINode, _now, age) => [object.metadata.name, (object.spec?.drivers ?? []).length, age],
  ],
  'csidrivers.storage.k8s.io': [
    'Name · AttachRequired:b · PodInfoOnMount:b · StorageCapacity:b · TokenRequests · RequiresRepublish:b · Modes · Age',
    ({ metadata, spec }, _now, age) => [
      metadata.name,
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests?.map(({ audience }: { audience: string }) => audience).join(',') ?? '<unset>',
      spec.requiresRepublish ?? false,
      spec.volumeLifecycleModes?.join(',') || '<none>',
      age,
    ],
  ],
  'volumeattachments.storage.k8s.io': [
    'Name · Attacher · PV · Node · Attached:b · Age',
    ({ metadata, spec, status }: VolumeAttachment, _now, age) => [
      metadata.name,
      spec.attacher,
      spec.source.persistentVolumeName ?? '',
      spec.nodeName,
      status?.attached ?? false,
      age,
    ],
  ],
  'volumeattributesclasses.storage.k8s.io': [
    'Name · DriverName · Age',
    (object, _now, age) => [object.metadata.name, object.driverName, age],
  ],
  'endpointslices.discovery.k8s.io': [
    'Name · AddressType · Ports · Endpoints · Age',
    ({ metadata, addressType, ports, endpoints }, _now, age) => [
      metadata.name,
      addressType,
      someOf((ports ?? []).map((port: { port?: number }) => port.port ?? '*')) || '<unset>',
      someOf((endpoints ?? []).flatMap((each: { addresses: string[] }) => each.addresses)) || '<unset>',
      age,
    ],
  ],
  'ingresses.networking.k8s.io': ['Name · Class · Hosts · Address · Ports · Age', ingressCells],
  'ingressclasses.networking.k8s.io': [
    'Name · Controller · Parameters · Age',
    ({ metadata, spec }, _now, age, { release }) => {
      const given = spec?.parameters
      const parameters =
        given === undefined
          ? '<none>'
          : `${given.kind}${given.apiGroup === undefined ? '' : `.${given.apiGroup}`}/${given.name}`
      const annotated = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
      const isDefault = annotated && atLeast(release, '1.36')
      return [`${metadata.name}${isDefault ? ' (default)' : ''}`, spec?.controller ?? '', parameters, age]
    },
  ],
  'networkpolicies.networking.k8s.io': [
    'Name · Pod-Selector · Age',
    (object, _now, age) => [object.metadata.name, formattedSelector(object.spec?.podSelector ?? {}), age],
  ],
  'ipaddresses.networking.k8s.io': [
    'Name · ParentRef',
    // Upstream prints an age without a column for it.
    ({ metadata, spec }: IPAddress, _now, age) => [metadata.name, parentText(spec?.parentRef), age],
  ],
  'servicecidrs.networking.k8s.io': [
    'Name · CIDRs · Age',
    (object, _now, age) => [object.metadata.name, object.spec?.cidrs?.join(',') ?? '', age],
  ],
  'runtimeclasses.node.k8s.io': [
    'Name · Handler · Age',
    (object, _now, age) => [object.metadata.name, object.handler, age],
  ],
  'deviceclasses.resource.k8s.io': ['Name · Age', (object, _now, age) => [object.metadata.name, age]],
  'resourceclaimtemplates.resource.k8s.io': ['Name · Age', (object, _now, age) => [object.metadata.name, age]],
  'workloads.scheduling.k8s.io': ['Name · Age', (object, _now, age) => [object.metadata.name, age]],
  'podgroups.scheduling.k8s.io': [
    'Name · Policy · Workload · Status · Age',
    (group: PodGroup, _now, age) => [
      group.metadata.name,
      group.spec.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang',
      group.spec.podGroupTemplateRef?.workload?.workloadName ?? group.spec.workloadRef?.workloadName ?? '<none>',
      groupState(group),
      age,
    ],
  ],
  'compositepodgroups.scheduling.k8s.io': [
    'Name · Policy · Workload · Age',
    (group: PodGroup, _now, age) => [
      group.metadata.name,
      group.spec.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang',
      group.spec.workloadRef?.workloadName ?? '<none>',
      age,
    ],
  ],
  'devicetaintrules.resource.k8s.io': [
    'Name · Key · Value · Effect · TimeAdded · Age',
    ({ metadata, spec }: DeviceTaintRule, now, age) => {
      const { key, value, effect, timeAdded } = spec.taint
      return [metadata.name, key, value ?? '', effect, timeAdded === undefined ? '' : since(timeAdded, now), age]
    },
  ],
  'resourceclaims.resource.k8s.io': [
    'Name · State · Age',
    (claim: ResourceClaim, _now, age) => [claim.metadata.name, claimState(claim), age],
  ],
  'resourceslices.resource.k8s.io': [
    'Name · Node · Driver · Pool · Age',
    ({ metadata, spec }: ResourceSlice, _now, age) => [
      metadata.name,
      spec.nodeName ?? '',
      spec.driver,
      spec.pool.name,
      age,
    ],
  ],
  'horizontalpodautoscalers.autoscaling': [
    'Name · Reference · Targets · MinPods · MaxPods · Replicas · Age',
    autoscalerCells,
  ],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': ['Name · Webhooks:i · Age', webhookCells],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ['Name · Webhooks:i · Age', webhookCells],
  'mutatingadmissionpolicies.admissionregistration.k8s.io': [
    'Name · Mutations:i · ParamKind · Age',
    policyCells('mutations'),
  ],
  'validatingadmissionpolicies.admissionregistration.k8s.io': [
    'Name · Validations:i · ParamKind · Age',
    policyCells('validations'),
  ],
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': [
    'Name · PolicyName · ParamRef · Age',
    policyBindingCells,
  ],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    'Name · PolicyName · ParamRef · Age',
    policyBindingCells,
  ],
  'apiservices.apiregistration.k8s.io': ['Name · Service · Available · Age', apiServiceCells],
  'certificatesigningrequests.certificates.k8s.io': [
    'Name · Age · SignerName · Requestor · RequestedDuration · Condition',
    signingRequestCells,
  ],
  'flowschemas.flowcontrol.apiserver.k8s.io': [
    'Name · PriorityLevel · MatchingPrecedence · DistinguisherMethod · Age · MissingPL',
    flowSchemaCells,
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': [
    'Name · Type · NominalConcurrencyShares · Queues · HandSize · QueueLengthLimit · Age',
    priorityLevelCells,
  ],
  'roles.rbac.authorization.k8s.io': createdAt(),
  'clusterroles.rbac.authorization.k8s.io': createdAt(),
  'rolebindings.rbac.authorization.k8s.io': ['Name · Role · Age · Users+ · Groups+ · ServiceAccounts+', bindingCells],
  'clusterrolebindings.rbac.authorization.k8s.io': [
    'Name · Role · Age · Users+ · Groups+ · ServiceAccounts+',
    bindingCells,
  ],
})

function groupState({ status }: PodGroup): string {
  const conditions = status?.conditions ?? []
  const disrupted = conditions.find(({ type }) => type === 'DisruptionTarget')
  if (disrupted !== undefined) return disrupted.reason ?? ''
  const scheduled = conditions.find(({ type }) => type === 'PodGroupScheduled' || type === 'PodGroupInitiallyScheduled')
  if (scheduled === undefined) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined
  const states = isDeleted ? ['deleted'] : []
  if (status?.allocation === undefined) {
    if (!isDeleted) states.push('pending')
  } else states.push('allocated', ...((status.reservedFor ?? []).length > 0 ? ['reserved'] : []))
  return states.join(',')
}

function createdAt(): readonly [string, Cells] {
  return [
    'Name · Created At',
    (object: KubeObject) => [object.metadata.name, object.metadata.creationTimestamp ?? '<unknown>'],
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function componentStatusCells({ metadata, conditions = [] }: any): readonly unknown[] {
  const healthy = conditions.find(({ type }: { type: string }) => type === 'Healthy')
  const state = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
  return [metadata.name, state, healthy?.message ?? '', healthy?.error ?? '']
}

function parentText(parent: NonNullable<IPAddress['spec']>['parentRef']): string {
  if (parent === undefined) return '<none>'
  const { group = '', resource = '', namespace = '', name = '' } = parent
  const kind = (group === '' ? resource : `${resource}.${group}`).toLowerCase()
  return [kind, ...(namespace === '' ? [] : [namespace]), name].join('/')
}
