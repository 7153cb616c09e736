import { deepEqual, semanticEqual } from '../../api/equality.ts'
import { compileLabelSelector } from '../../api/label-selector.ts'
import type { LabelSelector } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkClaimSpec } from './claims.ts'
import {
  checkAnnotations,
  checkImmutable,
  checkLabels,
  checkMeta,
  checkMetaUpdate,
  checkNonnegative,
  immutable,
  metaOf,
} from './meta.ts'
import { checkLabelName } from './names.ts'
import { checkAtMostAll, checkShare, isZero, type Share } from './percent.ts'
import { checkPodAnnotations, checkProfilesMatch } from './pod-annotations.ts'
import { checkPodSpec } from './pod-spec.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings } from './reader.ts'
import { number, numberIfSet, text } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { inOrder, internalForm, sortedMap } from './shown.ts'

const workloadMeta = { namespaced: true, name: 'subdomain' } as const

/** ValidatePodTemplateSpec. */
export function checkTemplate(errors: Errors, template: Obj, path: string): void {
  const meta = part(template, 'metadata')
  const spec = part(template, 'spec')
  const annotations = strings(meta, 'annotations')
  checkLabels(errors, strings(meta, 'labels'), `${path}.labels`)
  checkAnnotations(errors, annotations, `${path}.annotations`)
  checkPodAnnotations(errors, annotations, spec, `${path}.annotations`)
  checkPodSpec(errors, spec, `${path}.spec`, {})
  checkProfilesMatch(errors, annotations, spec, `${path}.spec`)
  if (list(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
  }
}

function checkRunsForever(errors: Errors, template: Obj, path: string, kind: string): void {
  const spec = part(template, 'spec')
  const policy = text(spec, 'restartPolicy')
  if (policy !== 'Always') errors.push(notSupported(`${path}.spec.restartPolicy`, policy, ['Always']))
  if (numberIfSet(spec, 'activeDeadlineSeconds') !== undefined) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, why))
  }
}

const isEmptySelector = (selector: Obj): boolean =>
  Object.keys(strings(selector, 'matchLabels')).length + list(selector, 'matchExpressions').length === 0

/** The selector of a workload is required, must not be empty, and must match the labels of its template. */
function checkSelector(errors: Errors, spec: Obj, emptyFor: string): boolean {
  const selector = child(spec, 'selector')
  if (selector === undefined) errors.push(required('spec.selector'))
  else {
    checkLabelSelector(errors, selector, 'spec.selector')
    if (isEmptySelector(selector)) {
      errors.push(
        invalid(
          'spec.selector',
          inOrder(errors, 'meta.LabelSelector', selector),
          `empty selector is invalid for ${emptyFor}`,
        ),
      )
    }
  }
  return compileLabelSelector(selector as LabelSelector | undefined).ok
}

function checkMatchesTemplate(errors: Errors, spec: Obj, skipEmpty: boolean): void {
  const selector = child(spec, 'selector')
  const labels = strings(part(part(spec, 'template'), 'metadata'), 'labels')
  const compiled = compileLabelSelector(selector as LabelSelector | undefined)
  if (!compiled.ok || (skipEmpty && compiled.value.everything)) return
  if (compiled.value.matches(labels)) return
  errors.push(
    invalid('spec.template.metadata.labels', sortedMap(labels), '`selector` does not match template `labels`'),
  )
}

function checkReplicas(errors: Errors, spec: Obj): void {
  checkNonnegative(errors, number(spec, 'replicas'), 'spec.replicas')
}

function checkReplicated(errors: Errors, spec: Obj): void {
  if (!checkSelector(errors, spec, 'deployment')) {
    errors.push(
      invalid('spec.selector', inOrder(errors, 'meta.LabelSelector', spec['selector']), 'invalid label selector'),
    )
    return
  }
  checkMatchesTemplate(errors, spec, true)
  checkTemplate(errors, part(spec, 'template'), 'spec.template')
  checkRunsForever(errors, part(spec, 'template'), 'spec.template', 'ReplicaSet')
}

