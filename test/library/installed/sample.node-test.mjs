import { test } from 'node:test'
import { createCluster } from 'kubeberth'
import { assertNoPending, assertReady } from 'kubeberth/matchers'
import { web } from './web.mjs'

test('a deployment becomes ready', async () => {
  const cluster = await createCluster({ nodes: 3 })
  await cluster.apply(web)
  assertNoPending(cluster)
  assertReady(cluster, 'deployment/web')
})
