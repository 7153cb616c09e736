import { describe, expect, it } from 'vitest'
import type { ListCall } from '../../api/call.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

function world() {
  let nowMs = 0
  const registry = createRegistry({ store: createStore(), clock: { now: () => nowMs }, random: createRandom(1) })
  const write = (name: string) =>
    registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name } } })
  const list = (more: Partial<ListCall>) =>
    registry.call({ verb: 'list', resource: 'namespaces', limit: 1, ...more }) as {
      readonly continue?: string
      readonly items?: readonly unknown[]
      readonly status?: { readonly code?: number; readonly metadata?: { readonly continue?: string } }
    }
  return {
    write,
    list,
    advance: (seconds: number) => {
      nowMs += seconds * 1000
    },
  }
}

describe('a list in pages', () => {
  it('expires a list in pages five minutes after its version, with a token to continue with the current state', () => {
    const { write, list, advance } = world()
    for (const name of ['a', 'b', 'c']) write(name)
    const { continue: token = '' } = list({})
    advance(20)
    write('d')
    expect(list({ continue: token }).items).toHaveLength(1)
    advance(299)
    expect(list({ continue: token }).items).toHaveLength(1)
    advance(1)
    const expired = list({ continue: token })
    expect(expired.status?.code).toBe(410)
    const again = list({ continue: expired.status?.metadata?.continue ?? '' })
    expect(again.items).toMatchObject([{ metadata: { name: 'b' } }])
  })

  it('does not expire a list in pages while nothing is written', () => {
    const { write, list, advance } = world()
    for (const name of ['a', 'b', 'c']) write(name)
    const { continue: token = '' } = list({})
    for (let i = 0; i < 40; i++) {
      advance(20)
      expect(list({ continue: token }).items).toHaveLength(1)
    }
  })
})
