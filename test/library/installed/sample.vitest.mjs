import { createCluster } from 'kubeberth'
import { expect, test } from 'vitest'
import 'kubeberth/vitest'
import { web } from './web.mjs'

test('a deployment becomes ready', async () => {
  const cluster = await createCluster({ nodes: 3 })
  await cluster.apply(web)
  expect(cluster).toHaveNoPending()
  expect(cluster).toBeReady('deployment/web')
})
