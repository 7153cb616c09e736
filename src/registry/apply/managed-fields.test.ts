import { expect, it } from 'vitest'
import type { KubeObject, ManagedFieldsEntry } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

/** A config map that `tool` writes at ten past with `first`, and at twenty past with each of the others. */
function timesAfter(kind: 'replace' | 'apply', first: object, ...others: readonly object[]): readonly string[] {
  let now = Date.UTC(2026, 0, 1, 0, 10)
  const registry = createRegistry({ store: createStore(), clock: { now: () => now }, random: createRandom(1) })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'shop' } } })
  let last: KubeObject | undefined
  for (const data of [first, ...others]) {
    const target = { resource: 'configmaps', namespace: 'shop', fieldManager: 'tool' } as const
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data } as KubeObject
    const outcome = registry.call(
      kind === 'apply'
        ? { ...target, verb: 'patch', name: 'm', patch: { kind: 'apply', object: object as never } }
        : last === undefined
          ? { ...target, verb: 'create', object }
          : { ...target, verb: 'update', name: 'm', object },
    )
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    last = outcome.object
    now = Date.UTC(2026, 0, 1, 0, 20)
  }
  return (last?.metadata.managedFields ?? []).map(({ time }: ManagedFieldsEntry) => time?.slice(11, 16) ?? '')
}

it.each(['replace', 'apply'] as const)(
  '%s sets the time of its managedFields entry when it changes a value',
  (kind) => {
    expect(timesAfter(kind, { a: '1' }, { a: '2' })).toEqual(['00:20'])
  },
)

it.each(['replace', 'apply'] as const)('%s keeps the time of its managedFields entry when nothing changes', (kind) => {
  expect(timesAfter(kind, { a: '1' }, { a: '1' })).toEqual(['00:10'])
})

it('an update that only removes a field keeps the time of its managedFields entry', () => {
  expect(timesAfter('replace', { a: '1', b: '2' }, { a: '1' })).toEqual(['00:10'])
})
