/** Why a request to the cloud failed. */
export type CloudTrouble =
  /** The instance does not exist. */
  | 'not-found'
  /** Forbidden, or the credentials are wrong. */
  | 'denied'
  /** Rate limit or quota exceeded. */
  | 'exhausted'
  /** The request is invalid. */
  | 'invalid'
  /** The cloud cannot be reached or is failing. */
  | 'unavailable'

export type CloudAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: CloudTrouble; readonly message: string }

/** What node IPAM needs from a cloud: the alias ranges of instances. Failures are returned, not thrown. */
export interface AliasCloud {
  /** The CIDRs of all its alias ranges, in the order of its interfaces. */
  aliasRanges(providerId: string): Promise<CloudAnswer<readonly string[]>>
  /** Adds this alias range to its first interface. Idempotent. */
  addAlias(providerId: string, cidr: string): Promise<CloudAnswer<undefined>>
  close(): void
}

export function troubled(
  trouble: CloudTrouble,
  message: string,
): { readonly ok: false; readonly trouble: CloudTrouble; readonly message: string } {
  return { ok: false, trouble, message }
}
