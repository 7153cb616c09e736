import { keyOf } from '../../../src/api/object-key.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Change } from '../../../src/runtime/controller.ts'
import type { Fact } from '../../../src/whatif/facts/fact.ts'
import { FactWriter } from '../../../src/whatif/facts/trace.ts'
import type { Connection } from '../connection.ts'

/** Derives facts from the watches of nodes and pods. Times count from `start`. */
export async function watchFacts({ client }: Connection, start: number, write: (fact: Fact) => void) {
  const writer = new FactWriter(write)
  const watches = []
  for (const resource of ['nodes', 'pods'] as const) {
    const listed = await client.call({ verb: 'list', resource })
    if (!listed.ok || listed.kind !== 'list') throw new Error(`${resource} cannot be listed`)
    const known = new Map<string, KubeObject>(listed.items.map((item) => [keyOf(item), item]))
    const take = (event: { readonly type: string; readonly object?: unknown }) => {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') return
      const object = event.object as KubeObject
      const key = keyOf(object)
      const before = known.get(key)
      const after = event.type === 'DELETED' ? undefined : object
      if (after === undefined) known.delete(key)
      else known.set(key, after)
      writer.take({ resource, key, before, after } as unknown as Change, Date.now() - start, undefined)
    }
    const from = { resource, resourceVersion: listed.resourceVersion }
    watches.push(
      client.watch(
        from,
        (events) => events.forEach(take),
        () => {},
      ),
    )
  }
  return watches
}
