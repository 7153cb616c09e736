import { subdomainProblems } from '../../api/name-problems.ts'
import { forbidden, invalid, required } from '../errors/field-error.ts'
import { checkLabels } from './meta.ts'
import { checkLabelValue, checkQualifiedName, push } from './names.ts'
import { type Errors, list, type Obj, part, strings, texts } from './reader.ts'
import { number, text } from './scalars.ts'

const needsValues = "must be specified when `operator` is 'In' or 'NotIn'"
const noValues = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
const unknownOperator = 'not a valid selector operator'

/** metav1 ValidateLabelSelector. */
export function checkLabelSelector(errors: Errors, selector: Obj | undefined, path: string): void {
  if (selector === undefined) return
  checkLabels(errors, strings(selector, 'matchLabels'), `${path}.matchLabels`)
  list(selector, 'matchExpressions').forEach((requirement, i) => {
    checkRequirement(errors, requirement, `${path}.matchExpressions[${i}]`, { compares: false, anyValue: false })
  })
}

/** `anyValue`: preferred terms may have values that are not valid label values. */
export function checkNodeSelectorTerm(errors: Errors, term: Obj, path: string, anyValue: boolean): void {
  list(term, 'matchExpressions').forEach((requirement, i) => {
    checkRequirement(errors, requirement, `${path}.matchExpressions[${i}]`, { compares: true, anyValue })
  })
  list(term, 'matchFields').forEach((requirement, i) => {
    checkNodeField(errors, requirement, `${path}.matchFields[${i}]`)
  })
}

interface RequirementRules {
  /** The operators of nodes, Gt and Lt, are allowed. */
  readonly compares: boolean
  readonly anyValue: boolean
}

function checkRequirement(errors: Errors, requirement: Obj, path: string, rules: RequirementRules): void {
  const values = texts(requirement, 'values')
  const operator = text(requirement, 'operator')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(`${path}.values`, needsValues))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.push(forbidden(`${path}.values`, noValues))
  } else if (rules.compares && (operator === 'Gt' || operator === 'Lt')) {
    if (values.length !== 1) {
      errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
    }
  } else errors.push(invalid(`${path}.operator`, operator, unknownOperator))
  checkQualifiedName(errors, text(requirement, 'key'), `${path}.key`)
  if (rules.anyValue) return
  values.forEach((value, i) => {
    checkLabelValue(errors, value, `${path}.values[${i}]`)
  })
}

function checkNodeField(errors: Errors, requirement: Obj, path: string): void {
  const values = texts(requirement, 'values')
  const operator = text(requirement, 'operator')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1) {
      const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
      errors.push(required(`${path}.values`, why))
    }
  } else errors.push(invalid(`${path}.operator`, operator, unknownOperator))
  const key = text(requirement, 'key')
  if (key !== 'metadata.name') {
    errors.push(invalid(`${path}.key`, key, 'not a valid field selector key'))
    return
  }
  values.forEach((value, i) => {
    push(errors, `${path}.values[${i}]`, value, subdomainProblems(value))
  })
}

export function checkNodeSelector(errors: Errors, selector: Obj, path: string): void {
  const terms = list(selector, 'nodeSelectorTerms')
  const at = `${path}.nodeSelectorTerms`
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'))
  terms.forEach((term, i) => {
    checkNodeSelectorTerm(errors, term, `${at}[${i}]`, false)
  })
}

export function checkPreferredTerms(errors: Errors, terms: readonly Obj[], path: string): void {
  terms.forEach((term, i) => {
    checkWeight(errors, number(term, 'weight'), `${path}[${i}].weight`)
    checkNodeSelectorTerm(errors, part(term, 'preference'), `${path}[${i}].preference`, true)
  })
}

export function checkWeight(errors: Errors, weight: number, path: string): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path, weight, 'must be in the range 1-100'))
}
