import { type AccessCheck, type CelAuthorizer, EvaluationError, noOverload, Opaque, type Value } from '../value.ts'
import { type Library, opaque, text } from './implementation.ts'

type CheckKind = 'authorizer' | 'path-check' | 'group-check' | 'resource-check'

interface AuthorizerState {
  readonly authorizer: CelAuthorizer
  readonly check: AccessCheck
}

const check = (kind: CheckKind, { authorizer, check: said }: AuthorizerState, more: AccessCheck): Opaque =>
  new Opaque({ kind, authorizer, check: { ...said, ...more } })

const narrowed =
  (field: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector') =>
  ([receiver, value]: readonly Value[]): Value =>
    check('resource-check', opaque('resource-check', receiver), { [field]: text(value) })

/** The variable `authorizer`, for the caller of a request. */
export const authorizerValue = (authorizer: CelAuthorizer): Value =>
  new Opaque({ kind: 'authorizer', authorizer, check: {} })

/** The variable `authorizer.requestResource`. */
export const resourceCheckValue = (authorizer: CelAuthorizer, resource: AccessCheck): Value =>
  new Opaque({ kind: 'resource-check', authorizer, check: resource })

// RFC 1123, as apimachinery validates the namespace and the name of a service account.
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Checks of access (v1.36, apiserver/pkg/cel/library/authz.go). */
export const authorization: Library = {
  path: ([receiver, path]) => {
    if (text(path) === '') throw new EvaluationError('path must not be empty')
    return check('path-check', opaque('authorizer', receiver), { path: text(path) })
  },
  group: ([receiver, group]) => check('group-check', opaque('authorizer', receiver), { group: text(group) }),
  serviceAccount: ([receiver, namespace, name]) => {
    const [home, account] = [text(namespace), text(name)]
    if (account.length > 253 || !subdomain.test(account)) {
      throw new EvaluationError('Invalid service account name')
    }
    if (!label.test(home)) throw new EvaluationError('Invalid service account namespace')
    const user = `system:serviceaccount:${home}:${account}`
    return check('authorizer', opaque('authorizer', receiver), { user })
  },
  resource: ([receiver, resource]) => {
    if (text(resource) === '') throw new EvaluationError('resource must not be empty')
    return check('resource-check', opaque('group-check', receiver), { resource: text(resource) })
  },
  subresource: narrowed('subresource'),
  namespace: narrowed('namespace'),
  name: narrowed('name'),
  fieldSelector: narrowed('fieldSelector'),
  labelSelector: narrowed('labelSelector'),
  check: ([receiver, verb]) => {
    if (!(receiver instanceof Opaque)) throw noOverload()
    const { content } = receiver
    if (content.kind !== 'path-check' && content.kind !== 'resource-check') throw noOverload()
    const decision = content.authorizer({ ...content.check, verb: text(verb) })
    return new Opaque({ kind: 'decision', decision })
  },
  allowed: ([receiver]) => opaque('decision', receiver).decision.allowed,
  reason: ([receiver]) => opaque('decision', receiver).decision.reason,
  errored: ([receiver]) => opaque('decision', receiver).decision.error !== undefined,
  error: ([receiver]) => opaque('decision', receiver).decision.error ?? '',
}
