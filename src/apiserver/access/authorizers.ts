import { nodeNameOfUser } from '../../api/node-identity.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Result } from '../../base/result.ts'
import { done, failed } from '../../base/result.ts'
import type { Caller } from '../../registry/contract.ts'
import type { Store } from '../../store/contract.ts'
import { type AccessDecision, type Attributes, authorize, type KnownRules, type RoleSource, rulesFor } from '../rbac.ts'
import { createNodeAuthorizer } from './node-authorizer.ts'

const modes = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC'] as const
export type AuthorizationMode = (typeof modes)[number]

/** The modes of `--authorization-mode`, in the order in which they are asked. */
export function readAuthorizationModes(text: string): Result<readonly AuthorizationMode[]> {
  const given = text.split(',').filter((mode) => mode !== '')
  const unknown = given.find((mode) => !(modes as readonly string[]).includes(mode))
  if (unknown !== undefined) {
    return failed(`authorization-mode ${JSON.stringify(unknown)} is not a valid mode; use ${modes.join(', ')}`)
  }
  if (new Set(given).size < given.length) {
    return failed(`authorization-mode ${JSON.stringify(text)} has mode specified more than once`)
  }
  if (given.length === 0) return failed('at least one authorization-mode must be passed')
  return done(given as readonly AuthorizationMode[])
}

export interface AuthorizerPorts {
  readonly modes: readonly AuthorizationMode[]
  readonly store: Store
  readonly release: KubernetesRelease
  readonly roles: RoleSource
}

export interface Authorizer {
  readonly decide: (attributes: Attributes) => AccessDecision
  readonly rulesFor: (caller: Caller, namespace: string) => KnownRules
}

const allowed: AccessDecision = { allowed: true, reason: '' }
const deniedAlways: AccessDecision = { allowed: false, reason: 'Everything is forbidden.' }

const everything: KnownRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  missing: [],
}

/** Asks the authorizers in order, until one allows the request (apiserver, authorization/union). */
export function createAuthorizer(ports: AuthorizerPorts): Authorizer {
  const { modes: given, roles } = ports
  const isNamed = atLeast(ports.release, '1.37')
  const deciders = given.map((mode) => (isNamed ? named(mode, deciderOf(mode, ports)) : deciderOf(mode, ports)))
  const [only] = deciders
  const rulesOf = (caller: Caller, namespace: string): KnownRules => {
    const found = given.includes('AlwaysAllow') ? everything : noRules
    const own = given.includes('RBAC') ? rulesFor(caller, namespace, roles) : noRules
    const isNode = given.includes('Node') && nodeNameOfUser(caller) !== undefined
    return {
      rules: [...found.rules, ...own.rules],
      missing: own.missing,
      ...(isNode ? { unresolved: 'node authorizer does not support user rule resolution' } : {}),
    }
  }
  if (!isNamed && deciders.length === 1 && only !== undefined && given[0] !== 'Node')
    return { decide: only, rulesFor: rulesOf }
  return { decide: union(deciders), rulesFor: rulesOf }
}

type Decide = (attributes: Attributes) => AccessDecision

/** Since v1.37 a reason names the authorizer. */
function named(mode: AuthorizationMode, decide: Decide): Decide {
  return (attributes) => {
    const decision = decide(attributes)
    if (decision.allowed || decision.reason === '') return decision
    return { ...decision, reason: `${mode.toLowerCase()}: ${decision.reason}` }
  }
}

function deciderOf(mode: AuthorizationMode, { store, release, roles }: AuthorizerPorts): Decide {
  switch (mode) {
    case 'AlwaysAllow':
      return () => allowed
    case 'AlwaysDeny':
      return () => deniedAlways
    case 'Node':
      return createNodeAuthorizer(store, release)
    case 'RBAC':
      return (attributes) => authorize(attributes, roles)
  }
}

const noRules: KnownRules = { rules: [], missing: [] }

function union(deciders: readonly Decide[]) {
  return (attributes: Attributes): AccessDecision => {
    if (attributes.caller.groups.includes('system:masters')) return allowed
    const reasons: string[] = []
    for (const decide of deciders) {
      const decision = decide(attributes)
      if (decision.allowed) return decision
      if (decision.reason !== '') reasons.push(decision.reason)
    }
    return { allowed: false, reason: reasons.join('\n') }
  }
}
