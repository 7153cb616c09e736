import { expect, it } from 'vitest'
import type { ClusterRole } from '../../api/objects/access.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createClusterRoleAggregation } from './controller.ts'

it('writes the rules of the selected roles into an aggregated role, and follows their changes', () => {
  const c = new WorkloadCluster({ kubelet: 'none', controllers: [createClusterRoleAggregation()] })
  const resource = 'clusterroles.rbac.authorization.k8s.io'
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
  const create = (role: object) => {
    c.call({ verb: 'create', resource, object: role as ClusterRole })
    c.driver.settle()
  }
  const rules = () => {
    const outcome = c.call({ verb: 'get', resource, name: 'all' })
    return outcome.ok && outcome.kind === 'object' ? (outcome.object as ClusterRole).rules : undefined
  }
  create({ metadata: { name: 'b', labels: { to: 'all' } }, rules: [rule('get')] })
  create({
    metadata: { name: 'all' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'all' } }] },
    rules: [rule('own')],
  })
  expect(rules()).toEqual([rule('get')])
  create({ metadata: { name: 'a', labels: { to: 'all' } }, rules: [rule('list'), rule('get')] })
  expect(rules()).toEqual([rule('list'), rule('get')])
})
