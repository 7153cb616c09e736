import { resolve } from 'node:path'
import { parseGoDurationMs } from '../api/go-duration.ts'
import type { ApiProcessOptions } from '../controlplane/api-process.ts'
import { choice, type Files, flag, parsed, repeated, text, wrongQuestion } from './command.ts'
import { parseDocuments } from './yaml.ts'

const seconds = (given: string): number => {
  const read = parseGoDurationMs(given)
  if (!read.ok) throw new Error('must be a duration, for example 24h')
  return read.value / 1000
}

/** The authentication options of the API server. Their names are those of kube-apiserver's flags. */
export const identityOptions = {
  serviceAccountIssuer: repeated({
    summary:
      'Issuer of service account tokens; the first one issues tokens, and tokens of every issuer are accepted (default: https://kubernetes.default.svc.cluster.local)',
    value: 'URL',
  }),
  serviceAccountSigningKeyFile: text({
    summary: 'File with the private key that signs service account tokens (default: sa.key in the data directory)',
    value: 'FILE',
  }),
  serviceAccountKeyFile: repeated({
    summary: 'File with keys that verify service account tokens (default: the signing key)',
    value: 'FILE',
  }),
  serviceAccountJwksUri: text({ summary: 'URI of the JSON Web Key Set in the discovery document', value: 'URL' }),
  serviceAccountMaxTokenExpiration: parsed({
    summary: 'Longest lifetime of a requested token (default: no limit)',
    value: 'DURATION',
    parse: seconds,
  }),
  serviceAccountExtendTokenExpiration: choice({
    summary: 'Extend the lifetime of tokens that are mounted into pods to a year',
    choices: ['true', 'false'],
    default: 'true',
  }),
  enableBootstrapTokenAuth: flag({ summary: 'Accept bootstrap tokens from Secrets in kube-system' }),
  advertiseAddress: text({
    summary: 'Address in the Endpoints of the service "kubernetes" (default: an address of the machine)',
    value: 'ADDRESS',
  }),
  apiAudiences: text({
    summary: 'Audiences of the API server, separated by commas (default: the issuer)',
    value: 'LIST',
  }),
  authenticationConfig: text({
    summary: 'File with an AuthenticationConfiguration: issuers of tokens, their claims and rules',
    value: 'FILE',
  }),
  oidcIssuerUrl: text({ summary: 'Issuer of OpenID Connect tokens', value: 'URL' }),
  oidcClientId: text({ summary: 'Audience of tokens of this issuer', value: 'ID', default: '' }),
  oidcCaFile: text({
    summary: 'File with the certificate authority of the issuer (default: the certificate authorities of the system)',
    value: 'FILE',
  }),
  oidcUsernameClaim: text({ summary: 'Claim with the user name', value: 'CLAIM', default: 'sub' }),
  oidcUsernamePrefix: text({
    summary: 'Prefix of user names (default: the issuer, unless the claim is email; - for none)',
    value: 'TEXT',
  }),
  oidcGroupsClaim: text({ summary: 'Claim with the groups of the user', value: 'CLAIM' }),
  oidcGroupsPrefix: text({ summary: 'Prefix of group names', value: 'TEXT' }),
  oidcRequiredClaim: repeated({ summary: 'Claim that a token must have, as KEY=VALUE', value: 'CLAIM' }),
  oidcSigningAlgs: text({ summary: 'Signature algorithms, separated by commas', value: 'LIST', default: 'RS256' }),
  requestheaderClientCaFile: text({
    summary: 'File with the certificate authority of authenticating proxies',
    value: 'FILE',
  }),
  requestheaderAllowedNames: text({
    summary: 'Common names of the authenticating proxies, separated by commas',
    value: 'LIST',
  }),
  requestheaderUsernameHeaders: text({
    summary: 'Headers with the user name, separated by commas',
    value: 'LIST',
    default: 'x-remote-user',
  }),
  requestheaderUidHeaders: text({
    summary: 'Headers with the uid of the user',
    value: 'LIST',
    default: 'x-remote-uid',
  }),
  requestheaderGroupHeaders: text({
    summary: 'Headers with the groups of the user',
    value: 'LIST',
    default: 'x-remote-group',
  }),
  requestheaderExtraHeadersPrefix: text({
    summary: 'Prefixes of headers with extra attributes of the user',
    value: 'LIST',
    default: 'x-remote-extra-',
  }),
} as const

