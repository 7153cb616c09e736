import { readFileSync } from 'node:fs'
import { createCluster } from 'kubeberth'
import { expect, test } from 'vitest'

const web = readFileSync(new URL('web.yaml', import.meta.url), 'utf8')

test('a silent node loses its pods after 50 seconds and five minutes, and not before', async () => {
  const cluster = await createCluster({ nodes: 3 })
  await cluster.apply(web)
  expect(cluster.pods({ phase: 'Running' })).toHaveLength(6)

  await cluster.silence('node-2')
  await cluster.advance('5m')
  const leaving = () => cluster.pods({ node: 'node-2' }).filter((pod) => pod.metadata.deletionTimestamp !== undefined)
  expect(leaving()).toHaveLength(0)

  await cluster.advance('1m30s')
  expect(leaving()).toHaveLength(2)
  expect(cluster.pods().filter((pod) => pod.spec.nodeName !== 'node-2')).toHaveLength(6)
})

test('a shorter grace period finds it sooner', async () => {
  const cluster = await createCluster({ nodes: 3, flags: { 'node-monitor-grace-period': '20s' } })
  await cluster.apply(web)
  await cluster.silence('node-2')
  await cluster.advance('40s')
  const ready = cluster.get('nodes', 'node-2')?.status?.conditions?.find(({ type }) => type === 'Ready')
  expect(ready?.status).toBe('Unknown')
})
