import type { Failure } from '../api/call.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { failure, plainError } from '../api/status.ts'
import { quoteValue } from '../registry/errors/field-error.ts'
import type { RequestHead } from './exchange.ts'

/** The user that a request impersonates, from its headers. */
export interface WantedUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

const extraPrefix = 'impersonate-extra-'

/** `kubectl --as`, `--as-group`, `--as-uid` (apiserver, filters/impersonation, processImpersonationHeaders). */
export function wantedIdentity(
  request: RequestHead,
  { gates, changes }: Pick<KubernetesRelease, 'gates' | 'changes'>,
): WantedUser | Failure | undefined {
  const { headers } = request
  let isAsked = false
  for (const header in headers) if (header.startsWith('impersonate-')) isAsked = true
  if (!isAsked) return undefined
  const found = new Map<string, readonly string[]>()
  for (const header in headers) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    found.set(key, [...(found.get(key) ?? []), ...valuesOf(request, header)])
  }
  const extra = Object.fromEntries(found)
  const wanted: WantedUser = {
    name: valuesOf(request, 'impersonate-user')[0] ?? '',
    uid: valuesOf(request, 'impersonate-uid')[0] ?? '',
    groups: valuesOf(request, 'impersonate-group'),
    extra,
  }
  if (wanted.name !== '') return wanted
  if (wanted.uid === '' && wanted.groups.length === 0 && Object.keys(extra).length === 0) return undefined
  const text = gates.has('ConstrainedImpersonation')
    ? `requested ${goText(wanted)} without impersonating a user name`
    : `requested ${referencesText(wanted)} without impersonating a user`
  return changes.has('MalformedIsBadRequest') ? failure('BadRequest', text) : plainError(text)
}

export function valuesOf({ headers, headerLists }: RequestHead, name: string): readonly string[] {
  const list = headerLists?.[name]
  if (list !== undefined) return list
  const value = headers[name]
  return value === undefined ? [] : [value]
}

/** Decodes percent-encoding; returns invalid text as it is. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Formats a list of ObjectReferences as Go's %v does: kind, namespace, name, uid, apiVersion, resourceVersion,
 * fieldPath.
 */
function referencesText({ uid, groups, extra }: WantedUser): string {
  const version = 'authentication.k8s.io/v1'
  const extras = Object.entries(extra).flatMap(([key, values]) =>
    values.map((value) => `{UserExtra  ${value}  ${version}  ${key}}`),
  )
  const uids = uid === '' ? [] : [`{UID  ${uid}  ${version}  }`]
  return `[${[...groups.map((group) => `{Group  ${group}    }`), ...extras, ...uids].join(' ')}]`
}

/** Formats a user as Go's %#v does. */
function goText({ uid, groups, extra }: WantedUser): string {
  const list = (values: readonly string[]) =>
    values.length === 0 ? '[]string(nil)' : `[]string{${values.map(quoteValue).join(', ')}}`
  const entries = Object.keys(extra).sort()
  const map =
    entries.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${entries.map((key) => `${quoteValue(key)}:${list(extra[key] ?? [])}`).join(', ')}}`
  return `&user.DefaultInfo{Name:"", UID:${quoteValue(uid)}, Groups:${list(groups)}, Extra:${map}}`
}
