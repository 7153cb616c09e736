import type { CreateCall, Failure, Outcome } from '../../api/call.ts'
import { subdomainProblems } from '../../api/name-problems.ts'
import type { ObjectMeta, Status, StringMap } from '../../api/objects/meta.ts'
import type { Binding, Pod, PodCondition, PodStatus } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { conflict, failure, notFound, plainError } from '../../api/status.ts'
import { formatTime } from '../../api/time.ts'
import { labels as wellKnown } from '../../api/well-known.ts'
import { extended } from '../../base/extended.ts'
import { Recent } from '../../base/recent.ts'
import { topologyLabels } from '../admission/topology-labels.ts'
import { type Backend, storedForm, storeKey, writeContextOf } from '../backend.ts'
import type { Caller } from '../contract.ts'
import { type FieldError, invalid, notSupported, required } from '../errors/field-error.ts'
import { isFailure } from '../errors/is-failure.ts'
import type { Kind } from '../kinds/kind.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { storeFailure } from '../write/commit.ts'
import { governSubresource } from '../write/governed.ts'

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
const bound: Outcome = { ok: true, kind: 'status', status: success }

/** POST pods/binding: binds the pod to a node, once (v1.36, registry/core/pod/storage BindingREST). */
export function bindPod(backend: Backend, kind: Kind, call: CreateCall, caller: Caller): Outcome {
  const binding = governed(backend, kind, call, caller)
  if (isFailure(binding)) return binding
  const metadata: Partial<ObjectMeta> = binding.metadata ?? {}
  const name = call.name ?? ''
  if (name !== (metadata.name ?? '')) {
    return failure('BadRequest', 'name in URL does not match name in Binding object')
  }
  const errors = bindingErrors(binding, backend.release)
  if (errors.length > 0) {
    const texts = errors.map(({ field, message }) => `${field}: ${message}`)
    const all = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`
    return plainError(all)
  }
  const key = storeKey(kind, call.namespace ?? metadata.namespace, name)
  const pod = backend.store.get('pods', key) as Pod | undefined
  if (pod === undefined) return notFound('pods', name)
  const refused = unbindable(pod, metadata)
  if (refused !== undefined) return refused
  if (call.dryRun === true) return bound
  const nodeName = binding.target.name ?? ''
  const isLabeled =
    !backend.disabledAdmission.has('PodTopologyLabels') && backend.release.gates.has('PodTopologyLabelsAdmission')
  const labels = isLabeled ? topologyLabels(backend.store, nodeName) : undefined
  const object = boundPod(backend, pod, binding, labels)
  const result = backend.store.commit([
    { kind: 'update', resource: 'pods', key, object: storedForm(backend, kind, object, pod) },
  ])
  return result.ok ? bound : storeFailure(kind, name, result.refusal)
}

/** The binding after webhooks and policies. */
function governed(backend: Backend, kind: Kind, call: CreateCall, caller: Caller): Binding | Failure {
  const { dynamic } = backend
  if (dynamic === undefined) return call.object as Binding
  const context = writeContextOf(backend, caller, { ...call, subresource: 'binding' })
  const place = { name: call.name ?? '', namespace: call.namespace ?? call.object.metadata?.namespace }
  return governSubresource(dynamic, kind, context, place, call.object) as Binding | Failure
}

function unbindable(pod: Pod, { uid, resourceVersion }: Partial<ObjectMeta>): Failure | undefined {
  const { name, namespace } = pod.metadata
  const precondition = (what: string, wanted: string, present: string): Failure =>
    conflict(
      'pods',
      name,
      `StorageError: invalid object, Code: 4, Key: /registry/pods/${namespace ?? ''}/${name}, ResourceVersion: 0, ` +
        `AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${present}`,
    )
  if (uid !== undefined && uid !== '' && uid !== pod.metadata.uid) {
    return precondition('UID', uid, pod.metadata.uid ?? '')
  }
  const version = pod.metadata.resourceVersion ?? ''
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== version) {
    return precondition('ResourceVersion', resourceVersion, version)
  }
  const { nodeName, schedulingGates } = pod.spec
  if (pod.metadata.deletionTimestamp !== undefined) {
    return conflict('pods/binding', name, `pod ${name} is being deleted, cannot be assigned to a host`)
  }
  if (nodeName !== undefined && nodeName !== '') {
    return conflict('pods/binding', name, `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`)
  }
  if (schedulingGates !== undefined && schedulingGates.length > 0) {
    return conflict('pods/binding', name, `pod ${name} has non-empty .spec.schedulingGates`)
  }
  return undefined
}

function boundPod({ release, clock }: Backend, pod: Pod, binding: Binding, topology: StringMap | undefined): Pod {
  const { annotations, labels } = binding.metadata
  let { metadata } = pod
  if (annotations !== undefined) {
    metadata = extended(metadata, { annotations: { ...metadata.annotations, ...annotations } })
  }
  if (labels !== undefined || topology !== undefined) {
    metadata = extended(metadata, { labels: withLabels(metadata.labels, labels, topology) })
  }
  const isCleared = release.gates.has('ClearingNominatedNodeNameAfterBinding')
  const status = isCleared ? withoutNomination(pod.status ?? {}) : (pod.status ?? {})
  const now = formatTime(clock.now())
  return {
    ...pod,
    metadata,
    spec: extended(pod.spec, { nodeName: binding.target.name ?? '' }),
    status: extended(status, { conditions: withScheduled(status.conditions ?? [], now) }),
  }
}

const noLabels: StringMap = {}

interface LabelsInZone {
  readonly zone: string | undefined
  readonly region: string | undefined
  readonly labels: StringMap
}

// Pods of one template share their labels, and pods in one zone also share them after the binding.
const labelsInZones = new Recent<StringMap, LabelsInZone[]>(256)
const maxZones = 8

function withLabels(
  own: StringMap = noLabels,
  given: StringMap | undefined,
  topology: StringMap = noLabels,
): StringMap {
  if (given !== undefined) return mergedLabels(own, given, topology)
  const zone = topology[wellKnown.zone]
  const region = topology[wellKnown.region]
  let zones = labelsInZones.get(own)
  if (zones === undefined) {
    zones = []
    labelsInZones.set(own, zones)
  }
  for (const known of zones) if (known.zone === zone && known.region === region) return known.labels
  const labels = mergedLabels(own, noLabels, topology)
  if (zones.length >= maxZones) zones.shift()
  zones.push({ zone, region, labels })
  return labels
}

/** Members are added one by one: V8 would give every extended copy its own hidden class. */
function mergedLabels(own: StringMap, given: StringMap, topology: StringMap): StringMap {
  const labels: Record<string, string> = {}
  for (const key in own) setOwn(labels, key, own[key] as string)
  for (const key in given) setOwn(labels, key, given[key] as string)
  for (const key in topology) labels[key] = topology[key] as string
  return labels
}

function withoutNomination(status: PodStatus): PodStatus {
  if (status.nominatedNodeName === undefined) return status
  const { nominatedNodeName: _, ...rest } = status
  return rest
}

function withScheduled(conditions: readonly PodCondition[], now: string): readonly PodCondition[] {
  const index = conditions.length === 0 ? -1 : conditions.findIndex(({ type }) => type === 'PodScheduled')
  const scheduled: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime:
      (conditions[index]?.status === 'True' ? conditions[index]?.lastTransitionTime : undefined) ?? now,
  }
  return index < 0 ? [...conditions, scheduled] : conditions.with(index, scheduled)
}

function bindingErrors({ target }: Binding, release: KubernetesRelease): FieldError[] {
  const errors: FieldError[] = []
  if (target?.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    errors.push(notSupported('target.kind', target.kind, ['Node', '<empty>']))
  }
  const name = target?.name ?? ''
  if (name === '') errors.push(required('target.name'))
  else if ((target?.kind ?? 'Node') === 'Node' && atLeast(release, '1.37')) {
    for (const problem of subdomainProblems(name)) errors.push(invalid('target.name', name, problem))
  }
  return errors
}
