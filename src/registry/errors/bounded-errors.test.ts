import { expect, test } from 'vitest'
import type { CreateCall, Outcome } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { definitionOf } from '../custom/definition.fixture.ts'
import { createRegistry } from '../registry.ts'
import { maxErrorText } from './field-error.ts'
import { writeOptionErrors } from './option-errors.ts'

const registry = createRegistry({
  store: createStore(),
  clock: { now: () => Date.UTC(2026, 0, 1) },
  random: createRandom(1),
})
const create = (resource: string, object: JsonObject, more: Partial<CreateCall> = {}): Outcome =>
  registry.call({ verb: 'create', resource, namespace: 'default', object: object as unknown as KubeObject, ...more })
registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })

const values = Array.from({ length: 2000 }, (_, i) => `value-${i}`)
const item: JsonObject = { type: 'string', enum: values }
const either: JsonObject = { type: 'string', anyOf: [{ maxLength: 1 }, { minLength: 2 }] }
const properties = { items: { type: 'array', items: item }, either: { type: 'array', items: either } }
registry.call({
  verb: 'create',
  resource: 'customresourcedefinitions.apiextensions.k8s.io',
  object: definitionOf({ plural: 'widgets', kind: 'Widget' }, [
    { schema: { openAPIV3Schema: { type: 'object', properties } } },
  ]),
})

const widget = (name: string, more: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...more,
})
const lengthOf = (outcome: Outcome): number => JSON.stringify(outcome).length

test('rejects a pod with very many errors and returns the first of them', () => {
  const containers = Array<Json>(100_000).fill({})
  const outcome = create('pods', { metadata: { name: 'a' }, spec: { containers } })
  expect(outcome).toMatchObject({ ok: false, status: { code: 422 } })
  expect(lengthOf(outcome)).toBeLessThan(4 * maxErrorText)
  const { message = '' } = (outcome as { readonly status: { readonly message?: string } }).status
  expect(message).toMatch(/^Pod "a" is invalid: \[spec.containers\[0\].name: Required value, /)
  expect(message).toContain('the object has more errors than are shown; correct these first')
})

test('rejects a custom resource with very many values outside of an enum and returns the first of them', () => {
  const outcome = create('widgets.example.com', widget('a', { items: Array<Json>(50_000).fill('x') }))
  expect(outcome).toMatchObject({ ok: false, status: { code: 422 } })
  expect(lengthOf(outcome)).toBeLessThan(4 * maxErrorText)
})

test('does not count errors of alternatives if another alternative is valid', () => {
  const outcome = create('widgets.example.com', widget('b', { either: Array<Json>(20_000).fill('text') }))
  expect(outcome).toMatchObject({ ok: true })
})

test('reports unknown fields with long paths within the size limit', () => {
  const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x${i}`, 1]))
  const long = 'k'.repeat(100_000)
  const pod = (name: string): JsonObject => ({
    metadata: { name },
    spec: { containers: [{ name: 'a', [long]: unknown, ...unknown }] },
  })
  const refused = create('pods', pod('a'), { fieldValidation: 'Strict' })
  expect(refused).toMatchObject({ ok: false, status: { code: 400 } })
  expect(lengthOf(refused)).toBeLessThan(4 * maxErrorText)
  const custom = create('widgets.example.com', widget('c', { [long]: 1, ...unknown }), { fieldValidation: 'Strict' })
  expect(lengthOf(custom)).toBeLessThan(4 * maxErrorText)
})

test('rejects unknown fields of a spec even if an earlier body with this spec had too many other unknown fields', () => {
  const spec: JsonObject = { containers: [{ name: 'a', image: 'b' }], unheard: 1 }
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]))
  create('pods', { ...many, metadata: { name: 'f' }, spec }, { fieldValidation: 'Ignore' })
  expect(create('pods', { metadata: { name: 'f' }, spec }, { fieldValidation: 'Strict' })).toMatchObject({
    ok: false,
    status: { message: expect.stringContaining('unknown field "spec.unheard"') },
  })
})

test('reports the unprintable characters of a field manager within the size limit', () => {
  const options = { fieldManager: '\n'.repeat(6000), dryRun: [], fieldValidation: '' }
  const errors = writeOptionErrors(options)
  expect(JSON.stringify(errors).length).toBeLessThan(4 * maxErrorText)
  expect(errors[0]).toMatchObject({ field: 'fieldManager', reason: 'FieldValueTooLong' })
  expect(errors[1]?.message).toMatch(/^Invalid value: "(\\n){6000}": invalid character U\+000A \(at position 0\)$/)
})
