import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { KubeObject, OwnerReference } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import { must } from '../base/result.ts'
import type { Change } from './controller.ts'
import { createReadModel } from './read-model.ts'

const owner = (uid: string, controller: boolean): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: uid,
  uid,
  controller,
})

const names = ['a', 'b', 'c', 'd']
const pod = fc.record({
  name: fc.constantFrom(...names),
  namespace: fc.constantFrom('x', 'y'),
  node: fc.constantFrom(undefined, '', 'n1', 'n2'),
  controller: fc.constantFrom(undefined, 'u1', 'u2'),
  labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('p', 'q')),
  owners: fc.uniqueArray(fc.constantFrom('u1', 'u2', 'u3'), { maxLength: 2 }),
  gone: fc.boolean(),
})
const node = fc.record({
  name: fc.constantFrom(...names),
  zone: fc.constantFrom(undefined, 'z1', 'z2'),
  gone: fc.boolean(),
})

function podOf(spec: {
  name: string
  namespace: string
  node?: string
  controller?: string
  owners: string[]
  labels?: Record<string, string>
}): Pod {
  const references = spec.owners.map((uid) => owner(uid, uid === spec.controller))
  return {
    metadata: {
      name: spec.name,
      namespace: spec.namespace,
      ...(spec.labels === undefined ? {} : { labels: spec.labels }),
      ...(references.length === 0 ? {} : { ownerReferences: references }),
    },
    spec: { containers: [], ...(spec.node === undefined ? {} : { nodeName: spec.node }) },
  }
}

const named = (objects: Iterable<KubeObject>) =>
  [...objects].map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).sort()

describe('the read model', () => {
  it('answers every index of the read model like a scan of all objects', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            pod.map((p) => ({ pod: p })),
            node.map((n) => ({ node: n })),
          ),
          { maxLength: 40 },
        ),
        fc.nat(40),
        (writes, askedAt) => {
          const model = createReadModel()
          const pods = new Map<string, Pod>()
          const nodes = new Map<string, Node>()
          writes.forEach((write, i) => {
            // Indexes that are created on demand must be correct whether they are requested early or late.
            if (i === askedAt) {
              model.ownedBy('u1')
              model.controlledBy('pods', 'u1')
              model.list('pods', 'x')
              model.selectedBy('pods', 'x', must(parseLabelSelector('app=p')))
            }
            if ('pod' in write) {
              const object = podOf(write.pod as never)
              const key = `${write.pod.namespace}/${write.pod.name}`
              if (write.pod.gone) pods.delete(key)
              else pods.set(key, object)
              model.apply([{ resource: 'pods', key, ...(write.pod.gone ? {} : { after: object }) } as Change])
            } else {
              const { name, zone, gone } = write.node
              const object: Node = {
                metadata: { name, ...(zone === undefined ? {} : { labels: { 'topology.kubernetes.io/zone': zone } }) },
              }
              if (gone) nodes.delete(name)
              else nodes.set(name, object)
              model.apply([{ resource: 'nodes', key: name, ...(gone ? {} : { after: object }) } as Change])
            }
          })
          const all = [...pods.values()]
          expect(named(model.list('pods'))).toEqual(named(all))
          expect(model.count('pods')).toBe(all.length)
          for (const place of ['n1', 'n2', '']) {
            const there = place === '' ? [] : all.filter((one) => one.spec?.nodeName === place)
            expect(named(model.podsOn(place))).toEqual(named(there))
          }
          for (const space of ['x', 'y']) {
            expect(named(model.list('pods', space))).toEqual(
              named(all.filter((one) => one.metadata.namespace === space)),
            )
          }
          for (const text of ['app=p', 'app=q,tier=p', 'tier in (p,q)', 'app!=p', '']) {
            const selector = must(parseLabelSelector(text))
            for (const space of ['x', 'y']) {
              expect(named(model.selectedBy('pods', space, selector))).toEqual(
                named(all.filter(({ metadata }) => metadata.namespace === space && selector.matches(metadata.labels))),
              )
            }
          }
          for (const uid of ['u1', 'u2', 'u3']) {
            const refs = (one: Pod) => one.metadata.ownerReferences ?? []
            expect(named(model.ownedBy(uid).map(({ object }) => object))).toEqual(
              named(all.filter((one) => refs(one).some((ref) => ref.uid === uid))),
            )
            expect(named(model.controlledBy('pods', uid))).toEqual(
              named(all.filter((one) => refs(one).some((ref) => ref.uid === uid && ref.controller))),
            )
          }
          for (const zone of ['z1', 'z2']) {
            const inZone = [...nodes.values()].filter(
              (one) => one.metadata.labels?.['topology.kubernetes.io/zone'] === zone,
            )
            expect(named(model.nodesInZone(zone))).toEqual(named(inZone))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('does not change arrays that the read model returned', () => {
    const model = createReadModel()
    model.apply([{ resource: 'pods', key: 'x/a', after: podOf({ name: 'a', namespace: 'x', node: 'n1', owners: [] }) }])
    const before = model.podsOn('n1')
    expect(model.podsOn('n1')).toBe(before)
    model.apply([{ resource: 'pods', key: 'x/b', after: podOf({ name: 'b', namespace: 'x', node: 'n1', owners: [] }) }])
    expect(named(before)).toEqual(['x/a'])
    expect(named(model.podsOn('n1'))).toEqual(['x/a', 'x/b'])
  })

  it('reports the revision that the read model includes, from objects, from bookmarks, or from one revision for all resources', () => {
    const model = createReadModel()
    const at = (resourceVersion: string): Pod => ({
      metadata: { name: 'a', namespace: 'x', resourceVersion },
      spec: { containers: [] },
    })
    model.apply([{ resource: 'pods', key: 'x/a', after: at('7') }])
    expect([model.revisionOf('pods'), model.revisionOf('nodes')]).toEqual([7, 0])
    model.reached('pods', 9)
    model.apply([{ resource: 'pods', key: 'x/a', after: at('8') }])
    expect(model.revisionOf('pods')).toBe(9)
    model.apply([], 12)
    expect([model.revisionOf('pods'), model.revisionOf('nodes')]).toEqual([12, 12])
  })

  it('removes a resource from the read model together with its index entries', () => {
    const model = createReadModel()
    model.apply([
      { resource: 'pods', key: 'x/a', after: podOf({ name: 'a', namespace: 'x', node: 'n1', owners: ['u1'] }) },
    ])
    expect(model.ownedBy('u1')).toHaveLength(1)
    model.drop('pods')
    expect([model.count('pods'), model.podsOn('n1').length, model.ownedBy('u1').length]).toEqual([0, 0, 0])
  })
})
