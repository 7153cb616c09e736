import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createCluster } from 'kubeberth'

const web = readFileSync(new URL('web.yaml', import.meta.url), 'utf8')

test('a NoExecute taint empties the node, and the pods come back elsewhere', async () => {
  const cluster = await createCluster({ nodes: 3 })
  await cluster.apply(web)
  await cluster.taint('node-1', 'maintenance=now:NoExecute')
  await cluster.advance('1m')
  assert.equal(cluster.pods({ node: 'node-1' }).length, 0)
  assert.equal(cluster.pods({ phase: 'Running' }).length, 6)
})

test('the same seed gives the same names and places', async () => {
  const placed = async () => {
    const cluster = await createCluster({ nodes: 3, seed: 7 })
    await cluster.apply(web)
    return cluster.pods().map((pod) => `${pod.metadata.name} ${pod.spec.nodeName}`)
  }
  assert.deepEqual(await placed(), await placed())
})
