import { describe, expect, it } from 'vitest'
import { chooseFixes, fixes, fixIds } from './fixes.ts'

describe('fixes by flags', () => {
  it.each([
    ['upstream by default', {}, []],
    ['upstream on request', { behavior: 'upstream' }, []],
    ['improved enables all fixes', { behavior: 'improved' }, [...fixIds]],
    ['individual fixes', { fix: ['eviction-rate', 'toleration-edits'] }, ['eviction-rate', 'toleration-edits']],
    [
      'improved enables all fixes even if individual fixes are listed',
      { behavior: 'improved', fix: ['eviction-rate'] },
      [...fixIds],
    ],
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
