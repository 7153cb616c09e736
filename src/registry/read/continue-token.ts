import { jsonProblem } from '../decode/json-problem.ts'

interface Continuation {
  readonly revision: number
  /** The first key of the next page. */
  readonly startKey: string
}

/** The token has upstream's format, which is opaque to clients: base64 of a small JSON object. */
export function continueToken({ revision, startKey }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: startKey })).toString('base64url')
}

export function readContinueToken(token: string): Continuation | { readonly wrong: string } {
  const stranger = token.search(/[^A-Za-z0-9_-]/)
  if (stranger >= 0) return { wrong: `illegal base64 data at input byte ${stranger}` }
  if (token.length % 4 === 1) return { wrong: `illegal base64 data at input byte ${token.length - 1}` }
  const text = Buffer.from(token, 'base64url').toString('latin1')
  const problem = jsonProblem(text)
  if (problem !== undefined) return { wrong: problem }
  const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  if (typeof value !== 'object' || value === null) return { wrong: 'unexpected token' }
  const { v, rv, start } = value as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1') return { wrong: `server does not recognize this encoded version ${String(v ?? '')}` }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    return { wrong: 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)' }
  }
  if (typeof start !== 'string' || start === '') {
    return { wrong: 'encoded start key empty (version meta.k8s.io/v1)' }
  }
  return { revision: rv, startKey: start }
}
