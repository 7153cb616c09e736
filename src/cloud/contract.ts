/** Why a cloud did not do what it was asked. */
export type CloudTrouble =
  /** There is no such instance. */
  | 'not-found'
  /** It may not be done, or not with these credentials. */
  | 'denied'
  /** Too much was asked of it lately, or altogether. */
  | 'exhausted'
  /** It makes no sense. */
  | 'invalid'
  /** It, or the way to it, is out of order. */
  | 'unavailable'

export type CloudAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: CloudTrouble; readonly message: string }

/** What node IPAM needs of a cloud: the alias ranges of an instance. Answers are values; nothing is thrown. */
export interface AliasCloud {
  /** The CIDRs of all its alias ranges, in the order of its interfaces. */
  aliasRanges(providerId: string): Promise<CloudAnswer<readonly string[]>>
  /** Makes this the alias range of its first interface. Done again, it changes nothing. */
  addAlias(providerId: string, cidr: string): Promise<CloudAnswer<undefined>>
  close(): void
}

export function troubled(
  trouble: CloudTrouble,
  message: string,
): { readonly ok: false; readonly trouble: CloudTrouble; readonly message: string } {
  return { ok: false, trouble, message }
}
