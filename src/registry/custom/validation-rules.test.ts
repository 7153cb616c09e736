import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { Json, JsonObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'
import { clusterCidrDefinition } from './cluster-cidr-definition.ts'
import { definitionOf } from './definition.fixture.ts'

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

function world(versions: readonly JsonObject[], more: JsonObject = {}) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => Date.UTC(2026, 0, 1) },
    random: createRandom(1),
  })
  const object = definitionOf({ plural: 'things', kind: 'Thing' }, versions, { scope: 'Cluster', ...more })
  const defined = registry.call({ verb: 'create', resource: definitions, object })
  const target = { resource: 'things.example.com', name: 'a' } as const
  return {
    registry,
    defined,
    create: (spec: Json, version = 'v1') =>
      registry.call({
        verb: 'create',
        ...target,
        version,
        object: { apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name: 'a' }, spec } as never,
      }),
    patch: (patch: JsonObject, version = 'v1') =>
      registry.call({ verb: 'patch', ...target, version, patch: { kind: 'merge', patch } }),
    get: (version = 'v1') => registry.call({ verb: 'get', ...target, version }),
    redefine: (spec: JsonObject) =>
      registry.call({
        verb: 'patch',
        resource: definitions,
        name: 'things.example.com',
        patch: {
          kind: 'json',
          operations: [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec', value: spec }],
        },
      }),
  }
}

const schema = (spec: JsonObject): JsonObject => ({
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
})
const message = (outcome: Outcome): string => (outcome.ok ? 'taken' : (outcome.status.message ?? ''))
const refused = (outcome: Outcome): string => message(outcome).replace('Thing.example.com "a" is invalid: ', '')

describe('a rule that is broken', () => {
  const spec = (rule: JsonObject): JsonObject => ({
    type: 'object',
    properties: { n: { type: 'integer' }, 'a-b': { type: 'string', maxLength: 9 } },
    'x-kubernetes-validations': [rule as Json],
  })
  test.each<readonly [JsonObject, string]>([
    [{ rule: 'self.n > 1' }, 'spec: Invalid value: failed rule: self.n > 1'],
    [{ rule: 'self.n > 1', message: 'too few' }, 'spec: Invalid value: too few'],
    [{ rule: 'self.n > 1', messageExpression: '"not for " + self.a__dash__b' }, 'spec: Invalid value: not for x'],
    [{ rule: 'self.n > 1', fieldPath: '.n', reason: 'FieldValueForbidden', message: 'no' }, 'spec.n: Forbidden: no'],
    [{ rule: 'self.n > 1', reason: 'FieldValueRequired', message: 'no' }, 'spec: Required value: no'],
    [{ rule: 'self.n > 1', fieldPath: '.a-b', reason: 'FieldValueDuplicate' }, 'spec.a-b: Duplicate value'],
    [
      { rule: '10 / (self.n - 1) > 1' },
      'spec: Invalid value: "object": division by zero evaluating rule: 10 / (self.n - 1) > 1',
    ],
  ])('reports the broken CEL rule of %j', (rule, told) => {
    const outcome = world([schema(spec(rule))]).create({ n: 1, 'a-b': 'x' })
    expect(refused(outcome)).toBe(told)
  })
})

test('applies transition rules to updates with both values', () => {
  const { create, patch } = world([
    schema({
      type: 'object',
      properties: {
        size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'it only grows' }] },
        once: {
          type: 'string',
          maxLength: 5,
          'x-kubernetes-validations': [
            { rule: 'oldSelf.hasValue() || self == "new"', optionalOldSelf: true, message: 'begins as new' },
          ],
        },
      },
    }),
  ])
  expect(refused(create({ size: 3, once: 'old' }))).toBe('spec.once: Invalid value: "old": begins as new')
  expect(message(create({ size: 3, once: 'new' }))).toBe('taken')
  expect(refused(patch({ spec: { size: 2 } }))).toBe('spec.size: Invalid value: 2: it only grows')
  expect(message(patch({ spec: { size: 4, once: 'x' } }))).toBe('taken')
})

test('evaluates the transition rules of parts that an update does not touch', () => {
  const { create, patch } = world([
    schema({
      type: 'object',
      properties: {
        n: { type: 'integer' },
        inner: {
          type: 'object',
          properties: { m: { type: 'integer' } },
          'x-kubernetes-validations': [
            { rule: 'self.m < 9' },
            { rule: 'self.m != oldSelf.m', message: 'changes with every write' },
          ],
        },
      },
    }),
  ])
  expect(message(create({ n: 1, inner: { m: 1 } }))).toBe('taken')
  const untouched = 'spec.inner: Invalid value: changes with every write'
  expect(refused(patch({ spec: { n: 2 } }))).toBe(untouched)
  expect(refused(patch({ spec: { n: 2 } }))).toBe(untouched)
  expect(message(patch({ spec: { inner: { m: 2 } } }))).toBe('taken')
})

