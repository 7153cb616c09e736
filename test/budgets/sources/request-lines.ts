import type { RandomStream } from '../../../src/base/random.ts'
import { type Attack, type AttackSource, attackNamespace } from '../attack.ts'
import { attackString } from '../attack-strings.ts'

const parameters = [
  ...['labelSelector', 'fieldSelector', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'dryRun'],
  ...['fieldManager', 'fieldValidation', 'force', 'gracePeriodSeconds', 'propagationPolicy', 'pretty', 'timeout'],
  ...['timeoutSeconds', 'allowWatchBookmarks', 'sendInitialEvents', 'orphanDependents', 'container', 'tailLines'],
] as const
const headerNames = [
  ...['accept', 'content-type', 'user-agent', 'authorization', 'accept-encoding', 'if-none-match', 'cookie', 'range'],
  ...['impersonate-user', 'impersonate-group', 'x-remote-user', 'x-forwarded-for', 'kubectl-command', 'audit-id'],
] as const
const pods = `/api/v1/namespaces/${attackNamespace}/pods`
const paths = [
  pods,
  '/api/v1/nodes',
  '/apis/apps/v1/deployments',
  '/openapi/v3',
  '/version',
  '/api',
  '/metrics',
] as const

/** Texts that are well-formed far into a selector, as long as a request line may be. */
function selector(random: RandomStream): string {
  const count = random.pick([10, 200, 800])
  const one = random.pick(['a=b', 'a!=b', '!a', 'a in (b)', 'a notin (b,c)', 'a>1', 'metadata.name=a', 'a==b', ','])
  if (random.int(3) === 0) return `a in (${Array.from({ length: count * 3 }, (_, i) => `v${i}`).join(',')})`
  return Array.from({ length: count }, () => one).join(random.pick([',', ',', ' , ']))
}

/** Long texts in paths, query parameters and headers. Node ends a request whose head is longer than 16 KiB. */
export const requestLines: AttackSource = {
  name: 'request-lines',
  quickCount: 15,
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) {
      const { text, name } = attackString(random, random.pick([500, 4_000, 12_000]))
      const method = random.pick(['GET', 'GET', 'GET', 'DELETE', 'PUT', 'PATCH', 'POST'])
      const path = random.pick(paths)
      const sort = random.int(4)
      if (sort === 0) {
        const parameter = random.pick(parameters)
        yield { name: `${parameter}: ${name}`, method, path: `${path}?${parameter}=${encode(text).slice(0, 14_000)}` }
      } else if (sort === 1) {
        const parameter = random.pick(['labelSelector', 'fieldSelector'])
        const chosen = encode(selector(random)).slice(0, 14_000)
        yield { name: `${parameter}: ${chosen.slice(0, 60)}`, method, path: `${path}?${parameter}=${chosen}` }
      } else if (sort === 2) {
        const header = random.pick(headerNames)
        const value = text.replaceAll(/[^\t\x20-\x7e]/g, 'x').trim()
        yield { name: `${header}: ${name}`, method, path, headers: { [header]: value } }
      } else {
        const tail = random.int(2) === 0 ? encode(text) : text.replaceAll(/[^\x21-\x7e]|[?#]/g, '/')
        yield { name: `path: ${name}`, method, path: `${path}/${tail.slice(0, 14_000)}` }
      }
    }
  },
}

// encodeURIComponent refuses half of a surrogate pair; as bytes it becomes U+FFFD.
const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString())
