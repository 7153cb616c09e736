import { deepEqual } from '../../api/equality.ts'
import { isLabelKey, labelKeyProblems } from '../../api/label-syntax.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooMany } from '../errors/field-error.ts'
import { checkConditions, checkImmutable, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkLabelName, checkSubdomain, pathSegmentProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'

// Workload and PodGroup (v1.36, pkg/apis/scheduling/validation and the tags of the types).

export const maxTemplates = 8
const maxClaims = 4
const maxTopology = 1
const highestPriority = 1_000_000_000

export function checkWorkload(errors: Errors, workload: Obj): void {
  checkMeta(errors, metaOf(workload), { namespaced: true, name: 'subdomain' })
  const spec = part(workload, 'spec')
  const reference = child(spec, 'controllerRef')
  if (reference !== undefined) checkControllerReference(errors, reference, 'spec.controllerRef')
  const templates = list(spec, 'podGroupTemplates')
  const path = 'spec.podGroupTemplates'
  if (templates.length > maxTemplates) errors.push(tooMany(path, templates.length, maxTemplates))
  else if (templates.length === 0) {
    // In later releases they are members of a union.
    if (!atLeast(errors.release, '1.37')) errors.push(required(path))
  } else {
    checkUnique(errors, templates, path)
    templates.forEach((template, i) => {
      const at = `${path}[${i}]`
      checkShortName(errors, text(template, 'name'), `${at}.name`)
      checkRules(errors, template, at)
    })
  }
}

export function checkWorkloadUpdate(errors: Errors, workload: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(workload), metaOf(old))
  const [spec, before] = [part(workload, 'spec'), part(old, 'spec')]
  checkImmutable(errors, child(spec, 'controllerRef'), child(before, 'controllerRef'), 'spec.controllerRef')
  const path = 'spec.podGroupTemplates'
  const [templates, former] = [list(spec, 'podGroupTemplates'), list(before, 'podGroupTemplates')]
  if (!atLeast(errors.release, '1.37')) checkImmutable(errors, templates, former, path)
  else checkTemplatesUpdate(errors, templates, former, path)
}

/** The size of a gang may change. Templates cannot be added or removed (v1.37). */
function checkTemplatesUpdate(errors: Errors, templates: readonly Obj[], former: readonly Obj[], path: string): void {
  const named = (all: readonly Obj[], name: string): Obj | undefined => all.find((one) => text(one, 'name') === name)
  templates.forEach((template, i) => {
    const before = named(former, text(template, 'name'))
    if (before === undefined) errors.push(forbidden(`${path}[${i}]`, 'item may not be added'))
    else checkRulesUpdate(errors, template, before, `${path}[${i}]`)
  })
  for (const template of former) {
    if (named(templates, text(template, 'name')) === undefined) errors.push(forbidden(path, 'item may not be removed'))
  }
}

export function checkPodGroup(errors: Errors, group: Obj): void {
  checkMeta(errors, metaOf(group), { namespaced: true, name: 'subdomain' })
  const spec = part(group, 'spec')
  checkTemplateReference(errors, spec)
  checkRules(errors, spec, 'spec')
}

const immutableFields = [
  'podGroupTemplateRef',
  'workloadRef',
  'schedulingPolicy',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
] as const

export function checkPodGroupUpdate(errors: Errors, group: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(group), metaOf(old))
  const [spec, before] = [part(group, 'spec'), part(old, 'spec')]
  checkRulesUpdate(errors, spec, before, 'spec')
}

function checkRulesUpdate(errors: Errors, rules: Obj, before: Obj, path: string): void {
  const isMutable = atLeast(errors.release, '1.37')
  for (const field of immutableFields) {
    const at = `${path}.${field}`
    if (field === 'schedulingPolicy' && isMutable)
      checkPolicyUpdate(errors, child(rules, field), child(before, field), at)
    else checkImmutable(errors, rules[field], before[field], at)
  }
}

/** The minimum of a gang may be changed. */
function checkPolicyUpdate(errors: Errors, policy: Obj | undefined, before: Obj | undefined, path: string): void {
  if (deepEqual(policy, before)) return
  checkPolicy(errors, policy ?? {}, path)
  checkImmutable(errors, child(policy, 'basic'), child(before, 'basic'), `${path}.basic`)
  const [gang, former] = [child(policy, 'gang'), child(before, 'gang')]
  if (gang !== undefined && former === undefined) {
    errors.push(invalid(`${path}.gang`, null, 'field cannot be set once created'))
  } else if (gang === undefined && former !== undefined) {
    errors.push(invalid(`${path}.gang`, null, 'field cannot be cleared once set'))
  }
}

export function checkPodGroupStatus(errors: Errors, group: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(group), metaOf(old))
  const status = part(group, 'status')
  checkConditions(errors, list(status, 'conditions'), 'status.conditions')
  const statuses = list(status, 'resourceClaimStatuses')
  const path = 'status.resourceClaimStatuses'
  const claims = list(part(group, 'spec'), 'resourceClaims')
  statuses.forEach((entry, i) => {
    const name = text(entry, 'name')
    if (claims.some((claim) => text(claim, 'name') === name)) return
    errors.push(invalid(`${path}[${i}].name`, name, 'must match the name of an entry in `spec.resourceClaims`'))
  })
  if (deepEqual(statuses, list(part(old, 'status'), 'resourceClaimStatuses'))) return
  if (statuses.length > maxClaims) errors.push(tooMany(path, statuses.length, maxClaims))
  else {
    checkUnique(errors, statuses, path)
    for (const [i, entry] of statuses.entries()) checkLongName(errors, entry, 'resourceClaimName', `${path}[${i}]`)
  }
}

