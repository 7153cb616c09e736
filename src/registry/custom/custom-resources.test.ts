import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { tableOf } from '../printed/table.ts'
import { createRegistry } from '../registry.ts'
import { definitionOf } from './definition.fixture.ts'

const definition = (schema: JsonObject, more: JsonObject = {}) =>
  definitionOf({ plural: 'widgets', kind: 'Widget', shortNames: ['wd'] }, [
    { schema: { openAPIV3Schema: schema }, ...more },
  ])

const spec: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'string', enum: ['s', 'm'] },
    replicas: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
    name: { type: 'string', minLength: 1, maxLength: 3, pattern: '^[a-z]*$' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, note: { type: 'string', default: '-' } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const schema: JsonObject = {
  type: 'object',
  properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
}
const subresources: JsonObject = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
}

function world(object: KubeObject = definition(schema, { subresources })) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => Date.UTC(2026, 0, 1) },
    random: createRandom(1),
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  const defined = registry.call({
    verb: 'create',
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    object,
  })
  const at = { resource: 'widgets.example.com', namespace: 'default', name: 'a' } as const
  return {
    registry,
    defined,
    create: (specOf: Json, more: JsonObject = {}, fieldValidation?: 'Strict' | 'Warn') =>
      registry.call({
        verb: 'create',
        ...at,
        object: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          spec: specOf,
          ...more,
        } as never,
        ...(fieldValidation === undefined ? {} : { fieldValidation }),
      }),
    call: (verb: 'get' | 'delete') => registry.call({ verb, ...at }),
    at,
  }
}

function made(outcome: Outcome): JsonObject {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as unknown as JsonObject
}

test('accepts a CustomResourceDefinition, and serves its kind', () => {
  const { registry, defined } = world()
  expect(made(defined)).toMatchObject({
    spec: { names: { singular: 'widget', listKind: 'WidgetList' }, conversion: { strategy: 'None' } },
    status: {
      storedVersions: ['v1'],
      conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }],
    },
  })
  expect(registry.kinds.served('example.com', 'v1', 'widgets')).toMatchObject({ kind: 'Widget', shortNames: ['wd'] })
})

test('sets defaults, and drops, keeps or rejects unknown fields', () => {
  const { create } = world()
  const given = { size: 's', bogus: 1, ports: [{ port: 1 }], free: { any: 1 } }
  expect(made(create(given))['spec']).toEqual({
    size: 's',
    replicas: 1,
    ports: [{ port: 1, note: '-' }],
    free: { any: 1 },
  })
  expect(create({ size: 's', bogus: 1 }, {}, 'Strict')).toMatchObject({
    status: {
      code: 400,
      message:
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.bogus"',
    },
  })
})

describe('reports violations of the schema', () => {
  const cases: readonly (readonly [Json, string])[] = [
    [{}, 'spec.size: Required value'],
    [{ size: 'xl' }, 'spec.size: Unsupported value: "xl": supported values: "s", "m"'],
    [
      { size: 's', replicas: 11 },
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
    ],
    [
      { size: 's', replicas: 'x' },
      '[spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string", ' +
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64]',
    ],
    [{ size: 's', name: '' }, 'spec.name: Invalid value: "": spec.name in body should be at least 1 chars long'],
    [{ size: 's', name: 'X' }, `spec.name: Invalid value: "X": spec.name in body should match '^[a-z]*$'`],
    [{ size: 's', name: 'abcd' }, 'spec.name: Too long: may not be more than 3 bytes'],
    [{ size: 's', ports: [{ port: 1 }, { port: 1 }] }, 'spec.ports[1]: Duplicate value: {"port":1}'],
  ]
  test.each(cases)('rejects the custom resource %j', (given, message) => {
    expect(world().create(given)).toMatchObject({
      status: { code: 422, message: `Widget.example.com "a" is invalid: ${message}` },
    })
  })
})

test('serves status and scale as subresources of a custom resource', () => {
  const { registry, create, at } = world()
  const first = made(create({ size: 's' }, { status: { replicas: 9 } }))
  expect(first['status']).toBeUndefined()
  const status = registry.call({
    verb: 'patch',
    ...at,
    subresource: 'status',
    patch: { kind: 'merge', patch: { spec: { size: 'm' }, status: { replicas: 4 } } },
  })
  expect(made(status)).toMatchObject({ spec: { size: 's' }, status: { replicas: 4 }, metadata: { generation: 1 } })
  const scaled = registry.call({
    verb: 'patch',
    ...at,
    subresource: 'scale',
    patch: { kind: 'merge', patch: { spec: { replicas: 7 } } },
  })
  expect(made(scaled)).toMatchObject({ kind: 'Scale', spec: { replicas: 7 }, status: { replicas: 4 } })
  expect(made(registry.call({ verb: 'get', ...at }))).toMatchObject({
    spec: { replicas: 7 },
    metadata: { generation: 2 },
  })
})

