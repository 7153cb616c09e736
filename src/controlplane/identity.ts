import { legacyToken } from '../apiserver/tokens/service-account-tokens.ts'
import {
  defaultIssuer,
  keyIdOf,
  readKeys,
  readSigningKey,
  type TokenSettings,
  verificationKey,
} from '../apiserver/tokens/signing-keys.ts'
import type { TokenSecretContents } from '../controllers/service-account/decide-tokens.ts'

/** The identity of a cluster, as flags of kube-apiserver set it. Keys and certificates are in PEM. */
export interface IdentityOptions {
  readonly serviceAccountIssuers?: readonly string[]
  readonly apiAudiences?: readonly string[]
  readonly signingKey?: string
  /** Keys of tokens that are accepted. Default: the signing key. */
  readonly verificationKeys?: readonly string[]
  readonly jwksUri?: string
  readonly maxTokenExpirationSeconds?: number
  readonly extendsTokenExpiration?: boolean
  /** `--enable-bootstrap-token-auth`. */
  readonly acceptsBootstrapTokens?: boolean
}

/** `ownKey`: the signing key of the data directory, for a cluster that has been given none. */
export function tokenSettings(options: IdentityOptions, ownKey: string): TokenSettings {
  const issuers = options.serviceAccountIssuers?.length ? options.serviceAccountIssuers : [defaultIssuer]
  const signingKey = readSigningKey(options.signingKey ?? ownKey)
  const given = (options.verificationKeys ?? []).flatMap(readKeys).map(verificationKey)
  return {
    issuers,
    audiences: options.apiAudiences?.length ? options.apiAudiences : issuers.slice(0, 1),
    signingKey,
    verificationKeys: given.length === 0 ? [verificationKey(signingKey)] : given,
    ...(options.jwksUri === undefined ? {} : { jwksUri: options.jwksUri }),
    maxExpirationSeconds: options.maxTokenExpirationSeconds ?? 0,
    extendsExpiration: options.extendsTokenExpiration ?? true,
  }
}

/** What the controllers of service accounts write into secrets and ConfigMaps. */
export function tokenSecretContents({ signingKey }: TokenSettings, rootCa: string): TokenSecretContents {
  const keyId = keyIdOf(signingKey)
  return { rootCa, sign: (account, secret) => legacyToken(account, secret, signingKey, keyId) }
}