test('accepts values that were invalid before an update as long as they do not change', () => {
  const loose: JsonObject = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 50 },
      list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
      other: { type: 'integer' },
    },
  }
  const strict: JsonObject = {
    ...loose,
    properties: {
      name: { type: 'string', maxLength: 3 },
      list: { type: 'array', maxItems: 5, items: { type: 'integer', maximum: 2 } },
      other: { type: 'integer' },
    },
  }
  const { create, patch, redefine } = world([schema(loose)])
  expect(message(create({ name: 'too long', list: [1, 9] }))).toBe('taken')
  expect(message(redefine(strict))).toBe('taken')
  expect(message(patch({ spec: { other: 1 } }))).toBe('taken')
  expect(refused(patch({ spec: { name: 'also too long' } }))).toContain('spec.name: Too long')
  expect(refused(patch({ spec: { list: [1, 9, 1] } }))).toContain('spec.list[1]: Invalid value: 9')
})

describe('versions', () => {
  const two = [
    schema({ type: 'object', properties: { n: { type: 'integer' }, fresh: { type: 'integer', default: 7 } } }),
    { ...schema({ type: 'object', properties: { n: { type: 'integer' } } }), name: 'v1beta1' },
  ]

  test('serves the same object in several versions, each with its own fields', () => {
    const { create, get } = world(two)
    expect(create({ n: 1, fresh: 2 }, 'v1beta1')).toMatchObject({
      object: { apiVersion: 'example.com/v1beta1', spec: { n: 1 } },
    })
    expect(get('v1')).toMatchObject({ object: { apiVersion: 'example.com/v1', spec: { n: 1, fresh: 7 } } })
    expect(get('v1beta1')).toMatchObject({ object: { apiVersion: 'example.com/v1beta1', spec: { n: 1 } } })
  })

  test('rejects versions that need a conversion webhook, and serves the stored one', () => {
    const conversion: JsonObject = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://nowhere.example/convert' }, conversionReviewVersions: ['v1'] },
    }
    const { create, get } = world(two, { conversion })
    expect(message(create({ n: 1 }))).toBe('taken')
    expect(message(get('v1beta1'))).toContain('conversion webhook for example.com/v1, Kind=Thing failed')
  })
})

describe('a ClusterCIDR', () => {
  const range = (spec: JsonObject) => {
    const registry = createRegistry({ store: createStore(), clock: { now: () => 0 }, random: createRandom(1) })
    registry.call({ verb: 'create', resource: definitions, object: clusterCidrDefinition })
    const resource = 'clustercidrs.networking.x-k8s.io'
    const object = { apiVersion: 'networking.x-k8s.io/v1', kind: 'ClusterCIDR', metadata: { name: 'a' }, spec }
    return {
      created: registry.call({ verb: 'create', resource, object: object as never }),
      patched: (patch: JsonObject) =>
        registry.call({ verb: 'patch', resource, name: 'a', patch: { kind: 'merge', patch: { spec: patch } } }),
    }
  }
  const told = (outcome: Outcome): string =>
    message(outcome).replace('ClusterCIDR.networking.x-k8s.io "a" is invalid: ', '')

  test.each<readonly [JsonObject, string]>([
    [{ perNodeHostBits: 8, ipv4: '10.0.0.0/16', ipv6: 'fd00::/112' }, 'taken'],
    [{ perNodeHostBits: 8 }, 'spec: Invalid value: A CIDR must be specified for ipv4 or ipv6.'],
    [{ perNodeHostBits: 8, ipv4: '10.0.0.0' }, 'spec.ipv4: Invalid value: "10.0.0.0": IPv4 must be a valid IPv4 CIDR.'],
    [
      { perNodeHostBits: 8, ipv4: 'fd00::/24' },
      'spec.ipv4: Invalid value: "fd00::/24": IPv4 must be a valid IPv4 CIDR.',
    ],
    [
      { perNodeHostBits: 3, ipv4: '10.0.0.0/16' },
      'spec.perNodeHostBits: Invalid value: 3: spec.perNodeHostBits in body should be greater than or equal to 4',
    ],
    [
      { perNodeHostBits: 17, ipv4: '10.0.0.0/16' },
      'spec.perNodeHostBits: Invalid value: PerNodeHostBits must fit into the IPv4 range.',
    ],
  ])('rejects the ClusterCIDR %j', (spec, expected) => {
    expect(told(range(spec).created)).toContain(expected)
  })

  test('rejects changes of a ClusterCIDR', () => {
    const { patched } = range({ perNodeHostBits: 8, ipv4: '10.0.0.0/16' })
    expect(told(patched({ ipv4: '10.1.0.0/16' }))).toBe(
      'spec.ipv4: Invalid value: "10.1.0.0/16": IPv4 cannot be changed.',
    )
    expect(told(patched({ ipv6: 'fd00::/112' }))).toBe(
      'spec: Invalid value: The fields of a ClusterCIDR cannot be changed.',
    )
  })
})