function checkDeploymentSpec(errors: Errors, spec: Obj): void {
  checkReplicas(errors, spec)
  checkReplicated(errors, spec)
  checkDeploymentStrategy(errors, part(spec, 'strategy'))
  const minReady = number(spec, 'minReadySeconds')
  checkNonnegative(errors, minReady, 'spec.minReadySeconds')
  checkHistory(errors, spec)
  const deadline = numberIfSet(spec, 'progressDeadlineSeconds')
  if (deadline === undefined) return
  checkNonnegative(errors, deadline, 'spec.progressDeadlineSeconds')
  if (deadline <= minReady) {
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
}

function checkHistory(errors: Errors, spec: Obj): void {
  const limit = numberIfSet(spec, 'revisionHistoryLimit')
  if (limit !== undefined) checkNonnegative(errors, limit, 'spec.revisionHistoryLimit')
}

const share = (from: Obj, field: string): Share => (from[field] ?? 0) as Share

function checkDeploymentStrategy(errors: Errors, strategy: Obj): void {
  const type = text(strategy, 'type')
  const rolling = child(strategy, 'rollingUpdate')
  const at = 'spec.strategy.rollingUpdate'
  if (type === 'Recreate') {
    if (rolling !== undefined) {
      errors.push(forbidden(at, "may not be specified when strategy `type` is 'Recreate'"))
    }
  } else if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: internalRolling(rolling) }
    errors.push(notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate']))
  } else if (rolling === undefined) {
    errors.push(required(at, 'this should be defaulted and never be nil'))
  } else {
    const unavailable = share(rolling, 'maxUnavailable')
    const surge = share(rolling, 'maxSurge')
    checkShare(errors, unavailable, `${at}.maxUnavailable`)
    checkShare(errors, surge, `${at}.maxSurge`)
    if (isZero(unavailable) && isZero(surge)) {
      errors.push(invalid(`${at}.maxUnavailable`, unavailable, 'may not be 0 when `maxSurge` is 0'))
    }
    checkAtMostAll(errors, unavailable, `${at}.maxUnavailable`)
  }
}

function internalRolling(rolling: Obj | undefined): Obj | null {
  return rolling === undefined
    ? null
    : { MaxUnavailable: share(rolling, 'maxUnavailable'), MaxSurge: share(rolling, 'maxSurge') }
}

type SpecCheck = (errors: Errors, spec: Obj) => void

const onCreate =
  (checkSpec: SpecCheck) =>
  (errors: Errors, workload: Obj): void => {
    checkMeta(errors, metaOf(workload), workloadMeta)
    checkSpec(errors, part(workload, 'spec'))
  }

const onUpdate =
  (checkSpec: SpecCheck) =>
  (errors: Errors, workload: Obj, old: Obj): void => {
    checkMetaUpdate(errors, metaOf(workload), metaOf(old))
    checkSpec(errors, part(workload, 'spec'))
    checkKeptSelector(errors, workload, old)
  }

export const checkDeployment = onCreate(checkDeploymentSpec)
export const checkDeploymentUpdate = onUpdate(checkDeploymentSpec)

function checkKeptSelector(errors: Errors, object: Obj, old: Obj): void {
  const shown = (from: Obj): unknown => inOrder(errors, 'meta.LabelSelector', child(part(from, 'spec'), 'selector'))
  checkImmutable(errors, shown(object), shown(old), 'spec.selector')
}

function checkReplicaSetSpec(errors: Errors, spec: Obj): void {
  checkReplicas(errors, spec)
  checkNonnegative(errors, number(spec, 'minReadySeconds'), 'spec.minReadySeconds')
  checkReplicated(errors, spec)
}

export const checkReplicaSet = onCreate(checkReplicaSetSpec)
export const checkReplicaSetUpdate = onUpdate(checkReplicaSetSpec)

function checkDaemonSetSpec(errors: Errors, spec: Obj): void {
  const selector = child(spec, 'selector')
  checkLabelSelector(errors, selector, 'spec.selector')
  checkMatchesTemplate(errors, spec, false)
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  checkTemplate(errors, part(spec, 'template'), 'spec.template')
  checkRunsForever(errors, part(spec, 'template'), 'spec.template', 'DaemonSet')
  checkNonnegative(errors, number(spec, 'minReadySeconds'), 'spec.minReadySeconds')
  checkDaemonStrategy(errors, part(spec, 'updateStrategy'))
  checkHistory(errors, spec)
}

