import { expect, test } from 'vitest'
import { failure } from '../../api/status.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

test('rejects writes to a full store like upstream with a full etcd, and accepts deletes', () => {
  const store = createStore({ limits: { maxBytes: 20_000 } })
  const registry = createRegistry({ store, clock: { now: () => 0 }, random: createRandom('1') })
  const create = (name: string, length: number) =>
    registry.call({
      verb: 'create',
      resource: 'configmaps',
      namespace: 'default',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'x'.repeat(length) } } as never,
    })
  registry.call({
    verb: 'create',
    resource: 'namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
  })
  expect(create('first', 10_000)).toMatchObject({ ok: true })
  const { reason: _, ...status } = failure('InternalError', 'etcdserver: mvcc: database space exceeded').status
  expect(create('second', 10_000)).toEqual({ ok: false, status })
  const first = { resource: 'configmaps', namespace: 'default', name: 'first' }
  expect(registry.call({ verb: 'delete', ...first })).toMatchObject({ ok: true })
  expect(create('second', 10_000)).toMatchObject({ ok: true })
})