test('prints the columns of a CustomResourceDefinition', () => {
  const columns = [
    { name: 'Size', type: 'string', jsonPath: '.spec.size' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
  ]
  const { registry, create } = world(definition(schema, { additionalPrinterColumns: columns }))
  const object = made(create({ size: 'm' }, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }))
  const kind = registry.kinds.find('widgets.example.com')
  if (kind === undefined) throw new Error('no kind')
  const table = tableOf(kind, [object as unknown as KubeObject], Date.UTC(2026, 0, 1, 0, 5))
  expect(table.columns.map(({ name, priority }) => [name, priority])).toEqual([
    ['Name', 0],
    ['Size', 0],
    ['Ready', 0],
    ['Age', 1],
  ])
  expect(table.rows).toEqual([['a', 'm', 'True', '5m']])
})

test('deletes the objects of a deleted definition, and waits for those with finalizers', () => {
  const { registry, create, call, at } = world()
  made(create({ size: 's' }, { metadata: { name: 'a', finalizers: ['x/y'] } }))
  const crd = { resource: 'customresourcedefinitions.apiextensions.k8s.io', name: 'widgets.example.com' } as const
  registry.call({ verb: 'delete', ...crd })
  expect(made(registry.call({ verb: 'get', ...crd }))).toMatchObject({
    metadata: { deletionTimestamp: expect.anything() },
  })
  expect(made(call('get'))).toMatchObject({ metadata: { deletionTimestamp: expect.anything() } })
  const free = registry.call({
    verb: 'patch',
    ...at,
    patch: { kind: 'merge', patch: { metadata: { finalizers: null } } },
  })
  expect(free.ok).toBe(true)
  expect(registry.call({ verb: 'get', ...crd })).toMatchObject({ ok: false, status: { code: 404 } })
  expect(registry.kinds.find('widgets.example.com')).toBeUndefined()
})

test('rejects an invalid CustomResourceDefinition', () => {
  const { defined } = world({ ...definition(schema), metadata: { name: 'other.example.com' } })
  expect(defined).toMatchObject({
    status: {
      message:
        'CustomResourceDefinition.apiextensions.k8s.io "other.example.com" is invalid: metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
    },
  })
})

test('does not accept names that another definition has, and keeps established ones', () => {
  const { registry } = world()
  const resource = 'customresourcedefinitions.apiextensions.k8s.io'
  const other = (names: JsonObject): KubeObject =>
    definitionOf({ plural: 'gadgets', kind: 'Gadget', ...names }, [{ schema: { openAPIV3Schema: schema } }])
  const taken = made(registry.call({ verb: 'create', resource, object: other({ shortNames: ['wd'] }) }))
  expect(taken['status']).toMatchObject({
    acceptedNames: { plural: 'gadgets', kind: 'Gadget' },
    conditions: [
      { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"wd" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ],
  })
  expect(registry.kinds.find('gadgets.example.com')).toBeUndefined()
  const rename = (shortNames: readonly string[]) =>
    registry.call({
      verb: 'patch',
      resource,
      name: 'gadgets.example.com',
      patch: { kind: 'merge', patch: { spec: { names: { shortNames } } } },
    })
  expect(made(rename(['gg']))['status']).toMatchObject({ acceptedNames: { shortNames: ['gg'] } })
  expect(registry.kinds.find('gadgets.example.com')).toMatchObject({ shortNames: ['gg'] })
  rename(['gg', 'wd'])
  expect(registry.kinds.find('gadgets.example.com')).toMatchObject({ shortNames: ['gg'] })
})

test.each([true, false])('creates, applies and updates an object with a field "ok" that is %s', (ok) => {
  const { registry, create, at } = world(
    definition({ type: 'object', properties: { ok: { type: 'boolean' }, spec: { type: 'object' } } }),
  )
  expect(made(create({}, { ok }))['ok']).toBe(ok)
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'b' }, ok }
  const fieldManager = 'test'
  const applied = registry.call({ verb: 'patch', ...at, name: 'b', patch: { kind: 'apply', object }, fieldManager })
  expect(made(applied)['ok']).toBe(ok)
  const patched = registry.call({ verb: 'patch', ...at, patch: { kind: 'merge', patch: { ok: !ok } } })
  expect(made(patched)['ok']).toBe(!ok)
})

test('refuses an applied object with the first undeclared field of each map, also in its metadata', () => {
  const template = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } }
  const { registry, at } = world(
    definition({ type: 'object', properties: { spec: { type: 'object', properties: { template } } } }),
  )
  const metadata = { name: 'a', unknownMeta: 'unknown' }
  const embedded = { apiVersion: 'v1', kind: 'Sub', metadata: { name: 'b', unknownSubMeta: 'unknown' }, x: 1, y: 2 }
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { template: embedded } }
  const applied = registry.call({ verb: 'patch', ...at, patch: { kind: 'apply', object }, fieldManager: 'test' })
  expect(applied.ok ? '' : applied.status.message).toBe(
    [
      'failed to create typed patch object (/a; example.com/v1, Kind=Widget): errors:',
      '  .metadata.unknownMeta: field not declared in schema',
      '  .spec.template.x: field not declared in schema',
      '  .spec.template.metadata.unknownSubMeta: field not declared in schema',
    ].join('\n'),
  )
})
