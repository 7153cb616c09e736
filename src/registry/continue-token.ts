interface Continuation {
  readonly revision: number
  /** The first key that was not shown yet. */
  readonly startKey: string
}

/** Opaque to clients, but spelled as upstream spells it: base64 of a small JSON object. */
export function continueToken({ revision, startKey }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: startKey })).toString('base64url')
}

export function readContinueToken(token: string): Continuation | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { v, rv, start } = value as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1' || typeof rv !== 'number' || !Number.isSafeInteger(rv)) return undefined
  return typeof start === 'string' ? { revision: rv, startKey: start } : undefined
}
