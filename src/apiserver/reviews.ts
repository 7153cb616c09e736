import type { Outcome } from '../api/call.ts'
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { atLeast } from '../api/releases/at-least.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { failure } from '../api/status.ts'
import type { Caller } from '../registry/contract.ts'
import { type FieldError, invalid, invalidObject, required } from '../registry/errors/field-error.ts'
import type { Kind } from '../registry/kinds/kind.ts'
import type { TokenAnswer } from './authentication.ts'
import { type AccessDecision, type Attributes, evaluationError, type KnownRules, type PolicyRule } from './rbac.ts'

export interface ReviewPorts {
  readonly authorize: (attributes: Attributes) => AccessDecision
  readonly rulesFor: (caller: Caller, namespace: string) => KnownRules
  readonly tokenOwner: (token: string, audiences: readonly string[] | undefined) => TokenAnswer
}

interface SelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly unknown[]
}

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: SelectorAttributes
  readonly labelSelector?: SelectorAttributes
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
}

type ReviewSpec = AccessSpec & {
  readonly token?: string
  readonly audiences?: readonly string[]
  readonly namespace?: string
}

/** authentication.k8s.io and authorization.k8s.io: the server answers reviews, and does not store them. */
export function createReviews(ports: ReviewPorts) {
  return (kind: Kind, object: KubeObject, caller: Caller, namespace: string | undefined): Outcome | undefined => {
    const spec = ((object as { spec?: unknown }).spec ?? {}) as ReviewSpec
    const answer = (status: unknown, changes: object = {}): Outcome => ({
      ok: true,
      kind: 'object',
      created: true,
      object: { ...object, ...changes, status } as KubeObject,
    })
    switch (kind.kind) {
      case 'SelfSubjectReview':
        return answer({ userInfo: userOf(caller) })
      case 'TokenReview': {
        if ((spec.token ?? '') === '') {
          return failure('BadRequest', 'token is required for TokenReview in authentication')
        }
        const { audiences = [] } = spec
        const found = ports.tokenOwner(spec.token ?? '', audiences.length === 0 ? undefined : audiences)
        if (found.kind === 'refused') return answer({ user: {}, error: found.message })
        const valid = found.audiences.length === 0 ? {} : { audiences: found.audiences }
        return answer({ authenticated: true, user: userOf(found.caller), ...valid })
      }
      case 'SelfSubjectAccessReview':
        return refused(accessErrors(spec, kind.release)) ?? answer(decide(spec, caller, ports))
      case 'SubjectAccessReview':
      case 'LocalSubjectAccessReview': {
        const isLocal = kind.kind === 'LocalSubjectAccessReview'
        const errors = [...subjectErrors(spec, kind.release), ...(isLocal ? localErrors(spec, namespace ?? '') : [])]
        const subject = { name: spec.user ?? '', groups: spec.groups ?? [] }
        return refused(errors) ?? answer(decide(spec, subject, ports))
      }
      case 'SelfSubjectRulesReview': {
        if ((spec.namespace ?? '') === '') return failure('BadRequest', 'no namespace on request')
        return answer(rulesStatus(ports.rulesFor(caller, spec.namespace ?? '')), { spec: {} })
      }
      default:
        return undefined
    }
  }
}

const userOf = ({ name, uid, groups, extra }: Caller) => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
})

// Upstream omits the kind in this message.
const refused = (errors: readonly FieldError[]) =>
  errors.length === 0 ? undefined : invalidObject('', 'x.authorization.k8s.io', '', errors)

/** apis/authorization/validation. */
function accessErrors(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  release: KubernetesRelease,
): readonly FieldError[] {
  const errors: FieldError[] = []
  // Since v1.37 the two are a union, which is invalid as a whole.
  const isUnion = atLeast(release, '1.37')
  const exactlyOne = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = isUnion ? exactlyOne : 'cannot be specified in combination with resourceAttributes'
    errors.push(invalid(isUnion ? 'spec' : 'spec.nonResourceAttributes', shown(nonResourceAttributes), why))
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    errors.push(invalid(isUnion ? 'spec' : 'spec.resourceAttributes', null, exactlyOne))
  }
  const path = 'spec.resourceAttributes'
  return [
    ...errors,
    ...selectorErrors(resourceAttributes?.fieldSelector, `${path}.fieldSelector`),
    ...selectorErrors(resourceAttributes?.labelSelector, `${path}.labelSelector`),
  ]
}

