import { expect, test } from 'vitest'
// Outside of this repository: from 'kubeberth'.
import { createCluster } from '../../src/index.ts'
import { teamNodes } from './team-nodes.ts'

const teamLabel = 'example.com/team'
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'blue', labels: { [teamLabel]: 'blue' } },
  spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] },
}

test('a pod of team blue waits while all nodes belong to team red, and is placed on the first node for it', async () => {
  const cluster = await createCluster({ nodes: 2, plugins: [teamNodes] })
  for (const node of ['node-1', 'node-2'])
    await cluster.patch('nodes', node, { metadata: { labels: { [teamLabel]: 'red' } } })
  await cluster.apply(pod)
  const waiting = cluster.get('pods', 'blue')?.status?.conditions?.find(({ reason }) => reason === 'Unschedulable')
  expect(waiting?.message).toMatch(/^0\/2 nodes are available: 2 node\(s\) belonged to team red\./)

  await cluster.patch('nodes', 'node-2', { metadata: { labels: { [teamLabel]: 'blue' } } })
  await cluster.advance('2s')
  expect(cluster.get('pods', 'blue')?.spec.nodeName).toBe('node-2')
})

test('a label that belongs to no team does not make the pod wait for another attempt', async () => {
  const cluster = await createCluster({ nodes: 1, plugins: [teamNodes] })
  await cluster.patch('nodes', 'node-1', { metadata: { labels: { [teamLabel]: 'red' } } })
  await cluster.apply(pod)
  const attempts = () => cluster.events({ reason: 'FailedScheduling', about: 'blue' }).length
  const before = attempts()
  await cluster.patch('nodes', 'node-1', { metadata: { labels: { color: 'gray' } } })
  await cluster.advance('1m')
  expect(attempts()).toBe(before)
})
