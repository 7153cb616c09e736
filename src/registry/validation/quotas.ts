import { lookupTable } from '../../base/lookup-table.ts'
import { invalid, required } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkQuotaResourceName, checkResourceQuantity, isQuotaResource } from './quantities.ts'
import { child, type Errors, list, type Obj, part, strings, texts } from './reader.ts'
import { text } from './scalars.ts'
import { internalForm } from './shown.ts'

const podCounts = ['pods']
const podResources = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const claimResources = ['persistentvolumeclaims', 'requests.storage']

/** The standard resources to which each scope applies. */
const scopes = lookupTable<readonly string[]>({
  Terminating: [...podCounts, ...podResources],
  NotTerminating: [...podCounts, ...podResources],
  BestEffort: podCounts,
  NotBestEffort: [...podCounts, ...podResources],
  PriorityClass: [...podCounts, ...podResources],
  CrossNamespacePodAffinity: [...podCounts, ...podResources],
  VolumeAttributesClass: claimResources,
})
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const
const existenceOnly = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
])

/** ValidateResourceQuota (v1.36, pkg/apis/core/validation). */
export function checkQuota(errors: Errors, quota: Obj): void {
  checkMeta(errors, metaOf(quota), { namespaced: true, name: 'subdomain' })
  checkQuotaSpec(errors, part(quota, 'spec'))
  checkAmounts(errors, part(quota, 'status'), 'hard', 'status')
  checkAmounts(errors, part(quota, 'status'), 'used', 'status')
}

export function checkQuotaUpdate(errors: Errors, quota: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(quota), metaOf(old))
  const spec = part(quota, 'spec')
  checkQuotaSpec(errors, spec)
  const after = new Set(texts(spec, 'scopes'))
  const before = new Set(texts(part(old, 'spec'), 'scopes'))
  const same = after.size === before.size && [...after].every((scope) => before.has(scope))
  if (!same) errors.push(invalid('spec.scopes', shownScopes(spec), immutable))
}

export function checkQuotaStatus(errors: Errors, quota: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(quota), metaOf(old))
  if (text(metaOf(quota), 'resourceVersion') === '') errors.push(required('resourceVersion'))
  checkAmounts(errors, part(quota, 'status'), 'hard', 'status')
  checkAmounts(errors, part(quota, 'status'), 'used', 'status')
}

const shownScopes = (spec: Obj): readonly string[] | null => {
  const named = texts(spec, 'scopes')
  return named.length === 0 ? null : named
}

function checkAmounts(errors: Errors, owner: Obj, field: string, at: string): void {
  for (const [name, amount] of Object.entries(strings(owner, field))) {
    const path = `${at}.${field}[${name}]`
    checkQuotaResourceName(errors, name, path)
    checkResourceQuantity(errors, name, amount, path)
  }
}

function checkQuotaSpec(errors: Errors, spec: Obj): void {
  checkAmounts(errors, spec, 'hard', 'spec')
  const hard = Object.keys(strings(spec, 'hard')).sort()
  const named = texts(spec, 'scopes')
  for (const scope of named) {
    if (!Object.hasOwn(scopes, scope)) errors.push(invalid('spec.scopes', named, 'unsupported scope'))
    for (const _ of hard.filter((name) => !appliesTo(scope, name))) {
      errors.push(invalid('spec.scopes', named, 'unsupported scope applied to resource'))
    }
  }
  checkOpposites(errors, new Set(named), spec, 'spec.scopes')
  const selector = child(spec, 'scopeSelector')
  if (selector !== undefined) checkScopeSelector(errors, spec, selector, hard)
}

function appliesTo(scope: string, name: string): boolean {
  const known = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined
  return known === undefined || !isQuotaResource(name) || known.includes(name)
}

function checkOpposites(errors: Errors, named: ReadonlySet<string>, spec: Obj, at: string): void {
  for (const [one, other] of opposites) {
    if (named.has(one) && named.has(other)) errors.push(invalid(at, shownScopes(spec), 'conflicting scopes'))
  }
}

function checkScopeSelector(errors: Errors, spec: Obj, selector: Obj, hard: readonly string[]): void {
  const at = 'spec.scopeSelector.matchExpressions'
  const requirements = list(selector, 'matchExpressions')
  for (const requirement of requirements) {
    const scope = text(requirement, 'scopeName')
    const operator = text(requirement, 'operator')
    const values = texts(requirement, 'values')
    if (!Object.hasOwn(scopes, scope)) errors.push(invalid(`${at}.scopeName`, scope, 'unsupported scope'))
    for (const _ of hard.filter((name) => !appliesTo(scope, name))) {
      const shown = internalForm(errors, 'core.ScopeSelector', selector)
      errors.push(invalid(at, shown, 'unsupported scope applied to resource'))
    }
    if (existenceOnly.has(scope) && operator !== 'Exists') {
      const why =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
        'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity'
      errors.push(invalid(`${at}.operator`, operator, why))
    }
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length > 0) continue
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
      errors.push(required(`${at}.values`, why))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length === 0) continue
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
      errors.push(invalid(`${at}.values`, values, why))
    } else errors.push(invalid(`${at}.operator`, operator, 'not a valid selector operator'))
  }
  checkOpposites(errors, new Set(requirements.map((one) => text(one, 'scopeName'))), spec, at)
}
