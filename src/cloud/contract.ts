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

/** The part of a cloud that node IPAM needs: the alias ranges of instances. Failures are returned, not thrown. */
export interface AliasCloud {
  /** The CIDRs of all alias ranges of an instance, in the order of its interfaces. */
  aliasRanges(providerId: string): Promise<CloudAnswer<readonly string[]>>
  /** Adds this alias range to the first interface of an instance. Idempotent. */
  addAlias(providerId: string, cidr: string): Promise<CloudAnswer<undefined>>
  close(): void
}

export function troubled(
  trouble: CloudTrouble,
  message: string,
): { readonly ok: false; readonly trouble: CloudTrouble; readonly message: string } {
  return { ok: false, trouble, message }
}
