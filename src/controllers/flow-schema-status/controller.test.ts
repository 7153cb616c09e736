import { expect, it } from 'vitest'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createFlowSchemaStatus } from './controller.ts'

it('reports whether the priority level of a flow schema exists', () => {
  const cluster = new WorkloadCluster({ controllers: [createFlowSchemaStatus()], kubelet: 'none' })
  const conditions = () => {
    const [schema] = cluster.list('flowschemas.flowcontrol.apiserver.k8s.io')
    return (schema as { status?: { conditions?: readonly { status: string; reason: string }[] } }).status?.conditions
  }
  const subjects = [{ kind: 'User', user: { name: 'me' } }]
  const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }]
  cluster.create('flowschemas.flowcontrol.apiserver.k8s.io', {
    metadata: { name: 's' },
    spec: { priorityLevelConfiguration: { name: 'l' }, rules: [{ subjects, nonResourceRules }] },
  })
  cluster.settle()
  expect(conditions()).toMatchObject([
    {
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "l" but there is no such object',
    },
  ])
  const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } }
  cluster.create('prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', {
    metadata: { name: 'l' },
    spec: { type: 'Limited', limited },
  })
  cluster.settle()
  expect(conditions()).toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }])
})