function checkDaemonStrategy(errors: Errors, strategy: Obj): void {
  const type = text(strategy, 'type')
  const rolling = child(strategy, 'rollingUpdate')
  const at = 'spec.updateStrategy.rollingUpdate'
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: internalRolling(rolling) }
    errors.push(notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete']))
    return
  }
  if (rolling === undefined) {
    errors.push(required(at))
    return
  }
  const unavailable = share(rolling, 'maxUnavailable')
  const surge = share(rolling, 'maxSurge')
  checkShare(errors, unavailable, `${at}.maxUnavailable`)
  checkShare(errors, surge, `${at}.maxSurge`)
  checkAtMostAll(errors, unavailable, `${at}.maxUnavailable`)
  checkAtMostAll(errors, surge, `${at}.maxSurge`)
  if (!isZero(unavailable) && !isZero(surge)) {
    errors.push(invalid(`${at}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero'))
  } else if (isZero(unavailable) && isZero(surge)) {
    errors.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  }
}

export const checkDaemonSet = onCreate(checkDaemonSetSpec)

export function checkDaemonSetUpdate(errors: Errors, set: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(set), metaOf(old))
  checkKeptSelector(errors, set, old)
  checkDaemonSetSpec(errors, part(set, 'spec'))
}

const managementPolicies = ['OrderedReady', 'Parallel']
const retentions = ['Retain', 'Delete']

function checkStatefulSetSpec(errors: Errors, spec: Obj, isNew: boolean): void {
  const policy = text(spec, 'podManagementPolicy')
  if (policy === '') errors.push(required('spec.podManagementPolicy'))
  else if (!managementPolicies.includes(policy)) {
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"))
  }
  checkStatefulStrategy(errors, part(spec, 'updateStrategy'))
  const retention = child(spec, 'persistentVolumeClaimRetentionPolicy')
  for (const field of retention === undefined ? [] : ['whenDeleted', 'whenScaled']) {
    const value = text(retention, field)
    if (retentions.includes(value)) continue
    errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, retentions))
  }
  const claims = list(spec, 'volumeClaimTemplates')
  if (isNew) {
    claims.forEach((claim, i) => {
      checkClaimSpec(errors, part(claim, 'spec'), `spec.volumeClaimTemplates[${i}].spec`)
    })
  }
  checkReplicas(errors, spec)
  checkNonnegative(errors, number(spec, 'minReadySeconds'), 'spec.minReadySeconds')
  const ordinals = child(spec, 'ordinals')
  if (ordinals !== undefined) checkNonnegative(errors, number(ordinals, 'start'), 'spec.ordinals.start')
  const service = text(spec, 'serviceName')
  if (isNew && service !== '') checkLabelName(errors, service, 'spec.serviceName')
  if (checkSelector(errors, spec, 'statefulset')) checkStatefulTemplate(errors, spec, claims)
  else errors.push(invalid('spec.selector', inOrder(errors, 'meta.LabelSelector', spec['selector']), ''))
  checkRunsForever(errors, part(spec, 'template'), 'spec.template', 'StatefulSet')
}

/** Checks the template like the pods of the set: with a volume for each claim, and with the generated names. */
function checkStatefulTemplate(errors: Errors, spec: Obj, claims: readonly Obj[]): void {
  checkMatchesTemplate(errors, spec, true)
  const template = part(spec, 'template')
  const { subdomain: _, hostname: __, ...podSpec } = part(template, 'spec')
  const claimed = new Map(
    claims.map((claim) => {
      const name = text(part(claim, 'metadata'), 'name')
      return [name, { name, persistentVolumeClaim: { claimName: name } }] as const
    }),
  )
  const volumes = [...claimed.values(), ...list(podSpec, 'volumes').filter((one) => !claimed.has(text(one, 'name')))]
  const changed = claims.length === 0 ? podSpec : { ...podSpec, volumes }
  checkTemplate(errors, { ...template, spec: changed }, 'spec.template')
  const annotations = strings(part(template, 'metadata'), 'annotations')
  checkLabels(errors, strings(part(template, 'metadata'), 'labels'), 'spec.template.labels')
  checkAnnotations(errors, annotations, 'spec.template.annotations')
  checkPodAnnotations(errors, annotations, changed, 'spec.template.annotations')
}

function checkStatefulStrategy(errors: Errors, strategy: Obj): void {
  const type = text(strategy, 'type')
  const rolling = child(strategy, 'rollingUpdate')
  const at = 'spec.updateStrategy'
  const shownRolling =
    rolling === undefined
      ? null
      : { Partition: number(rolling, 'partition'), MaxUnavailable: rolling['maxUnavailable'] ?? null }
  if (type === '') errors.push(required(at))
  else if (type === 'OnDelete' || (type === 'Recreate' && errors.release.gates.has('StatefulSetRecreateStrategy'))) {
    if (rolling !== undefined) {
      errors.push(invalid(`${at}.rollingUpdate`, shownRolling, "only allowed for updateStrategy 'RollingUpdate'"))
    }
  } else if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: shownRolling }
    const mayRecreate = errors.release.gates.has('StatefulSetRecreateStrategy')
    const known = mayRecreate ? "'RollingUpdate', 'OnDelete', or 'Recreate'" : "'RollingUpdate' or 'OnDelete'"
    errors.push(invalid(at, shown, `must be ${known}`))
  } else if (rolling !== undefined) {
    checkNonnegative(errors, number(rolling, 'partition'), `${at}.rollingUpdate.partition`)
    const unavailable = (rolling['maxUnavailable'] ?? undefined) as Share | undefined
    if (unavailable === undefined) return
    const field = `${at}.rollingUpdate.maxUnavailable`
    checkShare(errors, unavailable, field)
    if (isZero(unavailable)) errors.push(invalid(field, unavailable, 'cannot be 0'))
    checkAtMostAll(errors, unavailable, field)
  }
}

export function checkStatefulSet(errors: Errors, set: Obj): void {
  checkMeta(errors, metaOf(set), { namespaced: true, name: 'label' })
  checkStatefulSetSpec(errors, part(set, 'spec'), true)
}

const mutableStateful = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]

export function checkStatefulSetUpdate(errors: Errors, set: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(set), metaOf(old))
  checkStatefulSetSpec(errors, part(set, 'spec'), false)
  const before = part(old, 'spec')
  if (atLeast(errors.release, '1.37')) {
    checkKeptStateful(errors, part(set, 'spec'), before)
    return
  }
  const rest: Record<string, unknown> = { ...part(set, 'spec') }
  for (const field of mutableStateful) rest[field] = before[field]
  if (semanticEqual(rest, before)) return
  const why =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
  errors.push(forbidden('spec', why))
}

/** Since v1.37 each field has its own error. */
function checkKeptStateful(errors: Errors, spec: Obj, before: Obj): void {
  const selectorOf = (from: Obj): unknown => inOrder(errors, 'meta.LabelSelector', child(from, 'selector'))
  checkImmutable(errors, selectorOf(spec), selectorOf(before), 'spec.selector')
  const claims = list(spec, 'volumeClaimTemplates')
  if (!semanticEqual(claims, list(before, 'volumeClaimTemplates'))) {
    const shown = claims.map((claim) => internalForm(errors, 'core.PersistentVolumeClaim', claim))
    errors.push(invalid('spec.volumeClaimTemplates', shown, immutable))
  }
  checkImmutable(errors, text(spec, 'serviceName'), text(before, 'serviceName'), 'spec.serviceName')
  const policyOf = (from: Obj): string => text(from, 'podManagementPolicy')
  checkImmutable(errors, policyOf(spec), policyOf(before), 'spec.podManagementPolicy')
}

export function checkReplicationController(errors: Errors, controller: Obj): void {
  const name = atLeast(errors.release, '1.35') ? 'subdomain-bytes' : workloadMeta.name
  checkMeta(errors, metaOf(controller), { ...workloadMeta, name })
  checkControllerSpec(errors, part(controller, 'spec'))
}

export function checkReplicationControllerUpdate(errors: Errors, controller: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(controller), metaOf(old))
  checkControllerSpec(errors, part(controller, 'spec'))
}

function checkControllerSpec(errors: Errors, spec: Obj): void {
  checkNonnegative(errors, number(spec, 'minReadySeconds'), 'spec.minReadySeconds')
  const selector = strings(spec, 'selector')
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'))
  checkReplicas(errors, spec)
  const template = child(spec, 'template')
  if (template === undefined) {
    errors.push(required('spec.template'))
    return
  }
  const labels = strings(part(template, 'metadata'), 'labels')
  if (Object.keys(selector).some((key) => entryOf(labels, key) !== selector[key])) {
    const why = '`selector` does not match template `labels`'
    errors.push(invalid('spec.template.metadata.labels', sortedMap(labels), why))
  }
  checkTemplate(errors, template, 'spec.template')
  checkRunsForever(errors, template, 'spec.template', 'ReplicationController')
}

export function checkPodTemplate(errors: Errors, template: Obj): void {
  checkMeta(errors, metaOf(template), workloadMeta)
  checkTemplate(errors, part(template, 'template'), 'template')
}

export function checkPodTemplateUpdate(errors: Errors, template: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(template), metaOf(old))
  checkTemplate(errors, part(template, 'template'), 'template')
}

export function checkRevision(errors: Errors, revision: Obj): void {
  checkMeta(errors, metaOf(revision), workloadMeta)
  checkNonnegative(errors, number(revision, 'revision'), 'revision')
  const data = revision['data'] ?? undefined
  if (data === undefined) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data)) {
    errors.push(required('data', 'data must be a valid JSON object'))
  }
}

export function checkRevisionUpdate(errors: Errors, revision: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(revision), metaOf(old))
  checkMeta(errors, metaOf(revision), workloadMeta)
  checkNonnegative(errors, number(revision, 'revision'), 'revision')
  if (!deepEqual(revision['data'], old['data'])) errors.push(invalid('data', revision['data'], 'field is immutable'))
}
