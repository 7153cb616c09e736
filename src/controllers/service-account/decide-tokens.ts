import type { Secret, ServiceAccount } from '../../api/objects/service-account.ts'

export const tokenSecretType = 'kubernetes.io/service-account-token'
export const accountNameAnnotation = 'kubernetes.io/service-account.name'
export const accountUidAnnotation = 'kubernetes.io/service-account.uid'

export interface TokenSecretContents {
  /** The certificate in PEM. Empty: secrets get no certificate. */
  readonly rootCa: string
  /** Signs a token without expiry for the service account. The secret stores it. */
  readonly sign: (account: ServiceAccount, secret: Secret) => string
}

/** The service account of a token secret; undefined if it does not exist or has another uid. */
export function accountOf(
  secret: Secret,
  named: (name: string) => ServiceAccount | undefined,
): ServiceAccount | undefined {
  const { annotations = {} } = secret.metadata
  const account = named(annotations[accountNameAnnotation] ?? '')
  const uid = annotations[accountUidAnnotation] ?? ''
  return account === undefined || (uid !== '' && uid !== account.metadata.uid) ? undefined : account
}

const encoded = (text: string) => Buffer.from(text, 'utf8').toString('base64')

/**
 * The secret with its token, the namespace and the certificate of the cluster (v1.36, pkg/controller/serviceaccount,
 * generateTokenIfNeeded). Undefined: the secret is complete.
 */
export function decideTokenSecret(
  account: ServiceAccount,
  secret: Secret,
  { rootCa, sign }: TokenSecretContents,
): Secret | undefined {
  const { data = {}, metadata } = secret
  const wantedCa = rootCa === '' ? data['ca.crt'] : encoded(rootCa)
  const needsCa = wantedCa !== data['ca.crt']
  const needsNamespace = (data['namespace'] ?? '') === ''
  const needsToken = (data['token'] ?? '') === ''
  if (!needsCa && !needsNamespace && !needsToken) return undefined
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        [accountNameAnnotation]: account.metadata.name,
        [accountUidAnnotation]: account.metadata.uid ?? '',
      },
    },
    data: {
      ...data,
      ...(needsCa && wantedCa !== undefined ? { 'ca.crt': wantedCa } : {}),
      ...(needsNamespace ? { namespace: encoded(metadata.namespace ?? '') } : {}),
      ...(needsToken ? { token: encoded(sign(account, secret)) } : {}),
    },
  }
}

/** The service account without its reference to a deleted secret. Undefined: it has no such reference. */
export function decideReferenceRemoval(account: ServiceAccount, secretName: string): ServiceAccount | undefined {
  const { secrets = [] } = account
  const kept = secrets.filter(({ name }) => name !== secretName)
  if (kept.length === secrets.length) return undefined
  const { secrets: _, ...rest } = account
  return kept.length === 0 ? rest : { ...rest, secrets: kept }
}
