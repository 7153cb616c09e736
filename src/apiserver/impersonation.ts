import type { Failure } from '../api/call.ts'
import { isDnsLabel, isDnsSubdomain } from '../api/dns-name.ts'
import { dnsSubdomainProblems } from '../api/label-syntax.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { Recent } from '../base/recent.ts'
import type { Caller } from '../registry/contract.ts'
import { quoteValue } from '../registry/errors/field-error.ts'
import type { RequestHead } from './exchange.ts'
import { refusalOf } from './forbidden.ts'
import { type WantedUser, wantedIdentity } from './impersonation-headers.ts'
import type { AccessDecision, Attributes } from './rbac.ts'

type Authorize = (attributes: Attributes) => AccessDecision

/** A mode of impersonation with its own verbs. */
interface Mode {
  /** Absent: plain `impersonate`, which applies to every request. */
  readonly constraint?: string
  readonly appliesTo: (wanted: WantedUser, caller: Caller) => boolean
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'

/** Plain impersonation, the only one without the feature gate ConstrainedImpersonation. */
const plain: Mode = { appliesTo: () => true }

// In the order in which they are tried (KEP 5284, on by default since v1.36).
const constrainedModes: readonly Mode[] = [
  {
    constraint: 'associated-node',
    appliesTo: (wanted, caller) => {
      const node = nodeOf(wanted.name)
      const own = caller.extra?.[nodeNameKey]
      return (
        node !== undefined &&
        isNameOnly(wanted) &&
        accountOf(caller.name) !== undefined &&
        own?.[0] === node &&
        own.length === 1
      )
    },
  },
  { constraint: 'arbitrary-node', appliesTo: (wanted) => isNameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  { constraint: 'serviceaccount', appliesTo: (wanted) => isNameOnly(wanted) && accountOf(wanted.name) !== undefined },
  {
    constraint: 'user-info',
    appliesTo: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  plain,
]

/**
 * The user for whom a request is executed (apiserver, filters/impersonation). Every mode that applies is tried,
 * starting with the mode that was last allowed; a rejection has the message of the first mode.
 */
export function createImpersonation(authorize: Authorize, release: Pick<KubernetesRelease, 'gates' | 'changes'>) {
  const isConstrained = release.gates.has('ConstrainedImpersonation')
  const modes = isConstrained ? constrainedModes : [plain]
  const refusedIn = isConstrained ? refusalIn : plainRefusal
  const lastModes = new Recent<string, Mode>(10_000)
  return (request: RequestHead, caller: Caller, attributes: Attributes): Caller | Failure | undefined => {
    const wanted = wantedIdentity(request, release)
    if (wanted === undefined || 'ok' in wanted) return wanted
    const last = lastModes.get(caller.name)
    const ordered = last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)]
    let refusal: Failure | undefined
    for (const mode of ordered) {
      if (!mode.appliesTo(wanted, caller)) continue
      const problem = refusedIn(mode, wanted, attributes, authorize)
      if (problem === undefined) {
        lastModes.set(caller.name, mode)
        return identityOf(mode, wanted)
      }
      refusal ??= problem
    }
    return refusal
  }
}

function refusalIn(mode: Mode, wanted: WantedUser, attributes: Attributes, authorize: Authorize): Failure | undefined {
  const { constraint } = mode
  const caller = constraint === 'associated-node' ? withoutNode(attributes.caller) : attributes.caller
  const check = (right: Attributes): Failure | undefined => {
    const decision = authorize(right)
    return decision.allowed ? undefined : refusalOf(right, decision.reason)
  }
  if (constraint !== undefined) {
    const refused = check({ ...attributes, caller, verb: `impersonate-on:${constraint}:${attributes.verb}` })
    if (refused !== undefined) return refused
  }
  const verb = constraint === undefined ? 'impersonate' : `impersonate:${constraint}`
  const group = constraint === undefined ? '' : authenticationGroup
  const right = (plural: string, name: string): Attributes => ({ caller, verb, group, plural, name })
  const own = { ...right('', ''), group: authenticationGroup }
  return (
    check(nameRight(mode, wanted.name, right)) ??
    (wanted.uid === '' ? undefined : check({ ...own, plural: 'uids', name: wanted.uid })) ??
    groupsRefusal(mode, wanted.groups, right('groups', ''), check) ??
    extraRefusal(mode, wanted.extra, { ...own, plural: 'userextras' }, check)
  )
}

/** Without the gate: the name, the groups, the extras and then the uid (WithImpersonation). */
function plainRefusal(
  mode: Mode,
  { name, groups, extra, uid }: WantedUser,
  { caller }: Attributes,
  authorize: Authorize,
): Failure | undefined {
  const right = (plural: string, of: string): Attributes => ({
    caller,
    verb: 'impersonate',
    group: '',
    plural,
    name: of,
  })
  const own = { ...right('', ''), group: authenticationGroup }
  const extras = Object.entries(extra).flatMap(([subresource, values]) =>
    values.map((value) => ({ ...own, plural: 'userextras', subresource, name: value })),
  )
  const rights = [
    nameRight(mode, name, right),
    ...groups.map((group) => right('groups', group)),
    ...extras,
    ...(uid === '' ? [] : [{ ...own, plural: 'uids', name: uid }]),
  ]
  return firstRefusal(rights, (wanted) => {
    const decision = authorize(wanted)
    return decision.allowed ? undefined : refusalOf(wanted, decision.reason)
  })
}

const authenticationGroup = 'authentication.k8s.io'

type RightCheck = (right: Attributes) => Failure | undefined

function nameRight(
  { constraint }: Mode,
  name: string,
  right: (plural: string, name: string) => Attributes,
): Attributes {
  const node = constraint === undefined ? undefined : nodeOf(name)
  // The right of a pod to impersonate its node does not name the node.
  if (node !== undefined) return right('nodes', constraint === 'associated-node' ? '*' : node)
  const account = accountOf(name)
  if (account === undefined) return right('users', name)
  return { ...right('serviceaccounts', account.name), namespace: account.namespace }
}

/** From this number of groups on, the right to all groups is checked first. */
const many = 4

function groupsRefusal({ constraint }: Mode, groups: readonly string[], right: Attributes, check: RightCheck) {
  if (constraint !== undefined && groups.length > 0) {
    if (groups.includes('')) return refusalOf(right, 'impersonating the empty string group is not allowed')
    if (groups.includes('system:masters')) {
      return refusalOf({ ...right, name: 'system:masters' }, 'impersonating the system:masters group is not allowed')
    }
    if (groups.length >= many && check({ ...right, name: '*' }) === undefined) return undefined
  }
  return firstRefusal(
    groups.map((name) => ({ ...right, name })),
    check,
  )
}

function extraRefusal({ constraint }: Mode, extra: WantedUser['extra'], right: Attributes, check: RightCheck) {
  const entries = Object.entries(extra)
  if (entries.length === 0) return undefined
  if (constraint !== undefined) {
    const problem = extraProblem(entries)
    if (problem !== undefined) return refusalOf(right, problem)
    const count = Math.max(entries.length, entries.flatMap(([, values]) => values).length)
    if (count >= many && check({ ...right, subresource: '*', name: '*' }) === undefined) return undefined
  }
  const rights = entries.flatMap(([subresource, values]) => values.map((name) => ({ ...right, subresource, name })))
  return firstRefusal(rights, check)
}

function firstRefusal(rights: readonly Attributes[], check: RightCheck): Failure | undefined {
  for (const right of rights) {
    const refused = check(right)
    if (refused !== undefined) return refused
  }
  return undefined
}

function extraProblem(entries: readonly (readonly [string, readonly string[]])[]): string | undefined {
  for (const [key, values] of entries) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed'
    const wrong = prefixedPathProblem(key)
    if (wrong !== undefined)
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${wrong}`
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${quoteValue(key)}`
    }
    if (values.length === 0) return 'impersonating empty values in extra is not allowed'
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  }
  return undefined
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"

