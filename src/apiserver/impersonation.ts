import type { Failure } from '../api/call.ts'
import { failure } from '../api/status.ts'
import type { Caller } from '../registry/contract.ts'
import type { RequestHead } from './exchange.ts'
import type { Attributes } from './rbac.ts'

export interface Impersonation {
  readonly as: Caller
  /** What the caller must have the right to, each one of them. */
  readonly rights: readonly Attributes[]
}

const extraPrefix = 'impersonate-extra-'

/** `kubectl --as`: whoever may, acts as somebody else (apiserver, endpoints/filters, WithImpersonation). */
export function impersonationOf({ headers }: RequestHead, caller: Caller): Impersonation | Failure | undefined {
  const name = headers['impersonate-user'] ?? ''
  const asked = listed(headers['impersonate-group'])
  const uid = headers['impersonate-uid'] ?? ''
  const given: [string, readonly string[]][] = []
  for (const header in headers) {
    if (!header.startsWith(extraPrefix)) continue
    given.push([unescaped(header.slice(extraPrefix.length)).toLowerCase(), listed(headers[header])])
  }
  const extra = Object.fromEntries(given)
  const isMore = asked.length > 0 || uid !== '' || Object.keys(extra).length > 0
  if (name === '')
    return isMore ? failure('BadRequest', 'requested groups, a uid or more without impersonating a user') : undefined
  const right = (plural: string, of: string, more: Partial<Attributes> = {}): Attributes => ({
    ...{ caller, verb: 'impersonate', group: '', plural, name: of },
    ...more,
  })
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  const isAccount = namespace !== undefined && account !== undefined
  const own = isAccount ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : []
  const group = 'authentication.k8s.io'
  return {
    as: {
      name,
      groups: withEveryone(name, asked.length > 0 ? asked : own),
      ...(uid === '' ? {} : { uid }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    rights: [
      isAccount ? right('serviceaccounts', account, { namespace }) : right('users', name),
      ...asked.map((each) => right('groups', each)),
      ...Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => right('userextras', value, { group, subresource: key })),
      ),
      ...(uid === '' ? [] : [right('uids', uid, { group })]),
    ],
  }
}

/** Repeated headers arrive as one. */
const listed = (header: string | undefined) =>
  (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function withEveryone(name: string, groups: readonly string[]): readonly string[] {
  if (name === 'system:anonymous') {
    return groups.includes('system:unauthenticated') ? groups : [...groups, 'system:unauthenticated']
  }
  const isSaid = groups.includes('system:authenticated') || groups.includes('system:unauthenticated')
  return isSaid ? groups : [...groups, 'system:authenticated']
}
