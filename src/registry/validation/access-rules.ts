import { deepEqual } from '../../api/equality.ts'
import { subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { invalid, notSupported, required } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { pathSegmentProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { text } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { inOrder } from './shown.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

/** ValidateRole, ValidateClusterRole (v1.36, pkg/apis/rbac/validation). */
export function checkRole(errors: Errors, role: Obj): void {
  checkMeta(errors, metaOf(role), { namespaced: true, name: 'path-segment' })
  checkRules(errors, role, true)
}

export function checkRoleUpdate(errors: Errors, role: Obj, old: Obj): void {
  checkRole(errors, role)
  checkMetaUpdate(errors, metaOf(role), metaOf(old))
}

export function checkClusterRole(errors: Errors, role: Obj): void {
  checkMeta(errors, metaOf(role), { namespaced: false, name: 'path-segment' })
  checkRules(errors, role, false)
  const aggregation = child(role, 'aggregationRule')
  if (aggregation === undefined) return
  const at = 'aggregationRule.clusterRoleSelectors'
  const selectors = list(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0) {
    errors.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  }
  selectors.forEach((selector, i) => {
    const found = errors.length
    checkLabelSelector(errors, selector, `${at}[${i}]`)
    // Upstream shows the invalid selector.
    if (errors.length > found) errors.push(invalid(`${at}[${i}]`, null, 'invalid label selector.'))
  })
}

export function checkClusterRoleUpdate(errors: Errors, role: Obj, old: Obj): void {
  checkClusterRole(errors, role)
  checkMetaUpdate(errors, metaOf(role), metaOf(old))
}

function checkRules(errors: Errors, role: Obj, namespaced: boolean): void {
  list(role, 'rules').forEach((rule, i) => {
    const at = `rules[${i}]`
    if (texts(rule, 'verbs').length === 0) {
      errors.push(required(`${at}.verbs`, 'verbs must contain at least one value'))
    }
    const urls = texts(rule, 'nonResourceURLs')
    const groups = texts(rule, 'apiGroups')
    const resources = texts(rule, 'resources')
    if (urls.length > 0) {
      const path = `${at}.nonResourceURLs`
      if (namespaced) errors.push(invalid(path, urls, 'namespaced rules cannot apply to non-resource URLs'))
      if (groups.length + resources.length + texts(rule, 'resourceNames').length > 0) {
        errors.push(invalid(path, urls, 'rules cannot apply to both regular resources and non-resource URLs'))
      }
      return
    }
    if (groups.length === 0) {
      errors.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'))
    }
    if (resources.length === 0) {
      errors.push(required(`${at}.resources`, 'resource rules must supply at least one resource'))
    }
  })
}

/** ValidateRoleBinding. */
export const checkRoleBinding = (errors: Errors, binding: Obj): void =>
  checkBinding(errors, binding, true, ['Role', 'ClusterRole'])

/** ValidateClusterRoleBinding. */
export const checkClusterRoleBinding = (errors: Errors, binding: Obj): void =>
  checkBinding(errors, binding, false, ['ClusterRole'])

function checkBinding(errors: Errors, binding: Obj, namespaced: boolean, kinds: readonly string[]): void {
  checkMeta(errors, metaOf(binding), { namespaced, name: 'path-segment' })
  const role = part(binding, 'roleRef')
  const group = text(role, 'apiGroup')
  const kind = text(role, 'kind')
  const name = text(role, 'name')
  if (group !== rbacGroup) errors.push(notSupported('roleRef.apiGroup', group, [rbacGroup]))
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  if (name === '') errors.push(required('roleRef.name'))
  else push(errors, 'roleRef.name', name, pathSegmentProblems(name))
  list(binding, 'subjects').forEach((subject, i) => {
    checkSubject(errors, subject, namespaced, `subjects[${i}]`)
  })
}

function checkSubject(errors: Errors, subject: Obj, namespaced: boolean, at: string): void {
  const name = text(subject, 'name')
  const group = text(subject, 'apiGroup')
  if (name === '') errors.push(required(`${at}.name`))
  switch (text(subject, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') push(errors, `${at}.name`, name, subdomainProblems(name))
      if (group !== '') errors.push(notSupported(`${at}.apiGroup`, group, ['']))
      if (!namespaced && text(subject, 'namespace') === '') errors.push(required(`${at}.namespace`))
      break
    case 'User':
    case 'Group':
      if (group !== rbacGroup) errors.push(notSupported(`${at}.apiGroup`, group, [rbacGroup]))
      break
    default:
      errors.push(notSupported(`${at}.kind`, text(subject, 'kind'), ['ServiceAccount', 'User', 'Group']))
  }
}

function checkBindingUpdate(errors: Errors, binding: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(binding), metaOf(old))
  if (deepEqual(part(binding, 'roleRef'), part(old, 'roleRef'))) return
  const { apiGroup, kind, name } = inOrder(errors, 'rbac.RoleRef', part(binding, 'roleRef')) as Obj
  const why = atLeast(errors.release, '1.37') ? immutable : 'cannot change roleRef'
  errors.push(invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, why))
}

export function checkRoleBindingUpdate(errors: Errors, binding: Obj, old: Obj): void {
  checkRoleBinding(errors, binding)
  checkBindingUpdate(errors, binding, old)
}

export function checkClusterRoleBindingUpdate(errors: Errors, binding: Obj, old: Obj): void {
  checkClusterRoleBinding(errors, binding)
  checkBindingUpdate(errors, binding, old)
}
