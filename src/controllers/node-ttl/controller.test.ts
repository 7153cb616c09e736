import { expect, it } from 'vitest'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createNodeTtl } from './controller.ts'
import { nextStep, ttlAnnotation, ttlSecondsOf } from './ttl-steps.ts'

it('annotates nodes with the time for which kubelets may cache objects', () => {
  const c = new WorkloadCluster({ kubelet: 'none', controllers: [createNodeTtl()] })
  c.call({ verb: 'create', resource: 'nodes', object: { metadata: { name: 'n1' } } as never })
  c.driver.settle()
  const found = c.call({ verb: 'get', resource: 'nodes', name: 'n1' })
  if (!found.ok || found.kind !== 'object') throw new Error('no node')
  expect(found.object.metadata.annotations).toEqual({ [ttlAnnotation]: '0' })
})

it('changes the time with the size of the cluster, with hysteresis', () => {
  let step = 0
  const sizes = (from: number, to: number) => {
    const change = to > from ? 1 : -1
    for (let size = from + change; size !== to + change; size += change) step = nextStep(step, size)
    return ttlSecondsOf(step)
  }
  expect([sizes(0, 100), sizes(100, 101), sizes(101, 90), sizes(90, 89)]).toEqual([0, 15, 15, 0])
  expect([sizes(89, 501), sizes(501, 1001), sizes(1001, 2001), sizes(2001, 1800), sizes(1800, 1799)]).toEqual([
    30, 60, 300, 300, 60,
  ])
})
