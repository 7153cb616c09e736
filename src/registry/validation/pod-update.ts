import { semanticEqual } from '../../api/equality.ts'
import type { Shape } from '../../api/schema/shape.ts'
import { equalAs } from '../decode/shaped-equality.ts'
import { forbidden, invalid, required } from '../errors/field-error.ts'
import { checkMetaUpdate, metaOf } from './meta.ts'
import { maxInt32, rangeProblem } from './names.ts'
import { checkPod } from './pod.ts'
import { checkPodAnnotations, checkPodAnnotationUpdates } from './pod-annotations.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings } from './reader.ts'
import { numberIfSet, text } from './scalars.ts'
import { checkTolerations } from './scheduling.ts'

const mutableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** ValidatePodUpdate: most of a pod spec is immutable. */
export function checkPodUpdate(errors: Errors, pod: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(pod), metaOf(old))
  checkPod(errors, pod)
  checkAnnotationsAgain(errors, pod, old)
  const spec = part(pod, 'spec')
  const before = part(old, 'spec')
  for (const field of ['containers', 'initContainers']) {
    if (!checkContainerUpdates(errors, list(spec, field), list(before, field), `spec.${field}`)) return
  }
  if (!checkDeadline(errors, spec, before)) return
  if (spec === before) return
  checkOnlyAddedTolerations(errors, list(spec, 'tolerations'), list(before, 'tolerations'))
  checkOnlyRemovedGates(errors, list(spec, 'schedulingGates'), list(before, 'schedulingGates'))
  const podSpec = errors.release.api.types.get('core.PodSpec') as Shape
  if (equalAs(podSpec, spec, before)) return
  const rest = withoutMutable(errors, spec, before)
  if (!equalAs(podSpec, rest, before)) {
    errors.push(forbidden('spec', `pod updates may not change fields other than ${mutableFields}`))
  }
}

/** Checks the specific annotations twice, as upstream does, so errors occur twice, too. */
export function checkAnnotationsAgain(errors: Errors, pod: Obj, old: Obj): void {
  const annotations = strings(metaOf(pod), 'annotations')
  checkPodAnnotationUpdates(errors, annotations, strings(metaOf(old), 'annotations'), 'metadata.annotations')
  checkPodAnnotations(errors, annotations, part(pod, 'spec'), 'metadata.annotations')
}

function checkContainerUpdates(
  errors: Errors,
  containers: readonly Obj[],
  before: readonly Obj[],
  path: string,
): boolean {
  if (containers.length !== before.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'))
    return false
  }
  containers.forEach((container, i) => {
    const image = text(container, 'image')
    if (image === '') errors.push(required(`${path}[${i}].image`))
    if (image.trim() !== image) {
      errors.push(invalid(`${path}[${i}].image`, image, 'must not have leading or trailing whitespace'))
    }
  })
  return true
}

function checkDeadline(errors: Errors, spec: Obj, before: Obj): boolean {
  const at = 'spec.activeDeadlineSeconds'
  const deadline = numberIfSet(spec, 'activeDeadlineSeconds')
  const old = numberIfSet(before, 'activeDeadlineSeconds')
  if (deadline === undefined) {
    if (old !== undefined) errors.push(invalid(at, null, 'must not update from a positive integer to nil value'))
    return true
  }
  if (deadline < 0 || deadline > maxInt32) {
    errors.push(invalid(at, deadline, rangeProblem(0, maxInt32)))
    return false
  }
  if (old !== undefined && old < deadline) {
    errors.push(invalid(at, deadline, 'must be less than or equal to previous value'))
    return false
  }
  return true
}

function checkOnlyAddedTolerations(errors: Errors, tolerations: readonly Obj[], before: readonly Obj[]): void {
  const identity = ({ tolerationSeconds: _, ...rest }: Obj): Obj => rest
  for (const old of before) {
    if (tolerations.some((one) => semanticEqual(identity(one), identity(old)))) continue
    const why = 'existing toleration can not be modified except its tolerationSeconds'
    errors.push(forbidden('spec.tolerations', why))
    return
  }
  checkTolerations(errors, tolerations, 'spec.tolerations')
}

