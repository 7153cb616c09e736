import { type KeyObject, sign, verify } from 'node:crypto'
import { lookupTable } from '../../base/lookup-table.ts'

export type Claims = Readonly<Record<string, unknown>>

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Claims
  /** The signed bytes: header and claims as they were sent. */
  readonly signed: Buffer
  readonly signature: Buffer
}

interface Algorithm {
  readonly hash: string
  readonly keyType: 'rsa' | 'ec'
  readonly curve?: string
}

/**
 * The signature algorithms of tokens: the algorithms with which kube-apiserver signs, and the algorithms that it
 * accepts from OIDC issuers.
 */
const algorithms = lookupTable<Algorithm>({
  RS256: { hash: 'sha256', keyType: 'rsa' },
  RS384: { hash: 'sha384', keyType: 'rsa' },
  RS512: { hash: 'sha512', keyType: 'rsa' },
  ES256: { hash: 'sha256', keyType: 'ec', curve: 'prime256v1' },
  ES384: { hash: 'sha384', keyType: 'ec', curve: 'secp384r1' },
  ES512: { hash: 'sha512', keyType: 'ec', curve: 'secp521r1' },
})

const maxTokenBytes = 64 * 1024

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')

/** The algorithm with which a key signs: RS256, or the algorithm of its curve. Undefined for keys of other types. */
export function algorithmOf(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  const curve = key.asymmetricKeyDetails?.namedCurve
  return Object.keys(algorithms).find((name) => algorithms[name]?.keyType === 'ec' && algorithms[name]?.curve === curve)
}

/** A signed token in compact form. Members are in alphabetical order, as go-jose writes them. */
export function signToken(claims: Claims, key: KeyObject, keyId: string): string {
  const alg = algorithmOf(key)
  const algorithm = alg === undefined ? undefined : algorithms[alg]
  if (algorithm === undefined) throw new Error('unknown private key type, must be RSA or ECDSA')
  const text = `${encode({ alg, kid: keyId })}.${encode(sorted(claims))}`
  const signature = sign(algorithm.hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}

/** A token in compact form, unverified; undefined if it has another form. */
export function decodeToken(text: string): DecodedToken | undefined {
  if (text.length > maxTokenBytes) return undefined
  const parts = text.split('.')
  const [head = '', payload = '', signature = ''] = parts
  if (parts.length !== 3) return undefined
  const header = jsonObject(head)
  const claims = jsonObject(payload)
  if (header === undefined || claims === undefined || !isBase64Url(signature)) return undefined
  const signed = Buffer.from(`${head}.${payload}`)
  return { header, claims, signed, signature: Buffer.from(signature, 'base64url') }
}

const isBase64Url = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text)

function jsonObject(part: string): Readonly<Record<string, unknown>> | undefined {
  if (!isBase64Url(part)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.assign(Object.create(null), value) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

/** Whether the key made the signature. The header must name an algorithm that fits the key. */
export function verifyToken({ header, signed, signature }: DecodedToken, key: KeyObject): boolean {
  const alg = header['alg']
  const algorithm = typeof alg === 'string' ? algorithms[alg] : undefined
  if (algorithm === undefined || key.asymmetricKeyType !== algorithm.keyType) return false
  if (algorithm.curve !== undefined && key.asymmetricKeyDetails?.namedCurve !== algorithm.curve) return false
  try {
    return verify(algorithm.hash, signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  } catch {
    return false
  }
}
