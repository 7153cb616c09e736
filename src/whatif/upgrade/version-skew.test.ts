import { describe, expect, it } from 'vitest'
import { upgradePath } from './version-skew.ts'

describe('upgradePath', () => {
  it.each([
    ['1.34.3', '1.35', '1.34.3', '1.35.8'],
    ['1.35.0', '1.35.8', '1.35.0', '1.35.8'],
    ['v1.36.2-gke.100', '1.37.1', '1.36.2', '1.37.1'],
  ])('upgradePath allows %s to %s', (from, to, fromVersion, toVersion) => {
    const path = upgradePath(from, to, false)
    expect(path).toMatchObject({ ok: true, value: { from: { version: fromVersion }, to: { version: toVersion } } })
  })

  it('uses the oldest known release instead of an older one', () => {
    const path = upgradePath('v1.33.5', '1.34.1', false)
    expect(path).toMatchObject({ ok: true, value: { from: { version: '1.34.11' }, assumed: '1.33.5' } })
  })

  it('refuses to skip a minor version, unless it is allowed', () => {
    expect(upgradePath('1.34.3', '1.37.1', false)).toEqual({
      ok: false,
      message:
        'v1.34.3 to v1.37.1 skips a minor version, which Kubernetes does not support: upgrade to 1.35 first, or pass --allow-skip',
    })
    expect(upgradePath('1.34.3', '1.37.1', true).ok).toBe(true)
    expect(upgradePath('v1.32.1', '1.34', false).ok).toBe(false)
  })

  it('refuses a downgrade and unknown versions', () => {
    expect(upgradePath('1.36.4', '1.35.8', false)).toMatchObject({
      ok: false,
      message: expect.stringContaining('older'),
    })
    expect(upgradePath('1.36', '1.99', false)).toMatchObject({ ok: false, message: expect.stringContaining('known') })
    expect(upgradePath('soon', '1.36', false).ok).toBe(false)
  })
})
