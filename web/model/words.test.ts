import { describe, expect, it } from 'vitest'
import {
  agoText,
  counted,
  countText,
  cpuText,
  distanceText,
  memoryText,
  momentText,
  percentText,
  spanText,
  untilText,
} from './words.ts'

describe('figures as people write them', () => {
  it.each([
    [0, '0'],
    [250, '250m'],
    [1_000, '1'],
    [1_500, '1.5'],
    [96_000, '96'],
    [12_345_678, '12,346'],
  ])('%d thousandths of a core are %s', (milli, text) => expect(cpuText(milli)).toBe(text))

  it.each([
    [0, '0'],
    [512, '512'],
    [64 * 1024 ** 2, '64 Mi'],
    [1.5 * 1024 ** 3, '1.5 Gi'],
    [300 * 1024 ** 4, '300 Ti'],
  ])('%d bytes are %s', (bytes, text) => expect(memoryText(bytes)).toBe(text))

  it.each([
    [0, '0s'],
    [59_400, '59s'],
    [65_000, '1m 05s'],
    [3_600_000, '1h 00m'],
    [47 * 3_600_000, '47h 00m'],
    [49 * 3_600_000, '2d 1h'],
  ])('%d ms are %s', (ms, text) => expect(spanText(ms)).toBe(text))

  it('shows tenths of a second only if there are any, and only for short durations', () => {
    expect([0, 1_500, 21_380, 60_500].map(momentText)).toEqual(['0s', '1.5s', '21.4s', '1m 01s'])
  })

  it('separates thousands, and uses singular and plural', () => {
    expect(countText(1_234_567)).toBe('1,234,567')
    expect([0, 1, 2_000].map((count) => counted(count, 'pod'))).toEqual(['0 pods', '1 pod', '2,000 pods'])
  })

  it('returns no share of zero', () => {
    expect([percentText(0.256), percentText(0 / 0), percentText(1 / 0)]).toEqual(['26 %', '–', '–'])
  })

  it('formats past and future times', () => {
    expect(agoText(0, 500)).toBe('just now')
    expect(agoText(0, 61_000)).toBe('1m 01s ago')
    expect(untilText(500, 0)).toBe('now')
    expect(untilText(90_000, 0)).toBe('in 1m 30s')
    expect([distanceText(0, 61_000), distanceText(90_000, 0)]).toEqual(['1m 01s ago', 'in 1m 30s'])
  })
})
