import { describe, expect, it } from 'vitest'
import type { ConfigMap } from '../../api/objects/cluster.ts'
import { start, WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createBootstrapSigner, createTokenCleaner } from './controller.ts'
import { detachedSignature } from './decide-signatures.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

const token = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(
    Object.entries({
      'token-id': id,
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-signing': 'true',
      ...more,
    }).map(([name, value]) => [name, base64(value)]),
  ),
})

function cluster() {
  const c = new WorkloadCluster({ kubelet: 'none', controllers: [createBootstrapSigner(), createTokenCleaner()] })
  const create = (resource: string, object: object) => {
    const { namespace } = (object as { metadata: { namespace: string } }).metadata
    const made = c.call({ verb: 'create', resource, namespace, object: object as never })
    expect(made.ok).toBe(true)
    c.driver.settle()
  }
  for (const name of ['kube-public', 'kube-system']) {
    c.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name } } as never })
  }
  const read = (resource: string, namespace: string, name: string) => {
    const found = c.call({ verb: 'get', resource, namespace, name })
    return found.ok && found.kind === 'object' ? found.object : undefined
  }
  const data = () => (read('configmaps', 'kube-public', 'cluster-info') as ConfigMap).data
  return { c, create, read, data }
}

const info = { metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig: 'content' } }

describe('the bootstrap signer', () => {
  it('the bootstrap signer signs as jose does: a detached HS256 signature with the id of the token', () => {
    // The vectors of upstream's test.
    const content = 'Hello from the other side. I must have called a thousand times.'
    expect(detachedSignature(content, 'joshua', 'my voice is my passcode')).toBe(
      'eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8',
    )
  })

  it('the bootstrap signer keeps one signature for each token that signs and has not expired', () => {
    const { c, create, data } = cluster()
    create('configmaps', info)
    expect(Object.keys(data() ?? {})).toEqual(['kubeconfig'])
    create('secrets', token('abcdef'))
    create('secrets', token('silent', { 'usage-bootstrap-signing': 'false' }))
    expect(data()).toEqual({
      kubeconfig: 'content',
      'jws-kubeconfig-abcdef': detachedSignature('content', 'abcdef', '0123456789abcdef'),
    })
    c.call({ verb: 'delete', resource: 'secrets', namespace: 'kube-system', name: 'bootstrap-token-abcdef' })
    c.driver.settle()
    expect(data()).toEqual({ kubeconfig: 'content' })
  })
})

describe('the token cleaner', () => {
  it('the token cleaner deletes a token when it expires, or if its expiration cannot be parsed', () => {
    const { c, create, read } = cluster()
    const at = new Date(start + 60_000).toISOString().replace(/\.\d+/, '')
    create('secrets', token('abcdef', { expiration: at }))
    create('secrets', token('forever'.slice(0, 6)))
    create('secrets', token('broken', { expiration: 'soon' }))
    const exists = (id: string) => read('secrets', 'kube-system', `bootstrap-token-${id}`) !== undefined
    expect([exists('abcdef'), exists('foreve'), exists('broken')]).toEqual([true, true, false])
    c.driver.advance(60_000)
    expect([exists('abcdef'), exists('foreve')]).toEqual([false, true])
  })
})
