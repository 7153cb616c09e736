import { createCluster } from 'kubeberth'
import 'kubeberth/jest'
import { web } from './web.mjs'

test('a deployment becomes ready', async () => {
  const cluster = await createCluster({ nodes: 3 })
  await cluster.apply(web)
  expect(cluster).toHaveNoPending()
  expect(cluster).toBeReady('deployment/web')
  expect(() => expect(cluster).toBeReady('deployment/none')).toThrow('deployment/none does not exist')
})
