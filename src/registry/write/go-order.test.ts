import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { forgetRecent } from '../../base/recent.ts'
import { inGoOrder } from './go-order.ts'

const podShape = defaultRelease.api.types.get('core.Pod')
const written = (object: unknown, shape = podShape) => JSON.stringify(inGoOrder(object as KubeObject, shape))

it('writes structs in declaration order and maps sorted', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: {
      nodeName: 'n',
      containers: [{ resources: { requests: { memory: '1', cpu: '2' } }, image: 'i', name: 'c' }],
    },
    metadata: { labels: { b: '1', a: '2' }, namespace: 'x', name: 'p' },
  }
  expect(written(pod)).toBe(
    '{"kind":"Pod","apiVersion":"v1",' +
      '"metadata":{"name":"p","namespace":"x","resourceVersion":"","labels":{"a":"2","b":"1"}},' +
      '"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"2","memory":"1"}}}],"nodeName":"n"}}',
  )
})

it('returns objects that are already in order, and results of earlier calls', () => {
  forgetRecent()
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', resourceVersion: '' },
    spec,
  } as unknown as KubeObject
  const once = inGoOrder(pod, podShape)
  expect(inGoOrder(once, podShape)).toBe(once)
  expect((inGoOrder(pod, podShape) as unknown as { spec: object }).spec).toBe(
    (once as unknown as { spec: object }).spec,
  )
})

it('sorts all members of custom resources, but keeps the order of lists', () => {
  const widget = {
    kind: 'Widget',
    apiVersion: 'v1',
    metadata: { uid: 'u', name: 'w' },
    spec: { sizes: [3, { b: 1, a: 2 }] },
  }
  const text = JSON.stringify(inGoOrder(widget as unknown as KubeObject, undefined))
  expect(text).toBe(
    '{"apiVersion":"v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"","uid":"u"},' +
      '"spec":{"sizes":[3,{"a":2,"b":1}]}}',
  )
})

it('keeps every member, unknown ones at the end', () => {
  const pod = { metadata: { name: 'p', later: 1, uid: 'u' }, kind: 'Pod', apiVersion: 'v1' }
  expect(written(pod)).toBe(
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","resourceVersion":"","later":1}}',
  )
})

it('sorts owned fields by name, and list elements by their keys', () => {
  const fieldsV1 = {
    'f:spec': { 'f:b': {}, 'f:a': { 'k:{"port":443}': {}, 'k:{"port":80}': { 'f:x': {}, '.': {} }, '.': {} } },
    'f:metadata': {},
  }
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', managedFields: [{ fieldsV1 }] } }
  const text = JSON.stringify(inGoOrder(pod as unknown as KubeObject, podShape).metadata.managedFields)
  expect(text).toBe(
    '[{"fieldsV1":{"f:metadata":{},"f:spec":{"f:a":{".":{},"k:{\\"port\\":80}":{".":{},"f:x":{}},"k:{\\"port\\":443}":{}},"f:b":{}}}}]',
  )
})

it('orders the changed parts of an object that was stored in order', () => {
  const pod = {
    spec: { containers: [{ image: 'i', name: 'c' }], dnsPolicy: 'Default' },
    metadata: { labels: { b: '1', a: '2' }, name: 'p' },
    kind: 'Pod',
    apiVersion: 'v1',
  }
  const stored = inGoOrder(pod as unknown as KubeObject, podShape) as unknown as typeof pod
  const changed = {
    ...stored,
    metadata: { ...stored.metadata, labels: { ...stored.metadata.labels, '0': '3' } },
    spec: { ...stored.spec, nodeName: 'n', initContainers: [{ image: 'j', name: 'd' }] },
    status: { phase: 'Running', conditions: [{ status: 'True', type: 'Ready' }] },
  } as unknown as KubeObject
  const text = JSON.stringify(inGoOrder(changed, podShape, stored as unknown as KubeObject))
  expect(text).toBe(written(changed))
})

it('sorts owned fields at every depth, and keeps every name', () => {
  const fieldsV1 = JSON.parse(
    '{"f:spec":{"f:b":{},"f:a":{"k:{\\"name\\":\\"z\\"}":{"f:y":{},".":{}},"k:{\\"name\\":\\"c\\"}":{}}},"f:metadata":{},"__proto__":{"f:b":{},"f:a":{}}}',
  )
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', resourceVersion: '', managedFields: [{ fieldsV1 }] },
  }
  expect(written(pod)).toContain(
    '"fieldsV1":{"__proto__":{"f:a":{},"f:b":{}},"f:metadata":{},"f:spec":{"f:a":{"k:{\\"name\\":\\"c\\"}":{},"k:{\\"name\\":\\"z\\"}":{".":{},"f:y":{}}},"f:b":{}}}',
  )
})

it('compares the keys of list elements by value, not by their JSON text', () => {
  const values = ['a b', 'a', 'a!', 'a"b', 'a\\b', '', 'a":"b', 'ä', 'b']
  const list = Object.fromEntries(values.map((name) => [`k:${JSON.stringify({ name })}`, {}]))
  const pairs = { 'k:{"port":9,"protocol":"TCP"}': {}, 'k:{"port":80,"protocol":"TCP"}': {} }
  const fieldsV1 = { 'f:list': list, 'f:pairs': { 'k:{"port":80,"protocol":"SCTP"}': {}, ...pairs } }
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', managedFields: [{ fieldsV1 }] } }
  const [entry] = inGoOrder(pod as unknown as KubeObject, podShape).metadata.managedFields ?? []
  const sorted = (entry as unknown as { fieldsV1: Record<string, object> }).fieldsV1
  const keyOf = (step: string) => JSON.parse(step.slice(2)) as { name: string }
  expect(Object.keys(sorted['f:list'] ?? {}).map((step) => keyOf(step).name)).toEqual([...values].sort())
  expect(Object.keys(sorted['f:pairs'] ?? {})).toEqual([
    'k:{"port":9,"protocol":"TCP"}',
    'k:{"port":80,"protocol":"SCTP"}',
    'k:{"port":80,"protocol":"TCP"}',
  ])
})

it('orders structs with the same members, both consecutive and between others', () => {
  const one = { image: 'i', name: 'c' }
  const other = { stdin: true, image: 'i', name: 'd', command: ['x'] }
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', resourceVersion: '' },
    spec: { containers: [one, one, other, one, { name: 'e' }] },
  }
  const ordered = '{"name":"c","image":"i"}'
  expect(written(pod)).toContain(
    `[${ordered},${ordered},{"name":"d","image":"i","command":["x"],"stdin":true},${ordered},{"name":"e"}]`,
  )
})
