import type { RandomStream } from '../../src/base/random.ts'

/**
 * The repeated parts: single characters of every class that a parser distinguishes, then pairs that alternate between
 * classes.
 */
const units = [
  ...'a1A0.-_/:,;=+*?!@#%&|~^$ \t\n"\'\\()[]{}<>xeEmiKéż🚢',
  ...['a-', 'a.', 'a/', 'a:', '0.', '1,', '1-', ' ,', '\\.', '[]', '::', '..', '//', '0x', '1e', '1m', '1h', '1ns'],
  ...['a=b,', 'a in (', '%25', '%', '\\u0000', '${', '$(', '{{', '-----BEGIN ', 'a@', '<a', '&a ', '*/1 ', '0-1,'],
  ...['aA', 'a1', '1a', '-a', '.a', '1 ', 'a\n', '\r\n', '\u0000', '\u2028', 'ſ', 'K', 'İ', '٠', '\ud800'],
] as const

/** Prefixes and suffixes with which a matcher reads far before it fails. */
const prefixes = [
  '',
  '',
  '',
  'a',
  '1',
  '-',
  '+',
  '.',
  '[',
  '/',
  'v1.',
  '2026-01-01T00:00:00.',
  'http://',
  'iqn.2020-01.',
  '0x',
  '1.',
]
const suffixes = ['', '', '!', '\u0000', '.', '-', ':', '/', 'a', '1', 'Z', 'Ki', 'm', 'e9', '%', ']', '"', '\n', '🚢']

export interface AttackString {
  readonly text: string
  /** Short: `"a-" x 30000, then "!"`. */
  readonly name: string
}

/** A text of about that many characters that repeats one unit, or two. */
export function attackString(random: RandomStream, size: number): AttackString {
  const unit = random.int(8) === 0 ? random.pick(units) + random.pick(units) : random.pick(units)
  const prefix = random.pick(prefixes)
  const suffix = random.pick(suffixes)
  const times = Math.max(1, Math.floor(size / unit.length))
  const shown = [
    prefix === '' ? '' : `${JSON.stringify(prefix)}, then `,
    `${JSON.stringify(unit)} x ${times}`,
    suffix === '' ? '' : `, then ${JSON.stringify(suffix)}`,
  ]
  return { text: prefix + unit.repeat(times) + suffix, name: shown.join('') }
}

/** Sizes that show quadratic growth without making linear work expensive. */
export const attackSizes = [1_000, 20_000, 60_000, 120_000, 250_000] as const
