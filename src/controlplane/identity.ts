import type { RequestHeaderSettings } from '../apiserver/access/request-header.ts'
import { signCertificate } from '../apiserver/certificate-signing.ts'
import type { AccessDecision, Attributes } from '../apiserver/rbac.ts'
import type { JwtIssuer } from '../apiserver/tokens/jwt-issuer.ts'
import { legacyToken } from '../apiserver/tokens/service-account-tokens.ts'
import {
  defaultIssuer,
  keyIdOf,
  readKeys,
  readSigningKey,
  type TokenSettings,
  verificationKey,
} from '../apiserver/tokens/signing-keys.ts'
import { parseCertificateRequest } from '../base/certificate-request.ts'
import type { CertificateSigner } from '../controllers/certificates/controller.ts'
import type { TokenSecretContents } from '../controllers/service-account/decide-tokens.ts'

/** The identity of a cluster, as set by flags of kube-apiserver. Keys and certificates are in PEM. */
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
  /** Issuers of tokens: AuthenticationConfiguration, or `--oidc-*`. */
  readonly jwtIssuers?: readonly JwtIssuer[]
  /** `--requestheader-*`. */
  readonly requestHeader?: RequestHeaderSettings
}

/** `ownKey`: the signing key of the data directory, used if the options contain no key. */
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

/** The data that the controllers of service accounts write into secrets and ConfigMaps. */
export function tokenSecretContents({ signingKey }: TokenSettings, rootCa: string): TokenSecretContents {
  const keyId = keyIdOf(signingKey)
  return { rootCa, sign: (account, secret) => legacyToken(account, secret, signingKey, keyId) }
}

/** Signs certificates with the authority of the cluster. `newSerial`: returns 16 unique bytes. */
export function certificateSigner(
  authority: { readonly caCertificate: string; readonly caKey: string },
  newSerial: () => Buffer,
  authorize: (attributes: Attributes) => AccessDecision,
): CertificateSigner {
  const read = (request: string) => parseCertificateRequest(Buffer.from(request, 'base64').toString('utf8'))
  return {
    subjectOf: ({ spec }) => {
      try {
        return read(spec.request)
      } catch {
        return undefined
      }
    },
    sign: ({ spec }, validity) =>
      signCertificate(
        read(spec.request),
        { usages: spec.usages ?? [], ...validity, serial: newSerial() },
        { certificate: authority.caCertificate, key: authority.caKey },
      ),
    mayCreate: ({ spec }, subresource) =>
      authorize({
        caller: { name: spec.username ?? '', groups: spec.groups ?? [] },
        ...{ verb: 'create', group: 'certificates.k8s.io', plural: 'certificatesigningrequests', subresource },
      }).allowed,
  }
}
