import { expect, it } from 'vitest'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { createGarbageCollector } from '../garbage-collection/controller.ts'
import { createJobController } from '../job/controller.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createTtlAfterFinished } from './controller.ts'

it('deletes a finished Job and its pods after its TTL, and no other Job', () => {
  const c = new WorkloadCluster({
    controllers: [
      createJobController(),
      createTtlAfterFinished(),
      createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) }),
    ],
    kubelet: { startMs: 1000, runMs: 10_000 },
  })
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  c.create('jobs.batch', { metadata: { name: 'kept', namespace: 'default' }, spec: { template } })
  c.create('jobs.batch', {
    metadata: { name: 'gone', namespace: 'default' },
    spec: { template, ttlSecondsAfterFinished: 60 },
  })
  c.advance(71_000)
  expect(c.list('jobs.batch').map(({ metadata }) => metadata.name)).toEqual(['gone', 'kept'])
  c.advance(2000)
  expect(c.list('jobs.batch').map(({ metadata }) => metadata.name)).toEqual(['kept'])
  expect(c.pods()).toHaveLength(1)
})