/** Why `acme.io/foo` is invalid (apimachinery util/validation, IsDomainPrefixedPath). */
function prefixedPathProblem(key: string): string | undefined {
  const slash = key.indexOf('/')
  if (slash <= 0 || slash === key.length - 1) {
    return `${quoteValue(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
  }
  const [host, path] = [key.slice(0, slash), key.slice(slash + 1)]
  const [problem] = dnsSubdomainProblems(host)
  if (problem !== undefined) return `${quoteValue(host)}: ${problem}`
  if (new RegExp(`^${pathPattern}$`).test(path)) return undefined
  return `${quoteValue(path)}: Invalid path (regex used for validation is '${pathPattern}')`
}

function identityOf({ constraint }: Mode, { name, uid, groups, extra }: WantedUser): Caller {
  const account = accountOf(name)
  const isNode = constraint !== undefined && nodeOf(name) !== undefined
  const known = account === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
  return {
    name,
    groups: withEveryone(name, isNode ? ['system:nodes'] : groups.length > 0 ? groups : known),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

function withEveryone(name: string, groups: readonly string[]): readonly string[] {
  const everyone =
    name === 'system:anonymous'
      ? 'system:unauthenticated'
      : groups.includes('system:unauthenticated')
        ? undefined
        : 'system:authenticated'
  return everyone === undefined || groups.includes(everyone) ? groups : [...groups, everyone]
}

const isNameOnly = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0

function nodeOf(name: string): string | undefined {
  const node = name.startsWith('system:node:') ? name.slice('system:node:'.length) : ''
  return node !== '' && node.length <= 253 && isDnsSubdomain(node) ? node : undefined
}

function accountOf(name: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', account = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  const isValid = namespace.length <= 63 && isDnsLabel(namespace) && account.length <= 253 && isDnsSubdomain(account)
  return isValid && namespace !== '' ? { namespace, name: account } : undefined
}

/** A service account has the same key on every node. */
const withoutNode = (caller: Caller): Caller => ({
  ...caller,
  extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(caller.extra ?? {}).sort() },
})
