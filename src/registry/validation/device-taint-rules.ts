import { tooMany } from '../errors/field-error.ts'
import { checkDeviceTaint, checkPoolName } from './device-parts.ts'
import { checkConditions, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkLabelName } from './names.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { textIfSet } from './scalars.ts'
import { checkDriverName } from './volumes.ts'

const maxConditions = 8

/** ValidateDeviceTaintRule. */
export function checkDeviceTaintRule(errors: Errors, rule: Obj): void {
  checkMeta(errors, metaOf(rule), { namespaced: false, name: 'subdomain' })
  checkSpec(errors, part(rule, 'spec'))
}

export function checkDeviceTaintRuleUpdate(errors: Errors, rule: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(rule), metaOf(old))
  checkSpec(errors, part(rule, 'spec'))
}

export function checkDeviceTaintRuleStatus(errors: Errors, rule: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(rule), metaOf(old))
  const conditions = list(part(rule, 'status'), 'conditions')
  checkConditions(errors, conditions, 'status.conditions')
  if (conditions.length > maxConditions) errors.push(tooMany('status.conditions', conditions.length, maxConditions))
}

function checkSpec(errors: Errors, spec: Obj): void {
  const selector = child(spec, 'deviceSelector')
  const checks = { driver: checkDriverName, pool: checkPoolName, device: checkLabelName } as const
  for (const [field, check] of Object.entries(checks)) {
    const value = textIfSet(selector, field)
    if (value !== undefined) check(errors, value, `spec.deviceSelector.${field}`)
  }
  checkDeviceTaint(errors, part(spec, 'taint'), 'spec.taint')
}
