import { describe, expect, it } from 'vitest'
import { chooseFixes, fixes, fixIds } from './fixes.ts'

describe('which fixes are asked for', () => {
  it.each([
    ['nothing: upstream', {}, []],
    ['upstream by name', { behavior: 'upstream' }, []],
    ['improved: all', { behavior: 'improved' }, [...fixIds]],
    ['one by one', { fix: ['eviction-rate', 'toleration-edits'] }, ['eviction-rate', 'toleration-edits']],
    ['improved covers what is named too', { behavior: 'improved', fix: ['eviction-rate'] }, [...fixIds]],
  ])('enables fixes by flags: %s', (_, asked, expected) => {
    const chosen = chooseFixes(asked)
    expect(chosen.ok && [...chosen.value]).toEqual(expected)
  })

  it('reports unknown fixes', () => {
    expect(chooseFixes({ behavior: 'better' })).toEqual({
      ok: false,
      message: 'behavior "better" must be upstream or improved',
    })
    const unknown = chooseFixes({ fix: ['eviction-rates'] })
    expect(!unknown.ok && unknown.message).toContain('unknown fix "eviction-rates"; known fixes: toleration-edits,')
  })

  it('lists every fix under its own id', () => {
    expect(Object.values(fixes).map((fix) => fix.id)).toEqual([...fixIds])
  })
})