function checkTemplateReference(errors: Errors, spec: Obj): void {
  const reference = child(spec, 'podGroupTemplateRef')
  if (reference !== undefined) {
    const workload = child(reference, 'workload')
    const at = 'spec.podGroupTemplateRef'
    if (workload === undefined) errors.push(invalid(at, '', 'must specify one of: `workload`'))
    else checkReferenceNames(errors, workload, `${at}.workload`, 'podGroupTemplateName')
  }
  const workload = child(spec, 'workloadRef')
  if (workload !== undefined) checkReferenceNames(errors, workload, 'spec.workloadRef', 'templateName')
}

export function checkReferenceNames(errors: Errors, reference: Obj, path: string, template: string): void {
  const name = text(reference, 'workloadName')
  if (name === '') errors.push(required(`${path}.workloadName`))
  else checkSubdomain(errors, name, `${path}.workloadName`)
  checkShortName(errors, text(reference, template), `${path}.${template}`)
}

function checkControllerReference(errors: Errors, reference: Obj, path: string): void {
  const group = text(reference, 'apiGroup')
  if (group !== '') checkSubdomain(errors, group, `${path}.apiGroup`)
  for (const field of ['kind', 'name'] as const) {
    const value = text(reference, field)
    if (value === '') errors.push(required(`${path}.${field}`))
    else push(errors, `${path}.${field}`, value, pathSegmentProblems(value))
  }
}

/** The common fields of a template and a group. */
export function checkRules(errors: Errors, rules: Obj, path: string): void {
  checkPolicy(errors, part(rules, 'schedulingPolicy'), `${path}.schedulingPolicy`)
  checkClaims(errors, list(rules, 'resourceClaims'), `${path}.resourceClaims`)
  checkSharedRules(errors, rules, path)
}

/** The fields that composite groups have too. */
export function checkSharedRules(errors: Errors, rules: Obj, path: string): void {
  checkConstraints(errors, child(rules, 'schedulingConstraints'), `${path}.schedulingConstraints`)
  const mode = rules['disruptionMode']
  if (typeof mode === 'string' && mode !== 'Pod' && mode !== 'PodGroup')
    errors.push(notSupported(`${path}.disruptionMode`, mode, ['Pod', 'PodGroup']))
  if (typeof mode === 'object' && mode !== null)
    checkOneOf(errors, mode as Obj, ['single', 'all'], `${path}.disruptionMode`)
  const className = text(rules, 'priorityClassName')
  if (className !== '') checkSubdomain(errors, className, `${path}.priorityClassName`)
  const priority = numberIfSet(rules, 'priority')
  if (priority !== undefined && priority > highestPriority)
    errors.push(invalid(`${path}.priority`, priority, `must be less than or equal to ${highestPriority}`))
}

function checkPolicy(errors: Errors, policy: Obj, path: string): void {
  checkOneOf(errors, policy, ['basic', 'gang'], path)
  const gang = child(policy, 'gang')
  if (gang === undefined) return
  const minCount = number(gang, 'minCount')
  if (minCount === 0) errors.push(required(`${path}.gang.minCount`))
  else if (minCount < 1) errors.push(invalid(`${path}.gang.minCount`, minCount, 'must be greater than or equal to 1'))
}

/** validate.Union: exactly one of the members is set. */
export function checkOneOf(errors: Errors, union: Obj, members: readonly string[], path: string): void {
  const set = members.filter((member) => child(union, member) !== undefined)
  const all = members.map((member) => `\`${member}\``).join(', ')
  if (set.length === 0) errors.push(invalid(path, '', `must specify one of: ${all}`))
  if (set.length > 1) {
    const shown = `{${set.join(', ')}}`
    errors.push(invalid(path, shown, `must specify exactly one of: ${all}`))
  }
}

function checkConstraints(errors: Errors, constraints: Obj | undefined, path: string): void {
  const topology = list(constraints, 'topology')
  if (topology.length > maxTopology) errors.push(tooMany(`${path}.topology`, topology.length, maxTopology))
  else {
    topology.forEach((constraint, i) => {
      const key = text(constraint, 'key')
      const at = `${path}.topology[${i}].key`
      if (key === '') errors.push(required(at))
      else if (!isLabelKey(key)) push(errors, at, key, labelKeyProblems(key))
    })
  }
}

function checkClaims(errors: Errors, claims: readonly Obj[], path: string): void {
  if (claims.length > maxClaims) {
    errors.push(tooMany(path, claims.length, maxClaims))
    return
  }
  checkUnique(errors, claims, path)
  claims.forEach((claim, i) => {
    const at = `${path}[${i}]`
    const members = ['resourceClaimName', 'resourceClaimTemplateName']
    const set = members.filter((member) => textIfSet(claim, member) !== undefined)
    const all = members.map((member) => `\`${member}\``).join(', ')
    if (set.length === 0) errors.push(invalid(at, '', `must specify one of: ${all}`))
    if (set.length > 1) errors.push(invalid(at, `{${set.join(', ')}}`, `must specify exactly one of: ${all}`))
    checkShortName(errors, text(claim, 'name'), `${at}.name`)
    for (const member of members) checkLongName(errors, claim, member, at)
  })
}

export function checkUnique(errors: Errors, items: readonly Obj[], path: string): void {
  const seen = new Set<string>()
  items.forEach((item, i) => {
    const name = text(item, 'name')
    if (seen.has(name)) errors.push(duplicate(`${path}[${i}]`, { name }))
    seen.add(name)
  })
}

export function checkShortName(errors: Errors, name: string, path: string): void {
  if (name === '') errors.push(required(path))
  else checkLabelName(errors, name, path)
}

function checkLongName(errors: Errors, from: Obj, field: string, path: string): void {
  const name = textIfSet(from, field)
  if (name !== undefined) checkSubdomain(errors, name, `${path}.${field}`)
}
