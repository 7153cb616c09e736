import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Caller } from '../registry/contract.ts'
import type { Kind } from '../registry/kind.ts'
import type { Attributes, PolicyRule } from './rbac.ts'

export interface ReviewPorts {
  readonly authorize: (attributes: Attributes) => boolean
  readonly rulesFor: (caller: Caller, namespace: string) => readonly PolicyRule[]
  /** Whom a bearer token belongs to. */
  readonly tokenOwner: (token: string) => Caller | undefined
}

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
}

/** authentication.k8s.io and authorization.k8s.io: questions that are answered and not kept. */
export function createReviews(ports: ReviewPorts) {
  return (kind: Kind, object: KubeObject, caller: Caller, namespace: string | undefined): Outcome | undefined => {
    const spec = (object as { spec?: unknown }).spec as AccessSpec & {
      readonly token?: string
      readonly namespace?: string
    }
    const answer = (status: unknown): Outcome => ({
      ok: true,
      kind: 'object',
      created: true,
      object: { ...object, status } as KubeObject,
    })
    switch (kind.kind) {
      case 'SelfSubjectReview':
        return answer({
          userInfo: {
            username: caller.name,
            groups: caller.groups,
            ...(caller.extra === undefined ? {} : { extra: caller.extra }),
          },
        })
      case 'TokenReview': {
        const owner = ports.tokenOwner(spec?.token ?? '')
        return answer(
          owner === undefined
            ? { user: {}, error: 'invalid bearer token' }
            : { authenticated: true, user: { username: owner.name, groups: owner.groups } },
        )
      }
      case 'SelfSubjectAccessReview':
        return answer(decide(spec ?? {}, caller, ports))
      case 'SubjectAccessReview':
      case 'LocalSubjectAccessReview': {
        const subject = { name: spec?.user ?? '', groups: spec?.groups ?? [] }
        return answer(decide(withNamespace(spec ?? {}, namespace), subject, ports))
      }
      case 'SelfSubjectRulesReview':
        return answer(rulesStatus(ports.rulesFor(caller, spec?.namespace ?? '')))
      default:
        return undefined
    }
  }
}

function withNamespace(spec: AccessSpec, namespace: string | undefined): AccessSpec {
  if (namespace === undefined || spec.resourceAttributes === undefined) return spec
  return { ...spec, resourceAttributes: { ...spec.resourceAttributes, namespace } }
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
        }
  return { allowed: ports.authorize(attributes) }
}

function rulesStatus(rules: readonly PolicyRule[]) {
  return {
    resourceRules: rules
      .filter((rule) => rule.resources !== undefined)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames === undefined ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs !== undefined)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  }
}
