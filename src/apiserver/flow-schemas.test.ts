import { expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { createRandom } from '../base/random.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { defaultFlows } from './default-flows.ts'
import { createFlowClassifier, registerFlowMetrics } from './flow-schemas.ts'
import type { Attributes } from './rbac.ts'
import { defaultLimits } from './serving/limits.ts'

const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'
const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io'

function world() {
  const store = createStore()
  const registry = createRegistry({ store, clock: { now: () => 0 }, random: createRandom(1) })
  const create = (resource: string, object: object) => {
    const outcome = registry.call({ verb: 'create', resource, object: object as KubeObject })
    if (!outcome.ok) throw new Error(outcome.status.message)
  }
  for (const { resource, object } of defaultFlows()) create(resource, object)
  const classify = createFlowClassifier(store)
  const nameOf = (attributes: Attributes) => {
    const found = classify(attributes)
    const named = (resource: string, uid: string | undefined) =>
      store.list(resource).find(({ metadata }) => metadata.uid === uid)?.metadata.name
    return `${named(schemas, found?.schema)} ${named(levels, found?.level)}`
  }
  return { store, registry, create, nameOf }
}

const caller = (name: string, ...groups: string[]) => ({ name, groups: [...groups, 'system:authenticated'] })
const path = { verb: 'get', group: '', plural: '', path: '/version' }
const lease = { verb: 'update', group: 'coordination.k8s.io', plural: 'leases', namespace: 'kube-system' }
const nodeStatus = { verb: 'patch', group: '', plural: 'nodes', subresource: 'status' }

it.each<[string, Attributes]>([
  ['exempt exempt', { ...path, caller: caller('admin', 'system:masters') }],
  ['probes exempt', { ...path, path: '/healthz', caller: caller('me') }],
  ['system-leader-election leader-election', { ...lease, caller: caller('system:serviceaccount:kube-system:x') }],
  ['system-node-high node-high', { ...nodeStatus, caller: caller('system:node:a', 'system:nodes') }],
  ['system-nodes system', { ...path, caller: caller('system:node:a', 'system:nodes') }],
  ['kube-scheduler workload-high', { ...path, caller: caller('system:kube-scheduler') }],
  ['service-accounts workload-low', { ...path, caller: caller('system:serviceaccount:a:b', 'system:serviceaccounts') }],
  ['global-default global-default', { ...path, caller: caller('me') }],
])('finds the flow schema and the priority level %s', (expected, attributes) => {
  expect(world().nameOf(attributes)).toBe(expected)
})

it('classifies requests by changed flow schemas', () => {
  const { registry, create, nameOf } = world()
  const request = { ...path, caller: caller('noxu') }
  expect(nameOf(request)).toBe('global-default global-default')
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: 'noxu' } }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/version'] }],
    },
  ]
  create(schemas, {
    metadata: { name: 'own' },
    spec: { matchingPrecedence: 1000, priorityLevelConfiguration: { name: 'own' }, rules },
  })
  expect(nameOf(request), 'its level does not exist').toBe('global-default global-default')
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } }
  create(levels, { metadata: { name: 'own' }, spec: { type: 'Limited', limited } })
  expect(nameOf(request)).toBe('own own')
  expect(nameOf({ ...path, caller: caller('foo') })).toBe('global-default global-default')
  registry.call({ verb: 'delete', resource: schemas, name: 'own' })
  expect(nameOf(request)).toBe('global-default global-default')
})

it('reports the seats of each priority level', () => {
  const { store } = world()
  const metrics = new MetricRegistry()
  registerFlowMetrics(metrics, store, () => defaultLimits)
  // 600 requests in flight, 245 shares.
  expect(metrics.expose()).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245')
  expect(metrics.expose()).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="exempt"} 0')
})
