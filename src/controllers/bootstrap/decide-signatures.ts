import { createHmac } from 'node:crypto'
import type { ConfigMap } from '../../api/objects/cluster.ts'
import type { Secret } from '../../api/objects/service-account.ts'
import { parseTime } from '../../api/time.ts'

// v1.36, pkg/controller/bootstrap.

export const bootstrapTokenType = 'bootstrap.kubernetes.io/token'
const signaturePrefix = 'jws-kubeconfig-'

const read = (secret: Secret, name: string): string => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8')

/** The time at which a token expires. An expiration that cannot be parsed counts as passed. */
export function tokenExpiry(secret: Secret): number | undefined {
  const text = read(secret, 'expiration')
  if (text === '') return undefined
  return parseTime(text) ?? Number.NEGATIVE_INFINITY
}

/** The id and the secret of a token; undefined if the token does not sign. */
function signingToken(secret: Secret, wall: number): readonly [string, string] | undefined {
  const id = read(secret, 'token-id')
  const key = read(secret, 'token-secret')
  if (!/^[a-z0-9]{6}$/.test(id) || secret.metadata.name !== `bootstrap-token-${id}` || key === '') return undefined
  if ((tokenExpiry(secret) ?? Number.POSITIVE_INFINITY) <= wall) return undefined
  return read(secret, 'usage-bootstrap-signing') === 'true' ? [id, key] : undefined
}

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url')

/** A JWS without its content (cluster-bootstrap, token/jws, ComputeDetachedSignature). */
export function detachedSignature(content: string, id: string, key: string): string {
  const head = encoded(JSON.stringify({ alg: 'HS256', kid: id }))
  const signature = createHmac('sha256', key)
    .update(`${head}.${encoded(content)}`)
    .digest('base64url')
  return `${head}..${signature}`
}

/** The map `cluster-info` with a signature of each token; undefined if the map is up to date. */
export function decideSignatures(map: ConfigMap, secrets: readonly Secret[], wall: number): ConfigMap | undefined {
  const content = map.data?.['kubeconfig']
  if (content === undefined) return undefined
  const others = Object.entries(map.data ?? {}).filter(([name]) => !name.startsWith(signaturePrefix))
  const signatures = secrets
    .flatMap((secret) => {
      const token = secret.type === bootstrapTokenType ? signingToken(secret, wall) : undefined
      return token === undefined ? [] : [token]
    })
    .map(([id, key]) => [`${signaturePrefix}${id}`, detachedSignature(content, id, key)] as const)
  const data = Object.fromEntries([...others, ...signatures])
  const before = map.data ?? {}
  const isSame =
    Object.keys(data).length === Object.keys(before).length &&
    Object.entries(data).every(([name, value]) => before[name] === value)
  return isSame ? undefined : { ...map, data }
}
