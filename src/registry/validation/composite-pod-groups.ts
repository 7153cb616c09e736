import { deepEqual } from '../../api/equality.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, required, tooMany } from '../errors/field-error.ts'
import { checkConditions, checkImmutable, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkSubdomain } from './names.ts'
import {
  checkOneOf,
  checkPodGroup,
  checkReferenceNames,
  checkRules,
  checkSharedRules,
  checkShortName,
  checkUnique,
  checkWorkload,
  maxTemplates,
} from './pod-groups.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'

// CompositePodGroup and the composite templates of a Workload (v1.37, gate CompositePodGroup;
// pkg/apis/scheduling/validation and the tags of the types).

const maxDepth = 4
const gate = 'CompositePodGroup'

export function checkCompositePodGroup(errors: Errors, group: Obj): void {
  checkMeta(errors, metaOf(group), { namespaced: true, name: 'subdomain' })
  const spec = part(group, 'spec')
  const parent = textIfSet(spec, 'parentCompositePodGroupName')
  if (parent !== undefined) checkSubdomain(errors, parent, 'spec.parentCompositePodGroupName')
  const reference = child(spec, 'workloadRef')
  if (reference === undefined) errors.push(required('spec.workloadRef'))
  else checkReferenceNames(errors, reference, 'spec.workloadRef', 'templateName')
  checkCompositeRules(errors, spec, 'spec')
}

const immutableFields = [
  'parentCompositePodGroupName',
  'workloadRef',
  'schedulingConstraints',
  'disruptionMode',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
] as const

export function checkCompositePodGroupUpdate(errors: Errors, group: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(group), metaOf(old))
  const [spec, before] = [part(group, 'spec'), part(old, 'spec')]
  for (const field of immutableFields) checkImmutable(errors, spec[field], before[field], `spec.${field}`)
  checkImmutable(errors, spec['schedulingPolicy'], before['schedulingPolicy'], 'spec.schedulingPolicy')
}

export function checkCompositePodGroupStatus(errors: Errors, group: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(group), metaOf(old))
  checkConditions(errors, list(part(group, 'status'), 'conditions'), 'status.conditions')
}

/** A PodGroup, which may have a parent. Errors of tags come last. */
export function checkGroupAndParent(errors: Errors, group: Obj): void {
  const spec = part(group, 'spec')
  const parent = textIfSet(spec, 'parentCompositePodGroupName')
  if (parent !== undefined && child(spec, 'workloadRef') === undefined)
    errors.push(required('spec.workloadRef', 'must be set when parentCompositePodGroupName is set'))
  checkPodGroup(errors, group)
  if (parent === undefined) return
  const path = 'spec.parentCompositePodGroupName'
  if (!errors.release.gates.has(gate)) errors.push(forbidden(path, ''))
  else checkSubdomain(errors, parent, path)
}

/** A Workload, which may have composite templates. Errors of tags come last. */
export function checkWorkloadAndTemplates(errors: Errors, workload: Obj): void {
  const spec = part(workload, 'spec')
  const path = 'spec.compositePodGroupTemplates'
  const [templates, simple] = [list(spec, 'compositePodGroupTemplates'), list(spec, 'podGroupTemplates')]
  checkNames(errors, templates, 'spec', new Set(simple.map((one) => text(one, 'name'))))
  for (const [i, template] of templates.entries()) {
    if (depthOf(template) >= maxDepth)
      errors.push(invalid(`${path}[${i}]`, list(template, 'compositePodGroupTemplates'), tooDeep))
  }
  const priorities = templates.flatMap(prioritiesOf)
  if (priorities.some((one) => !deepEqual(one, priorities[0]))) errors.push(invalid('spec', null, severalPriorities))
  for (const [i, template] of templates.entries()) checkChildren(errors, template, `${path}[${i}]`)
  if (atLeast(errors.release, '1.37')) checkTemplateUnion(errors, templates, simple)
  if (templates.length > 0 && !errors.release.gates.has(gate)) errors.push(forbidden(path, ''))
  checkWorkload(errors, workload)
  checkTemplates(errors, templates, path)
}

