import { describe, expect, it } from 'vitest'
import type { OwnerReference } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import type { Controller } from '../../runtime/controller.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createGarbageCollector } from './controller.ts'

/** A cluster that counts the garbage collector's steps and its reads of owners. */
function cluster(options: { readonly namespaces?: readonly string[] } = {}) {
  const collector = createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) })
  const count = { steps: 0, asks: 0 }
  const counted: Controller = {
    ...collector,
    step: (input) => {
      count.steps++
      const output = collector.step(input)
      count.asks += output.asks?.length ?? 0
      return output
    },
  }
  const { namespaces = ['default'] } = options
  return { c: new WorkloadCluster({ controllers: [counted], kubelet: 'none', namespaces }), count }
}

const ghost = (i: number, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `ghost-${i}`,
  uid: `u-${i}`,
  ...more,
})
const ghosts = (count: number, more: Partial<OwnerReference> = {}, first = 0) =>
  Array.from({ length: count }, (_, i) => ghost(first + i, more))
const config = (name: string, ownerReferences: readonly OwnerReference[], namespace = 'default') => ({
  metadata: { name, namespace, ownerReferences },
})
const names = (c: WorkloadCluster) => c.list('configmaps').map(({ metadata }) => metadata.name)

describe('an object with more absent owners than the cache holds', () => {
  it.each([501, 5_000, 20_000])(
    'an object with more absent owners than the cache holds is deleted after one read for each of its %i owners',
    (owners) => {
      const { c, count } = cluster()
      c.create('configmaps', config('hydra', ghosts(owners)))
      c.settle()
      expect(names(c)).toEqual([])
      expect(count.asks).toBe(owners)
      const { steps } = count
      expect(steps).toBeLessThan(owners / 50 + 10)
      c.advance(3_600_000)
      expect(count.steps).toBe(steps)
    },
  )

  it.each([501, 20_000])(
    'an object with more absent owners than the cache holds keeps its one existing owner, and loses the %i absent ones',
    (owners) => {
      const { c, count } = cluster()
      const real = c.create('configmaps', { metadata: { name: 'real', namespace: 'default' } })
      const solid = ghost(0, { name: 'real', uid: real.metadata.uid ?? '' })
      c.create('configmaps', config('hydra', [...ghosts(owners, { blockOwnerDeletion: true }, 1), solid]))
      c.settle()
      expect(c.get('configmaps', 'default/hydra')?.metadata.ownerReferences).toEqual([solid])
      expect(count.asks).toBe(owners)
      const { steps } = count
      c.advance(3_600_000)
      expect(count.steps).toBe(steps)
    },
  )

  it('an object with more absent owners than the cache holds does not delay other objects with as many owners', () => {
    const { c, count } = cluster()
    for (let i = 0; i < 40; i++) c.create('configmaps', config(`hydra-${i}`, ghosts(600, {}, i * 600)))
    // The same owners are read once for any number of objects that refer to them at the same time.
    for (let i = 0; i < 40; i++) c.create('configmaps', config(`twin-${i}`, ghosts(600, {}, i * 600)))
    c.settle()
    expect(names(c)).toEqual([])
    expect(count.asks).toBe(40 * 600)
    expect(count.steps).toBeLessThan(600)
  })

  it('an object with absent owners and owners in another namespace gets a warning and is deleted', () => {
    const { c, count } = cluster({ namespaces: ['default', 'other'] })
    const there = Array.from({ length: 600 }, (_, i) =>
      c.create('configmaps', { metadata: { name: `ghost-${i}`, namespace: 'other' } }),
    )
    const references = there.map(({ metadata }, i) => ghost(i, { uid: metadata.uid ?? '' }))
    c.create('configmaps', config('hydra', references))
    c.settle()
    expect(c.get('configmaps', 'default/hydra')).toBe(undefined)
    const warnings = c.list('events').filter(({ reason }) => reason === 'OwnerRefInvalidNamespace')
    expect(warnings.length).toBeGreaterThan(0)
    const { steps } = count
    c.advance(60_000)
    expect(count.steps).toBe(steps)
  })

  it('an object with more absent owners than the cache holds is retried with increasing delays while the kind of an owner is not served', () => {
    const { c, count } = cluster()
    c.create('configmaps', config('hydra', [...ghosts(501), ghost(501, { kind: 'Dragon', apiVersion: 'x/v1' })]))
    c.settle()
    const { steps } = count
    c.advance(3_600_000)
    // 5 ms, doubled up to 1000 s: 18 attempts in the first hour and a half.
    expect(count.steps - steps).toBeLessThan(25)
    expect(names(c)).toEqual(['hydra'])
  })
})

it('caches an absent owner by its name and namespace, not by a uid that any client can write', () => {
  const { c } = cluster()
  const real = c.create('configmaps', { metadata: { name: 'real', namespace: 'default' } })
  const uid = real.metadata.uid ?? ''
  c.create('configmaps', config('liar', [ghost(1, { uid })]))
  c.settle()
  expect(names(c)).toEqual(['real'])
  c.create('configmaps', config('honest', [ghost(0, { name: 'real', uid })]))
  c.settle()
  expect(names(c)).toEqual(['honest', 'real'])
})