function checkOnlyRemovedGates(errors: Errors, gates: readonly Obj[], before: readonly Obj[]): void {
  const known = new Set(before.map((gate) => text(gate, 'name')))
  gates.forEach((gate, i) => {
    const name = text(gate, 'name')
    if (known.has(name)) return
    const why = `only deletion is allowed, but found new scheduling gate '${name}'`
    errors.push(forbidden(`spec.schedulingGates[${i}].name`, why))
  })
}

/** The spec with the old values of all mutable fields; other differences are errors. */
function withoutMutable(errors: Errors, spec: Obj, before: Obj): Obj {
  const rest: Record<string, unknown> = { ...spec }
  for (const field of ['containers', 'initContainers']) {
    if (rest[field] === undefined) continue
    const old = list(before, field)
    rest[field] = list(spec, field).map((container, i) => ({ ...container, image: old[i]?.['image'] }))
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) rest[field] = before[field]
  const grace = numberIfSet(before, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace < 0 && numberIfSet(spec, 'terminationGracePeriodSeconds') === 1) {
    rest['terminationGracePeriodSeconds'] = grace
  }
  if (list(before, 'schedulingGates').length > 0) allowNarrowing(errors, rest, before)
  return rest
}

/** A gated pod may be restricted further: more node selectors, more node affinity. */
function allowNarrowing(errors: Errors, rest: Record<string, unknown>, before: Obj): void {
  const selector = strings(rest, 'nodeSelector')
  const oldSelector = strings(before, 'nodeSelector')
  if (!semanticEqual(selector, oldSelector)) {
    const lost = Object.keys(oldSelector).some((key) => entryOf(selector, key) !== oldSelector[key])
    if (lost) {
      const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
      errors.push(invalid('spec.nodeSelector', rest['nodeSelector'] ?? null, why))
    }
    rest['nodeSelector'] = before['nodeSelector']
  }
  const affinity = child(rest, 'affinity')
  const oldNodeAffinity = child(child(before, 'affinity'), 'nodeAffinity')
  const nodeAffinity = child(affinity, 'nodeAffinity')
  if (semanticEqual(nodeAffinity, oldNodeAffinity)) return
  checkNarrowerAffinity(errors, nodeAffinity, oldNodeAffinity)
  const onlyNodes = affinity !== undefined && Object.keys(affinity).every((key) => key === 'nodeAffinity')
  if (onlyNodes && child(before, 'affinity') === undefined) rest['affinity'] = undefined
  else rest['affinity'] = { ...affinity, nodeAffinity: oldNodeAffinity }
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution'

function checkNarrowerAffinity(errors: Errors, affinity: Obj | undefined, old: Obj | undefined): void {
  const wanted = child(old, requiredTerms)
  if (wanted === undefined) return
  const at = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`
  const before = list(wanted, 'nodeSelectorTerms')
  const after = list(child(affinity, requiredTerms), 'nodeSelectorTerms')
  if (before.length > 0 && before.length !== after.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'
    errors.push(invalid(at, after.length === 0 ? null : after.map(internalTerm), why))
    return
  }
  before.forEach((term, i) => {
    const next = after[i] ?? {}
    if (onlyAdds(next, term)) return
    errors.push(invalid(`${at}[${i}]`, internalTerm(next), 'only additions are allowed (no mutations or deletions)'))
  })
}

function internalTerm(term: Obj): Obj {
  const inner = (requirement: Obj): Obj => ({
    Key: text(requirement, 'key'),
    Operator: text(requirement, 'operator'),
    Values: requirement['values'] ?? null,
  })
  const all = (field: string): unknown => (term[field] === undefined ? null : list(term, field).map(inner))
  return { MatchExpressions: all('matchExpressions'), MatchFields: all('matchFields') }
}

function onlyAdds(term: Obj, old: Obj): boolean {
  const fields = ['matchExpressions', 'matchFields']
  if (fields.every((field) => list(old, field).length === 0)) {
    return fields.every((field) => list(term, field).length === 0)
  }
  return fields.every((field) => {
    const before = list(old, field)
    return semanticEqual(list(term, field).slice(0, before.length), before)
  })
}