function checkTemplateUnion(errors: Errors, templates: readonly Obj[], simple: readonly Obj[]): void {
  const set = { ...(simple.length > 0 && { podGroupTemplates: {} }), ...(templates.length > 0 && { [lists]: {} }) }
  checkOneOf(errors, set, ['podGroupTemplates', lists], 'spec')
}

const lists = 'compositePodGroupTemplates'
const tooDeep = `maximum template hierarchy depth is ${maxDepth}`
const severalPriorities = 'all priority and priorityClassName values must be identical, detected multiple values'

function checkTemplates(errors: Errors, templates: readonly Obj[], path: string): void {
  if (templates.length > maxTemplates) {
    errors.push(tooMany(path, templates.length, maxTemplates))
    return
  }
  const names = templates.map((one) => text(one, 'name'))
  templates.forEach((template, i) => {
    if (names.indexOf(names[i] as string) < i) errors.push(duplicate(`${path}[${i}]`, template))
  })
  templates.forEach((template, i) => {
    const at = `${path}[${i}]`
    checkShortName(errors, text(template, 'name'), `${at}.name`)
    checkCompositeRules(errors, template, at)
    const groups = list(template, 'podGroupTemplates')
    if (groups.length > maxTemplates) errors.push(tooMany(`${at}.podGroupTemplates`, groups.length, maxTemplates))
    else {
      checkUnique(errors, groups, `${at}.podGroupTemplates`)
      groups.forEach((group, j) => {
        checkShortName(errors, text(group, 'name'), `${at}.podGroupTemplates[${j}].name`)
        checkRules(errors, group, `${at}.podGroupTemplates[${j}]`)
      })
    }
    checkTemplates(errors, list(template, 'compositePodGroupTemplates'), `${at}.compositePodGroupTemplates`)
  })
}

/** Names are unique in the whole Workload. The check of each list covers duplicates within the list. */
function checkNames(errors: Errors, templates: readonly Obj[], path: string, names: Set<string>): void {
  const note = (all: readonly Obj[], at: string): void => {
    all.forEach((one, i) => {
      if (names.has(text(one, 'name'))) errors.push(duplicate(`${at}[${i}].name`, text(one, 'name')))
    })
    for (const one of all) names.add(text(one, 'name'))
  }
  note(templates, `${path}.compositePodGroupTemplates`)
  templates.forEach((template, i) => {
    const at = `${path}.compositePodGroupTemplates[${i}]`
    note(list(template, 'podGroupTemplates'), `${at}.podGroupTemplates`)
    checkNames(errors, list(template, 'compositePodGroupTemplates'), at, names)
  })
}

function depthOf(template: Obj): number {
  return 1 + Math.max(0, ...list(template, 'compositePodGroupTemplates').map(depthOf))
}

function prioritiesOf(template: Obj): readonly unknown[] {
  const own = (one: Obj) => [text(one, 'priorityClassName'), numberIfSet(one, 'priority')]
  const nested = list(template, 'compositePodGroupTemplates').flatMap(prioritiesOf)
  return [own(template), ...nested, ...list(template, 'podGroupTemplates').map(own)]
}

function checkChildren(errors: Errors, template: Obj, path: string): void {
  const nested = list(template, 'compositePodGroupTemplates')
  if (nested.length === 0 && list(template, 'podGroupTemplates').length === 0) {
    const why = 'must have at least one child PodGroupTemplate or CompositePodGroupTemplate'
    errors.push(invalid(path, text(template, 'name'), why))
  }
  for (const [i, one] of nested.entries()) checkChildren(errors, one, `${path}.compositePodGroupTemplates[${i}]`)
}

function checkCompositeRules(errors: Errors, rules: Obj, path: string): void {
  const policy = part(rules, 'schedulingPolicy')
  checkOneOf(errors, policy, ['basic', 'gang'], `${path}.schedulingPolicy`)
  const gang = child(policy, 'gang')
  const at = `${path}.schedulingPolicy.gang.minGroupCount`
  const count = gang === undefined ? 1 : number(gang, 'minGroupCount')
  if (count === 0) errors.push(required(at))
  else if (count < 1) errors.push(invalid(at, count, 'must be greater than or equal to 1'))
  checkSharedRules(errors, rules, path)
}
