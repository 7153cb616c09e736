import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createRootCaPublisher, createServiceAccountController, createTokenController } from './controller.ts'

function cluster() {
  const running = new WorkloadCluster({
    namespaces: ['shop'],
    kubelet: 'none',
    controllers: [
      createServiceAccountController(),
      createRootCaPublisher({ rootCa: 'PEM' }),
      createTokenController({
        rootCa: 'PEM',
        sign: (account, secret) => `${account.metadata.name} ${secret.metadata.name}`,
      }),
    ],
  })
  running.driver.settle()
  const call = (verb: 'create' | 'delete', resource: string, name: string, more: Partial<KubeObject> = {}) => {
    const object = { ...more, metadata: { ...more.metadata, name, namespace: 'shop' } }
    if (verb === 'create') running.call({ verb, resource, namespace: 'shop', object })
    else running.call({ verb, resource, namespace: 'shop', name })
    running.driver.settle()
  }
  const get = (resource: string, name: string) => {
    const outcome = running.call({ verb: 'get', resource, namespace: 'shop', name })
    return outcome.ok && outcome.kind === 'object' ? (outcome.object as { data?: Record<string, string> }) : undefined
  }
  return { call, get }
}

const decode = (data: Readonly<Record<string, string>> | undefined) =>
  Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))

const tokenSecret = (annotations: Readonly<Record<string, string>>) =>
  ({ metadata: { annotations }, type: 'kubernetes.io/service-account-token' }) as unknown as Partial<KubeObject>

describe('the controllers of service accounts', () => {
  it('creates the service account `default` and the CA certificate in every namespace, and re-creates them after a deletion', () => {
    const { call, get } = cluster()
    expect(get('serviceaccounts', 'default')).toBeDefined()
    expect(get('configmaps', 'kube-root-ca.crt')).toMatchObject({ data: { 'ca.crt': 'PEM' } })
    call('delete', 'serviceaccounts', 'default')
    call('delete', 'configmaps', 'kube-root-ca.crt')
    expect(get('serviceaccounts', 'default')).toBeDefined()
    expect(get('configmaps', 'kube-root-ca.crt')).toBeDefined()
  })

  it('fills in token secrets, and deletes them with their service account', () => {
    const { call, get } = cluster()
    call('create', 'serviceaccounts', 'robot')
    const annotations = { 'kubernetes.io/service-account.name': 'robot' }
    call('create', 'secrets', 't', tokenSecret(annotations))
    expect(decode(get('secrets', 't')?.data)).toEqual({ token: 'robot t', namespace: 'shop', 'ca.crt': 'PEM' })
    call('delete', 'serviceaccounts', 'robot')
    expect(get('secrets', 't')).toBeUndefined()
  })

  it('deletes a token secret whose service account does not exist', () => {
    const { call, get } = cluster()
    const annotations = { 'kubernetes.io/service-account.name': 'absent' }
    call('create', 'secrets', 't', tokenSecret(annotations))
    expect(get('secrets', 't')).toBeUndefined()
  })

  it('removes the reference of a service account to a deleted token secret', () => {
    const { call, get } = cluster()
    call('create', 'serviceaccounts', 'robot', { secrets: [{ name: 't' }, { name: 'u' }] } as Partial<KubeObject>)
    const annotations = { 'kubernetes.io/service-account.name': 'robot' }
    call('create', 'secrets', 't', tokenSecret(annotations))
    call('delete', 'secrets', 't')
    expect(get('serviceaccounts', 'robot')).toMatchObject({ secrets: [{ name: 'u' }] })
  })
})
