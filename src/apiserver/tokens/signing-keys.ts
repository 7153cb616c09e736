import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { algorithmOf } from './json-web-token.ts'

/** A public key that verifies tokens. */
export interface VerificationKey {
  readonly id: string
  readonly key: KeyObject
}

/** The values of kube-apiserver's flags `--service-account-*` and `--api-audiences`. */
export interface TokenSettings {
  /** The first one issues tokens. Tokens of all issuers are accepted. */
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly signingKey: KeyObject
  readonly verificationKeys: readonly VerificationKey[]
  /** Default: `https://` and the address of the server. */
  readonly jwksUri?: string
  /** 0: no limit. */
  readonly maxExpirationSeconds: number
  /** Pod-bound tokens of 3607 seconds are valid for a year, and count as stale after 3607 seconds. */
  readonly extendsExpiration: boolean
}

export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'

/** The hash of the public key (v1.36, pkg/serviceaccount, keyIDFromPublicKey). */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url')
}

export function verificationKey(key: KeyObject): VerificationKey {
  return { id: keyIdOf(key), key: key.type === 'private' ? createPublicKey(key) : key }
}

const pemBlock = /-----BEGIN [A-Z0-9 ]{1,40}-----[A-Za-z0-9+/=\s]{0,65536}-----END [A-Z0-9 ]{1,40}-----/g

/** The keys of a PEM file with public or private keys, or certificates. Throws if there is none. */
export function readKeys(pem: string): readonly KeyObject[] {
  const keys: KeyObject[] = []
  for (const [block] of pem.matchAll(pemBlock)) {
    if (block.includes('EC PARAMETERS')) continue
    const key = block.includes('PRIVATE KEY') ? createPublicKey(createPrivateKey(block)) : createPublicKey(block)
    if (algorithmOf(key) !== undefined) keys.push(key)
  }
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys')
  return keys
}

/** The private key of a PEM file. */
export function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem)
  if (algorithmOf(key) === undefined) throw new Error('data does not contain a valid RSA or ECDSA private key')
  return key
}

/** A new key in PEM. It is an ECDSA key, because generating an RSA key takes longer than the rest of the start. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
