import { expect, it } from 'vitest'
import { type Cidr, parseCidr } from '../api/cidr.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { createRandom } from '../base/random.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Store } from '../store/contract.ts'
import { createStore } from '../store/memory-store.ts'
import { bootstrap } from './bootstrap.ts'

const now = Date.UTC(2026, 0, 1)

function start(store: Store, ...texts: string[]): void {
  const serviceRanges = texts.map((text) => parseCidr(text) as Cidr)
  const ports = { store, clock: { now: () => now }, random: createRandom(1) }
  bootstrap(createRegistry({ ...ports, options: { serviceRanges } }), { rbac: false, servesFrom: now, serviceRanges })
}

const names = (store: Store) => store.list('ipaddresses.networking.k8s.io').map(({ metadata }) => metadata.name)
const ranges = (store: Store) => store.get('servicecidrs.networking.k8s.io', 'kubernetes') as KubeObject

it('gives the service of the API server the first address of the first range', () => {
  const store = createStore()
  start(store, 'fd00:10:96::/112', '10.96.0.0/16')
  expect(store.get('services', 'default/kubernetes')).toMatchObject({
    spec: { clusterIPs: ['fd00:10:96::1'], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' },
  })
  expect(names(store)).toEqual(['fd00:10:96::1'])
  expect(ranges(store)).toMatchObject({
    spec: { cidrs: ['fd00:10:96::/112', '10.96.0.0/16'] },
    status: { conditions: [{ type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready' }] },
  })
})

it('adds a second family to the default range when the cluster becomes dual-stack', () => {
  const store = createStore()
  start(store, '10.0.0.0/24')
  start(store, '10.0.0.0/24', 'fd00:10:96::/112')
  expect(ranges(store)).toMatchObject({ spec: { cidrs: ['10.0.0.0/24', 'fd00:10:96::/112'] } })
})

it('creates missing IPAddress objects for the services of an older data directory', () => {
  const store = createStore()
  start(store, '10.0.0.0/24')
  store.commit([{ kind: 'delete', resource: 'ipaddresses.networking.k8s.io', key: '10.0.0.1' }])
  start(store, '10.0.0.0/24')
  expect(names(store)).toEqual(['10.0.0.1'])
})
