import { expect, test } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

function world(managedFields: 'all' | 'apply-only' = 'all') {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => Date.UTC(2026, 0, 1) },
    random: createRandom(1),
    options: { managedFields },
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  const at = { resource: 'deployments.apps', namespace: 'default', name: 'web' } as const
  return {
    registry,
    create: (object: JsonObject, fieldManager: string) =>
      registry.call({ verb: 'create', ...at, object: object as unknown as KubeObject, fieldManager }),
    apply: (object: JsonObject, fieldManager: string, force = false) =>
      registry.call({ verb: 'patch', ...at, fieldManager, patch: { kind: 'apply', object, force } }),
    merge: (patch: JsonObject, fieldManager: string) =>
      registry.call({ verb: 'patch', ...at, fieldManager, patch: { kind: 'merge', patch } }),
    get: () => registry.call({ verb: 'get', ...at }),
  }
}

const config = (
  more: JsonObject = {},
  containers: readonly JsonObject[] = [{ name: 'c', image: 'nginx' }],
): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    ...more,
  },
})

function object(outcome: Outcome): Deployment {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as Deployment
}

test('records the applied fields of an object, but not the defaulted ones', () => {
  const { apply } = world()
  const made = object(apply(config({ replicas: 2 }), 'me'))
  expect(made.spec?.replicas).toBe(2)
  expect(made.metadata.managedFields).toEqual([
    {
      manager: 'me',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:labels': { 'f:app': {} } },
        'f:spec': {
          'f:replicas': {},
          'f:selector': {},
          'f:template': {
            'f:metadata': { 'f:labels': { 'f:app': {} } },
            'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
          },
        },
      },
    },
  ])
})

test('changes nothing when the same configuration is applied again', () => {
  const { apply } = world()
  const first = object(apply(config(), 'me'))
  expect(object(apply(config(), 'me')).metadata.resourceVersion).toBe(first.metadata.resourceVersion)
})

test('removes fields that are no longer applied, unless another manager owns them', () => {
  const { apply } = world()
  object(apply(config({ replicas: 2, paused: true }), 'me'))
  object(apply(config({ paused: true }), 'you'))
  const left = object(apply(config(), 'me'))
  expect(left.spec?.paused).toBe(true)
  // Replicas was removed and set again by defaulting.
  expect(left.spec?.replicas).toBe(1)
})

test('reports a conflict for a field that another manager changed, unless forced', () => {
  const { create, apply } = world()
  object(create(config({ replicas: 2 }), 'kubectl-create'))
  expect(apply(config({ replicas: 5 }), 'me')).toMatchObject({
    ok: false,
    status: {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.replicas',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl-create" using apps/v1',
            field: '.spec.replicas',
          },
        ],
      },
    },
  })
  const forced = object(apply(config({ replicas: 5 }), 'me', true))
  expect(forced.spec?.replicas).toBe(5)
  const theirs = forced.metadata.managedFields?.find(({ manager }) => manager === 'kubectl-create')
  expect(JSON.stringify(theirs)).not.toContain('f:replicas')
})

test('lists several conflicts of an apply by manager', () => {
  const { create, apply } = world()
  object(create(config({ replicas: 2 }), 'kubectl-create'))
  expect(apply(config({ replicas: 5 }, [{ name: 'c', image: 'other' }]), 'me')).toMatchObject({
    status: {
      message:
        'Apply failed with 2 conflicts: conflicts with "kubectl-create" using apps/v1:\n- .spec.replicas\n- .spec.template.spec.containers[name="c"].image',
    },
  })
})

test('makes the last writer of an applied field its owner', () => {
  const { apply, merge } = world()
  object(apply(config({ replicas: 2 }), 'me'))
  object(merge({ spec: { replicas: 7 } }, 'kubectl-scale'))
  expect(apply(config({ replicas: 2 }), 'me')).toMatchObject({
    status: {
      message: 'Apply failed with 1 conflict: conflict with "kubectl-scale" using apps/v1: .spec.replicas',
    },
  })
})

test('gives the fields of an object without managedFields an owner before the first apply', () => {
  const { create, apply } = world('apply-only')
  expect(object(create(config({ replicas: 2 }), 'x')).metadata.managedFields).toBeUndefined()
  expect(apply(config({ replicas: 3 }), 'me')).toMatchObject({
    status: {
      message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    },
  })
})

test('merges list elements by key, and rejects an element without key in validation', () => {
  const { apply } = world()
  object(apply(config(), 'me'))
  const both = object(apply({ ...config({}, [{ name: 'd', image: 'two' }]) }, 'you'))
  expect(both.spec?.template.spec.containers.map(({ name }) => name)).toEqual(['c', 'd'])
  expect(apply(config({}, [{ image: 'two' }]), 'me')).toMatchObject({
    ok: false,
    status: { code: 422, message: expect.stringContaining('.name: Required value') },
  })
})

test('rejects an element without key if its type has no default for the key', () => {
  const { registry } = world()
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' }, secrets: [{ kind: 'Secret' }] }
  const outcome = registry.call({
    verb: 'patch',
    resource: 'serviceaccounts',
    namespace: 'default',
    name: 'sa',
    fieldManager: 'me',
    patch: { kind: 'apply', object: account as never },
  })
  expect(outcome).toMatchObject({
    status: {
      code: 500,
      message:
        'failed to create typed patch object (/sa; /v1, Kind=ServiceAccount): .secrets: element 0: associative list with ' +
        `keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    },
  })
})

test('rejects an applied field that the kind does not have', () => {
  const { apply } = world()
  expect(apply(config({ replicaz: 3 }), 'me')).toMatchObject({
    status: {
      code: 500,
      message:
        'failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.replicaz: field not declared in schema',
    },
  })
})

test('an applied null is ignored for objects and lists, and clears a scalar', () => {
  const { create, apply } = world()
  create(config({ minReadySeconds: 3 }), 'creator')
  const after = object(apply(config({ minReadySeconds: null, strategy: null }), 'me', true))
  expect(after.spec?.strategy?.type).toBe('RollingUpdate')
  expect(after.spec?.minReadySeconds ?? 0).toBe(0)
  const { labels: _, ...rest } = config().metadata as JsonObject
  const without = object(apply({ ...config(), metadata: { ...rest, labels: null } }, 'other', true))
  expect(without.metadata.labels).toEqual({ app: 'web' })
})

test('keeps several list elements with the same key until the key is applied, with one owner for all of them', () => {
  const { create, apply } = world()
  const twice = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
    { name: 'A', value: '3' },
  ]
  const made = object(create(config({}, [{ name: 'c', image: 'nginx', env: twice }]), 'creator'))
  expect(JSON.stringify(made.metadata.managedFields)).toContain('"k:{\\"name\\":\\"A\\"}":{}')
  const applied = (env: readonly JsonObject[]) =>
    object(apply(config({}, [{ name: 'c', image: 'nginx', env }]), 'me', true)).spec?.template.spec?.containers[0]?.env
  expect(applied([{ name: 'C', value: '4' }])).toEqual([...twice, { name: 'C', value: '4' }])
  expect(applied([{ name: 'A', value: '5' }])).toEqual([
    { name: 'A', value: '5' },
    { name: 'B', value: '2' },
  ])
})

test('treats an applied name of null as a missing name', () => {
  const { apply } = world()
  expect(apply({ ...config(), metadata: { name: null } }, 'me')).toMatchObject({
    ok: false,
    status: {
      code: 400,
      message: 'the name of the object (web based on URL) was undeterminable: name must be provided',
    },
  })
})
