import type { Failure } from '../../api/call.ts'
import { selects } from '../../api/label-selector.ts'
import type { KubeObject, LabelSelector, StringMap } from '../../api/objects/meta.ts'
import { notFound } from '../../api/status.ts'
import type { Store } from '../../store/contract.ts'
import type { KindTable } from '../kinds/kind.ts'
import {
  type AdmissionRequest,
  equivalentsOf,
  type GroupVersionResource,
  gvkOf,
  gvrOf,
  type Match,
} from './admission-request.ts'

export interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
  /** For policies only. */
  readonly resourceNames?: readonly string[]
}

const exactOrWildcard = (items: readonly string[] | undefined, wanted: string): boolean =>
  items?.some((item) => item === '*' || item === wanted) === true

/** Whether a rule selects a request for this resource (webhook/predicates/rules). */
export function ruleMatches(rule: Rule, request: AdmissionRequest, resource: GroupVersionResource): boolean {
  return (
    inScope(rule.scope, request.namespace, resource) &&
    exactOrWildcard(rule.operations, request.operation) &&
    exactOrWildcard(rule.apiGroups, resource.group) &&
    exactOrWildcard(rule.apiVersions, resource.version) &&
    rule.resources?.some((one) => resourceMatches(one, resource.resource, request.subresource)) === true
  )
}

function inScope(scope: string | undefined, namespace: string, { group, version, resource }: GroupVersionResource) {
  if (scope === undefined || scope === '*') return true
  const isNamespace = group === '' && version === 'v1' && resource === 'namespaces'
  if (scope === 'Namespaced') return !isNamespace && namespace !== ''
  return scope === 'Cluster' && (isNamespace || namespace === '')
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/')
  const wanted = slash < 0 ? pattern : pattern.slice(0, slash)
  const sub = slash < 0 ? '' : pattern.slice(slash + 1)
  return (wanted === '*' || wanted === resource) && (sub === '*' || sub === subresource)
}

/** The first rule that selects the request, for its own resource or, if equivalents count, for another one. */
export function matchOf<R extends Rule>(
  rules: readonly R[],
  request: AdmissionRequest,
  kinds: KindTable,
  isEquivalent: boolean,
  also: (rule: R) => boolean = () => true,
): Match | undefined {
  for (const rule of rules) {
    if (ruleMatches(rule, request, request.resource) && also(rule)) {
      return { resource: request.resource, kind: request.kind, as: request.target }
    }
  }
  if (!isEquivalent) return undefined
  const others = equivalentsOf(kinds, request.target)
  for (const rule of rules) {
    for (const other of others) {
      const resource = gvrOf(other)
      if (ruleMatches(rule, request, resource) && also(rule)) {
        return { resource, kind: gvkOf(other, request.subresource), as: other }
      }
    }
  }
  return undefined
}

const isEmpty = (selector: LabelSelector | undefined): selector is undefined =>
  selector === undefined ||
  (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0)

/** webhook/predicates/object: an update matches by the new or by the old labels. */
export function objectSelected(selector: LabelSelector | undefined, { object, old }: AdmissionRequest): boolean {
  if (isEmpty(selector)) return true
  const selected = (one: KubeObject | undefined): boolean =>
    one !== undefined && selects(selector, one.metadata?.labels ?? {})
  return selected(object) || selected(old)
}

/** webhook/predicates/namespace. A failure counts only if the rest of the webhook matches. */
export function namespaceSelected(
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
  store: Store,
): boolean | Failure {
  const isNamespace = request.resource.resource === 'namespaces'
  if (request.namespace === '' && !isNamespace) return true
  if (isEmpty(selector)) return true
  const labels = namespaceLabels(request, store)
  if (labels === undefined) return notFound('namespaces', request.namespace)
  return selects(selector, labels)
}

function namespaceLabels(request: AdmissionRequest, store: Store): StringMap | undefined {
  const { resource, subresource, operation, object } = request
  if (resource.resource === 'namespaces' && subresource === '' && operation !== 'DELETE') {
    return object?.metadata?.labels ?? {}
  }
  const namespace = store.get('namespaces', request.namespace)
  return namespace === undefined ? undefined : (namespace.metadata.labels ?? {})
}
