import assert from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import { defineReconciler } from '../library/controller-definition.ts'
import { createCluster } from '../library/create-cluster.ts'
import { requesting, webDeployment } from '../library/manifests.fixture.ts'
import {
  assertCondition,
  assertEvent,
  assertNoFailures,
  assertNoPending,
  assertObject,
  assertReady,
} from './matchers.ts'
import './vitest.ts'

const web = (cpu: string) => webDeployment(3, requesting(cpu))

describe('matchers', () => {
  it('matchers hold for a cluster without problems', async () => {
    const cluster = await createCluster()
    await cluster.apply(web('1'))
    await cluster.apply(`
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: b }] } } }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template: { metadata: { labels: { app: agent } }, spec: { containers: [{ name: a, image: b }] } }
`)
    await cluster.advance('1m')
    expect(cluster).toHaveNoPending()
    for (const object of ['deployment/web', 'daemonset/agent', 'job/once', 'node/node-1'] as const) {
      expect(cluster).toBeReady(object)
      expect(cluster).toHaveObject(object)
    }
    expect(cluster).toHaveEvent({ reason: 'Scheduled' })
    expect(cluster).toHaveCondition('deployment/web', 'Available')
    expect(cluster).toHaveNoFailures()
    expect(cluster).not.toHaveObject('pod/none')
    expect(cluster).not.toBeReady('pod/none')
  })

  it('matchers report the problem', async () => {
    const failing = defineReconciler({
      name: 'failing',
      for: 'nodes',
      reconcile: () => Promise.reject(new Error('no')),
    })
    const cluster = await createCluster({ nodes: 1, controllers: [failing] })
    await cluster.apply(web('7'))
    const wrong: readonly [() => void, string][] = [
      [() => expect(cluster).toHaveNoPending(), '2 pods are pending:\n  default/web-'],
      [() => expect(cluster).toHaveNoPending({ namespace: 'default' }), '0/1 nodes are available: 1 Insufficient cpu.'],
      [() => expect(cluster).toBeReady('deployment/web'), 'deployment/web is not ready: 1 of 3 replicas are ready'],
      [() => expect(cluster).toBeReady('deployment/wob'), 'deployment/wob does not exist'],
      [() => expect(cluster).toHaveCondition('node/node-1', 'Ready', 'False'), 'node/node-1 has Ready=True'],
      [() => expect(cluster).toHaveCondition('node/node-1', 'Red'), 'node/node-1 has no condition Red'],
      [() => expect(cluster).toHaveEvent({ reason: 'Evicted' }), 'there is no event Evicted; recorded reasons are '],
      [() => expect(cluster).toHaveNoFailures(), 'failing node-1: Error: no'],
      [() => expect(cluster).not.toHaveObject('node/node-1'), 'node/node-1 exists'],
      [() => expect(cluster).toBeReady('web' as 'a/b'), '"web" must be RESOURCE/NAME'],
      [() => expect(cluster).toBeReady('nodez/a'), 'the cluster does not serve "nodez"'],
    ]
    for (const [check, message] of wrong) expect(check).toThrow(message)
  })

  it('assertion functions for other test runners throw an AssertionError', async () => {
    const cluster = await createCluster({ nodes: 1 })
    assertNoPending(cluster)
    assertReady(cluster, 'node/node-1')
    assertObject(cluster, 'node/node-1')
    assertCondition(cluster, 'node/node-1', 'Ready')
    assertNoFailures(cluster)
    assert.throws(() => assertEvent(cluster, { reason: 'Evicted' }), assert.AssertionError)
    assert.throws(() => assertReady(cluster, 'node/node-9'), /node\/node-9 does not exist/)
  })
})
