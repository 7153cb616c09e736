import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import type { ServiceAccountMode } from '../kinds/kind.ts'
import { createRegistry } from '../registry.ts'

function registryWith(serviceAccounts: ServiceAccountMode | undefined, account?: object) {
  const store = createStore()
  const options = serviceAccounts === undefined ? {} : { serviceAccounts }
  const registry = createRegistry({ store, clock: { now: () => 0 }, random: createRandom('1'), options })
  const create = (resource: string, object: object) =>
    registry.call({ verb: 'create', resource, namespace: 'default', object: object as KubeObject })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  if (account !== undefined) create('serviceaccounts', account)
  return {
    pod: (spec: object, metadata: object = {}): Pod | string => {
      const containers = [{ name: 'c', image: 'i' }]
      const outcome = create('pods', { metadata: { name: 'web', ...metadata }, spec: { containers, ...spec } })
      if (!outcome.ok) return outcome.status.message ?? ''
      return (outcome as { object: KubeObject }).object as Pod
    },
  }
}

const account = (more: object = {}) => ({ metadata: { name: 'default' }, ...more })

describe('the admission plugin ServiceAccount', () => {
  it('gives a pod the account default and a volume with its token in every container', () => {
    const pod = registryWith('existing', account()).pod({ initContainers: [{ name: 'i', image: 'i' }] }) as Pod
    const { serviceAccountName, serviceAccount, volumes, containers, initContainers } = pod.spec
    expect([serviceAccountName, serviceAccount]).toEqual(['default', 'default'])
    expect(volumes?.[0]?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
    const mount = {
      name: volumes?.[0]?.name,
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    }
    expect(containers[0]?.volumeMounts).toEqual([mount])
    expect(initContainers?.[0]?.volumeMounts).toEqual([mount])
    expect(volumes?.[0]).toMatchObject({
      projected: { defaultMode: 420, sources: [{ serviceAccountToken: {} }, {}, {}] },
    })
  })

  it.each([
    [{ automountServiceAccountToken: false }, {}],
    [{}, { automountServiceAccountToken: false }],
    [{ automountServiceAccountToken: false }, { automountServiceAccountToken: true }],
  ])('mounts no token if the pod has automountServiceAccountToken %j, or else the account %j', (spec, of) => {
    expect((registryWith('existing', account(of)).pod(spec) as Pod).spec.volumes).toBeUndefined()
  })

  it.each([undefined, null])('leaves a pod whose containers are %s to validation', (containers) => {
    expect(registryWith('existing', account()).pod({ containers })).toContain('spec.containers: Required value')
  })

  it('mounts no token if a container mounts another volume at that path', () => {
    const volumeMounts = [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }]
    const containers = [{ name: 'c', image: 'i', volumeMounts }]
    const pod = registryWith('existing', account()).pod({ containers, volumes: [{ name: 'v', emptyDir: {} }] }) as Pod
    expect(pod.spec.volumes?.map(({ name }) => name)).toEqual(['v'])
  })

  it('adds the pull secrets of the account to a pod without any', () => {
    const { pod } = registryWith('existing', account({ imagePullSecrets: [{ name: 'registry' }] }))
    expect((pod({}) as Pod).spec.imagePullSecrets).toEqual([{ name: 'registry' }])
    const own = { imagePullSecrets: [{ name: 'own' }] }
    expect((pod(own, { name: 'b' }) as Pod).spec.imagePullSecrets).toEqual([{ name: 'own' }])
  })

  it('refuses a pod whose account does not exist', () => {
    const message = (name: string) =>
      `pods "web" is forbidden: error looking up service account default/${name}: serviceaccount "${name}" not found`
    expect(registryWith('existing', account()).pod({ serviceAccountName: 'x' })).toBe(message('x'))
    expect(registryWith('existing').pod({})).toBe(message('default'))
  })

  it('does not wait for the account default if the controller is about to create it', () => {
    expect((registryWith('default-follows').pod({}) as Pod).spec.serviceAccountName).toBe('default')
    expect(registryWith('default-follows').pod({ serviceAccountName: 'x' })).toContain('"x" not found')
  })

  it('limits secrets to those of the account if its annotation says so', () => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' }
    const { pod } = registryWith('existing', { metadata: { name: 'default', annotations }, secrets: [{ name: 'a' }] })
    const volumes = (secretName: string) => ({ volumes: [{ name: 'v', secret: { secretName } }] })
    expect(typeof pod(volumes('a'))).toBe('object')
    expect(pod(volumes('b'), { name: 'b' })).toBe(
      'pods "b" is forbidden: volume with secret.secretName="b" is not allowed because service account default does not reference that secret',
    )
  })

  it('keeps mirror pods from using accounts and secrets', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' }
    const { pod } = registryWith('existing', account())
    expect(pod({ serviceAccountName: 'default' }, { annotations })).toContain(
      'a mirror pod may not reference service accounts',
    )
    expect(pod({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, { annotations })).toContain(
      'a mirror pod may not reference secrets',
    )
  })

  it('leaves pods unchanged if the plugin ServiceAccount is not enabled', () => {
    expect((registryWith(undefined).pod({}) as Pod).spec.serviceAccountName).toBeUndefined()
  })
})
