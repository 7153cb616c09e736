import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { SharedParts } from './shared-parts.ts'

const parsed = (value: unknown): KubeObject => JSON.parse(JSON.stringify(value)) as KubeObject

function pod(name: string, owner: string, more: object = {}): Pod {
  return parsed({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { app: owner },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
    },
    spec: { containers: [{ name: 'main', image: `${owner}:v1` }], nodeName: 'node-with-a-long-name', ...more },
  }) as Pod
}

describe('parts that objects share', () => {
  test('shares labels, owners and containers of pods of one owner', () => {
    const shared = new SharedParts()
    const [first, second, third] = ['a', 'b', 'c'].map((name) => shared.take(pod(name, 'web'))) as [Pod, Pod, Pod]
    for (const other of [second, third]) {
      expect(other.spec).toBe(first.spec)
      expect(other.metadata.labels).toBe(first.metadata.labels)
      expect(other.metadata.ownerReferences).toBe(first.metadata.ownerReferences)
      expect(other.metadata).not.toBe(first.metadata)
    }
  })

  test('shares all equal parts of a pod that differs in one field', () => {
    const shared = new SharedParts()
    const first = shared.take(pod('a', 'web'))
    const second = shared.take(pod('b', 'web', { nodeName: 'another-node' }))
    expect(second.spec).toEqual({ ...first.spec, nodeName: 'another-node' })
    expect(second.spec.containers).toBe(first.spec.containers)
  })

  test('keeps the order of members', () => {
    const shared = new SharedParts()
    const text = (labels: object) =>
      JSON.stringify(shared.take(parsed({ kind: 'Node', metadata: { name: 'n', labels } })))
    expect(text({ a: '1', b: '2' })).toContain('{"a":"1","b":"2"}')
    expect(text({ b: '2', a: '1' })).toContain('{"b":"2","a":"1"}')
  })

  test('does not change the content of any object', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const object = fc.record({
      kind: fc.constantFrom('Pod', 'Node'),
      metadata: fc.record({
        name: fc.constantFrom('a', 'b'),
        labels: fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.constantFrom('1', '2')),
        ownerReferences: fc.array(fc.record({ uid: fc.constantFrom('u', 'v'), controller: fc.boolean() }), {
          maxLength: 2,
        }),
      }),
      spec: fc.record({ nodeName: fc.constantFrom('n1', 'n2'), value }),
    })
    fc.assert(
      fc.property(fc.array(object, { maxLength: 12 }), (objects) => {
        const shared = new SharedParts()
        const texts = objects.map((one) => JSON.stringify(one))
        // All objects are taken before any is compared: a later object must not change an earlier one.
        const taken = texts.map((text) => shared.take(JSON.parse(text) as KubeObject))
        expect(taken.map((one) => JSON.stringify(one))).toEqual(texts)
      }),
    )
  })
})
