import { invalid, notSupported } from '../errors/field-error.ts'
import { checkConditions, checkMetaUpdate, checkNonnegative, metaOf } from './meta.ts'
import { checkAtMostAll, checkShare, type Share } from './percent.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { number, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { inOrder } from './shown.ts'

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget']

export function checkBudget(errors: Errors, budget: Obj): void {
  const spec = part(budget, 'spec')
  const minAvailable = (spec['minAvailable'] ?? undefined) as Share | undefined
  const maxUnavailable = (spec['maxUnavailable'] ?? undefined) as Share | undefined
  const policy = textIfSet(spec, 'unhealthyPodEvictionPolicy')
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: inOrder(errors, 'meta.LabelSelector', spec['selector'] ?? null),
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    }
    errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const [field, share] of [
    ['minAvailable', minAvailable],
    ['maxUnavailable', maxUnavailable],
  ] as const) {
    if (share === undefined) continue
    checkShare(errors, share, `spec.${field}`)
    checkAtMostAll(errors, share, `spec.${field}`)
  }
  checkLabelSelector(errors, child(spec, 'selector'), 'spec.selector')
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies))
  }
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']

export function checkBudgetStatus(errors: Errors, budget: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(budget), metaOf(old))
  const status = part(budget, 'status')
  checkConditions(errors, list(status, 'conditions'), 'status.conditions')
  for (const field of counts) {
    const count = number(status, field)
    if (count < 0) checkNonnegative(errors, count, `status.${field}`)
  }
}
