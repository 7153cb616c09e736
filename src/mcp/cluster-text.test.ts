import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asClusterData, oneLine, visible } from './cluster-text.ts'

const nasty = fc.array(
  fc.oneof(
    fc.constantFrom(
      '<',
      '/',
      'cluster-data',
      '>',
      '</cluster-data>',
      '<CLUSTER-DATA>',
      ' ',
      '\n',
      '\t',
      '\u200b',
      '\u202e',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
  { maxLength: 12 },
)

describe('text of the cluster', () => {
  it.each([
    ['plain text', 'web-0 is Running\n', 'web-0 is Running\n'],
    ['a terminal sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['text without width', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['another direction', '\u202eevil', '\\u{202e}evil'],
    ['hidden tags', 'a\u{e0049}', 'a\\u{e0049}'],
    ['a part of a character', 'a\ud800', 'a\\u{d800}'],
    ['another language', 'Grüße 世界', 'Grüße 世界'],
  ])('shows %s', (_name, given, expected) => {
    expect(visible(given)).toBe(expected)
  })

  it('text of the cluster is one line where a line is expected', () => {
    expect(oneLine('a\nb\tc\r')).toBe('a\\nb\\tc\\u{d}')
  })

  it('text of the cluster cannot contain the marks around it', () => {
    fc.assert(
      fc.property(nasty, (parts) => {
        const lines = asClusterData(parts.join('')).split('\n')
        const inner = lines.slice(1, -1).join('\n')
        expect(lines[0]).toBe('<cluster-data>')
        expect(lines.at(-1)).toBe('</cluster-data>')
        expect(inner).not.toMatch(/<\s*\/?\s*cluster-data/i)
        expect(visible(inner)).toBe(inner)
      }),
    )
  })
})