export interface IdentityValues {
  readonly authenticationConfig: string | undefined
  readonly oidcIssuerUrl: string | undefined
  readonly oidcClientId: string
  readonly oidcCaFile: string | undefined
  readonly oidcUsernameClaim: string
  readonly oidcUsernamePrefix: string | undefined
  readonly oidcGroupsClaim: string | undefined
  readonly oidcGroupsPrefix: string | undefined
  readonly oidcRequiredClaim: readonly string[]
  readonly oidcSigningAlgs: string
  readonly requestheaderClientCaFile: string | undefined
  readonly requestheaderAllowedNames: string | undefined
  readonly requestheaderUsernameHeaders: string
  readonly requestheaderUidHeaders: string
  readonly requestheaderGroupHeaders: string
  readonly requestheaderExtraHeadersPrefix: string
  readonly serviceAccountIssuer: readonly string[]
  readonly serviceAccountSigningKeyFile: string | undefined
  readonly serviceAccountKeyFile: readonly string[]
  readonly serviceAccountJwksUri: string | undefined
  readonly serviceAccountMaxTokenExpiration: number | undefined
  readonly serviceAccountExtendTokenExpiration: 'true' | 'false'
  readonly apiAudiences: string | undefined
  readonly enableBootstrapTokenAuth: boolean
  readonly advertiseAddress: string | undefined
}

const listed = (text: string): readonly string[] => text.split(',').filter((one) => one !== '')

const requestHeaderOf = (values: IdentityValues, clientCa: string) => ({
  clientCa,
  allowedNames: listed(values.requestheaderAllowedNames ?? ''),
  usernameHeaders: listed(values.requestheaderUsernameHeaders),
  uidHeaders: listed(values.requestheaderUidHeaders),
  groupHeaders: listed(values.requestheaderGroupHeaders),
  extraHeadersPrefix: listed(values.requestheaderExtraHeadersPrefix),
})

async function issuersOf(values: IdentityValues, read: (file: string) => Promise<string>) {
  const { authenticationConfig: file, oidcIssuerUrl: issuerUrl } = values
  if (file !== undefined && issuerUrl !== undefined) {
    throw wrongQuestion('authentication-config file and oidc-* flags are mutually exclusive')
  }
  if (file === undefined && issuerUrl === undefined) return []
  // Loads the expression evaluator only if it is needed.
  const { oidcIssuer, readAuthenticationConfig } = await import('../apiserver/tokens/authentication-config.ts')
  if (file !== undefined) {
    const issuers = readAuthenticationConfig(parseDocuments(await read(file), file)[0]?.value)
    if (!issuers.ok) throw wrongQuestion(`${file}: ${issuers.message}`)
    return issuers.value
  }
  const { oidcCaFile, oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix } = values
  const issuer = oidcIssuer({
    ...{ issuerUrl: issuerUrl ?? '', clientId: values.oidcClientId, usernameClaim: values.oidcUsernameClaim },
    ...(oidcCaFile === undefined ? {} : { certificateAuthority: await read(oidcCaFile) }),
    ...(oidcUsernamePrefix === undefined ? {} : { usernamePrefix: oidcUsernamePrefix }),
    ...(oidcGroupsClaim === undefined ? {} : { groupsClaim: oidcGroupsClaim }),
    ...(oidcGroupsPrefix === undefined ? {} : { groupsPrefix: oidcGroupsPrefix }),
    requiredClaims: values.oidcRequiredClaim,
    signingAlgorithms: listed(values.oidcSigningAlgs),
  })
  if (!issuer.ok) throw wrongQuestion(issuer.message)
  return [issuer.value]
}

export async function identityOf(
  values: IdentityValues,
  files: Files,
  cwd: string,
): Promise<Pick<ApiProcessOptions, 'identity' | 'advertiseAddress'>> {
  const read = async (file: string): Promise<string> => {
    const path = resolve(cwd, file)
    if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
    return files.readText(path)
  }
  const { serviceAccountSigningKeyFile: signing, serviceAccountKeyFile: keys } = values
  const audiences = listed(values.apiAudiences ?? '')
  return {
    ...(values.advertiseAddress === undefined ? {} : { advertiseAddress: values.advertiseAddress }),
    identity: {
      serviceAccountIssuers: values.serviceAccountIssuer,
      apiAudiences: audiences,
      ...(signing === undefined ? {} : { signingKey: await read(signing) }),
      verificationKeys: await Promise.all(keys.map(read)),
      ...(values.serviceAccountJwksUri === undefined ? {} : { jwksUri: values.serviceAccountJwksUri }),
      ...(values.serviceAccountMaxTokenExpiration === undefined
        ? {}
        : { maxTokenExpirationSeconds: values.serviceAccountMaxTokenExpiration }),
      ...(values.requestheaderClientCaFile === undefined
        ? {}
        : { requestHeader: requestHeaderOf(values, await read(values.requestheaderClientCaFile)) }),
      jwtIssuers: await issuersOf(values, read),
      acceptsBootstrapTokens: values.enableBootstrapTokenAuth,
      extendsTokenExpiration: values.serviceAccountExtendTokenExpiration === 'true',
    },
  }
}
