import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../api/objects/service-account.ts'
import { parseTime } from '../../api/time.ts'
import type { Store } from '../../store/contract.ts'
import type { TokenAuthenticator } from '../authentication.ts'

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/**
 * Authenticates bootstrap tokens, which join nodes to a cluster (v1.36, plugin/pkg/auth/authenticator/token/bootstrap).
 * Like upstream, it gives no reason for refusing a token that does not match.
 */
export function createBootstrapTokens(
  store: Store,
  audiences: readonly string[],
  now: () => number,
): TokenAuthenticator {
  return (token) => {
    const [, id = '', key = ''] = form.exec(token) ?? []
    if (id === '') return undefined
    const secret = store.get('secrets', `kube-system/bootstrap-token-${id}`) as Secret | undefined
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined
    if (secret.type !== 'bootstrap.kubernetes.io/token') return undefined
    const read = (name: string) => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8')
    const stored = Buffer.from(read('token-secret'))
    if (stored.length !== key.length || !timingSafeEqual(stored, Buffer.from(key)) || read('token-id') !== id)
      return undefined
    const expiration = read('expiration')
    if (expiration !== '' && !((parseTime(expiration) ?? 0) > now())) return undefined
    if (read('usage-bootstrap-authentication') !== 'true') return undefined
    const extra = read('auth-extra-groups')
      .split(',')
      .filter((group) => group !== '')
    if (!extra.every((group) => groupForm.test(group))) return undefined
    const groups = [...new Set(['system:bootstrappers', ...extra])].sort()
    return { kind: 'caller', caller: { name: `system:bootstrap:${id}`, groups }, audiences }
  }
}