/** Formats a type that has no JSON names as Go does. */
const shown = ({ path = '', verb = '' }: { readonly path?: string; readonly verb?: string }) => ({
  Path: path,
  Verb: verb,
})

function subjectErrors(spec: AccessSpec, release: KubernetesRelease): readonly FieldError[] {
  const errors = [...accessErrors(spec, release)]
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return errors
  const without = invalid('spec.user', '', 'at least one of user or group must be specified')
  const selectors = errors.findIndex(({ field }) => field.includes('Selector'))
  errors.splice(selectors < 0 ? errors.length : selectors, 0, without)
  return errors
}

function localErrors(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  namespace: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== namespace) {
    const own = resourceAttributes.namespace ?? ''
    errors.push(invalid('spec.resourceAttributes.namespace', own, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes !== undefined) {
    const why = 'disallowed on this kind of request'
    errors.push(invalid('spec.nonResourceAttributes', shown(nonResourceAttributes), why))
  }
  return errors
}

function selectorErrors(selector: SelectorAttributes | undefined, path: string): readonly FieldError[] {
  if (selector === undefined) return []
  const { rawSelector = '', requirements = [] } = selector
  if (rawSelector !== '' && requirements.length > 0) {
    return [invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements')]
  }
  if (rawSelector !== '' || requirements.length > 0) return []
  return [required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`)]
}

function decide(spec: AccessSpec, caller: Caller, ports: ReviewPorts) {
  const { resourceAttributes: wanted, nonResourceAttributes: other } = spec
  const attributes: Attributes =
    wanted === undefined
      ? { caller, verb: other?.verb ?? '', group: '', plural: '', path: other?.path ?? '' }
      : {
          caller,
          verb: wanted.verb ?? '',
          group: wanted.group ?? '',
          plural: wanted.resource ?? '',
          ...(wanted.subresource ? { subresource: wanted.subresource } : {}),
          ...(wanted.namespace ? { namespace: wanted.namespace } : {}),
          ...(wanted.name ? { name: wanted.name } : {}),
          ...selectedFields(wanted.fieldSelector),
        }
  const { allowed, reason } = ports.authorize(attributes)
  const problem = selectorProblems(wanted)
  return {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(problem === '' ? {} : { evaluationError: problem }),
  }
}

interface SelectorRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

/** The Node authorizer reads selectors. */
function selectedFields(selector: SelectorAttributes | undefined): Pick<Attributes, 'fieldSelector'> {
  if (selector === undefined) return {}
  if ((selector.rawSelector ?? '') !== '') return { fieldSelector: selector.rawSelector ?? '' }
  const fieldSelector = ((selector.requirements ?? []) as readonly SelectorRequirement[]).flatMap((one) => {
    const { key: field = '', operator, values = [] } = one
    if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return []
    return [{ field, operator: operator === 'In' ? ('=' as const) : ('!=' as const), value: values[0] ?? '' }]
  })
  return { fieldSelector }
}

/** RBAC ignores selectors; invalid ones are reported. */
function selectorProblems(wanted: ResourceAttributes | undefined): string {
  const { fieldSelector, labelSelector } = wanted ?? {}
  const isWrong = {
    fieldSelector: !parseFieldSelector(fieldSelector?.rawSelector ?? '').ok,
    labelSelector: !parseLabelSelector(labelSelector?.rawSelector ?? '').ok,
  }
  return Object.entries(isWrong)
    .flatMap(([name, wrong]) => (wrong ? [`spec.resourceAttributes.${name} ignored due to parse error`] : []))
    .join('; ')
}

const isGiven = (list: readonly string[] | undefined): boolean => list !== undefined && list.length > 0

function rulesStatus(known: KnownRules) {
  const problem = evaluationError(known)
  return {
    resourceRules: known.rules.filter(({ resources }) => isGiven(resources)).map(resourceRule),
    nonResourceRules: known.rules
      .filter(({ nonResourceURLs }) => isGiven(nonResourceURLs))
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: known.unresolved !== undefined,
    ...(problem === '' ? {} : { evaluationError: problem }),
  }
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule) => ({
  verbs,
  ...(isGiven(apiGroups) ? { apiGroups } : {}),
  resources,
  ...(isGiven(resourceNames) ? { resourceNames } : {}),
})
