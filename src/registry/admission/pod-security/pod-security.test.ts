import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { releaseOf } from '../../../api/releases/release-of.ts'
import { createRandom } from '../../../base/random.ts'
import { must } from '../../../base/result.ts'
import { createStore } from '../../../store/memory-store.ts'
import { createRegistry } from '../../registry.ts'
import { defaultPodSecurity } from './settings.ts'

/** The response to a pod in a namespace with these labels. */
function answerTo(version: string, labels: Readonly<Record<string, string>>, spec: object): string {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom(1),
    options: { release: must(releaseOf(version)), podSecurity: defaultPodSecurity },
  })
  const marked = Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value]),
  )
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'shop', labels: marked } } })
  const object = { metadata: { name: 'web' }, spec } as unknown as KubeObject
  const outcome = registry.call({ verb: 'create', resource: 'pods', namespace: 'shop', object })
  return outcome.ok ? 'accepted' : (outcome.status.message ?? '')
}

const withContext = (securityContext: object, more: object = {}): object => ({
  containers: [{ name: 'a', image: 'i', securityContext }],
  ...more,
})
const withSysctl = (name: string): object => withContext({}, { securityContext: { sysctls: [{ name, value: '1' }] } })

describe('PodSecurity', () => {
  it('PodSecurity allows a privileged pod in a namespace without labels', () => {
    expect(answerTo('1.37', {}, withContext({ privileged: true }))).toBe('accepted')
  })

  it('PodSecurity rejects a privileged pod where baseline is enforced, and names the container', () => {
    expect(answerTo('1.37', { enforce: 'baseline' }, withContext({ privileged: true }))).toBe(
      'pods "web" is forbidden: violates PodSecurity "baseline:latest": privileged (container "a" must not set securityContext.privileged=true)',
    )
  })

  it.each([
    ['1.34', 'latest', 'procMount (container "a" must not set securityContext.procMount to "Unmasked")'],
    ['1.34', 'v1.35', 'procMount (container "a" must not set securityContext.procMount to "Unmasked")'],
    ['1.35', 'v1.34', 'procMount (container "a" must not set securityContext.procMount to "Unmasked")'],
    ['1.35', 'latest', 'accepted'],
  ])('a server of v%s judges an unmasked proc mount in a user namespace by %s as %s', (version, standard, answer) => {
    const spec = withContext({ procMount: 'Unmasked' }, { hostUsers: false })
    expect(answerTo(version, { enforce: 'baseline', 'enforce-version': standard }, spec)).toContain(answer)
  })

  it.each([
    ['1.36', 'latest', 'forbidden sysctls (net.ipv4.tcp_notsent_lowat)'],
    ['1.37', 'v1.36', 'forbidden sysctls (net.ipv4.tcp_notsent_lowat)'],
    ['1.37', 'latest', 'accepted'],
  ])('a server of v%s judges a sysctl that is safe since v1.37 by %s as %s', (version, standard, answer) => {
    const labels = { enforce: 'baseline', 'enforce-version': standard }
    expect(answerTo(version, labels, withSysctl('net.ipv4.tcp_notsent_lowat'))).toContain(answer)
  })
})
