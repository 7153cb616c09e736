import type { RandomStream } from '../../src/base/random.ts'

const atoms = [
  ...['a', 'b', 'c', 'ab', '.', '^', '$', '\\b', '\\B', '\\A', '\\z', '\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '\\pL'],
  ...['[abc]', '[^a]', '[a-c]', '[^\\n]', '[\\d_]', '[[:alpha:]]', '[[:^digit:]x]', '[]a]', '[^]a]', '[-a]', '[a-]'],
  ...[
    '\\p{Greek}',
    '\\P{Lu}',
    '\\p{^Nd}',
    '\\p{Letter}',
    '\\PN',
    '\\x41',
    '\\x{3b1}',
    '\\101',
    '\\n',
    '\\.',
    'é',
    '🚢',
  ],
  ...[
    '\\Qa.b\\E',
    '\\Q*',
    'K',
    'ſ',
    'K',
    'σ',
    'ß',
    '[k-s]',
    '[α-ω]',
    '[^K]',
    '\\-',
    '{',
    '}',
    ']',
    ',',
    '\\0',
    ' ',
    '_',
  ],
] as const
const quantifiers = [
  '',
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0,2}',
  '{1,}',
  '{0}',
  '{2,3}?',
  '{,2}',
] as const
const opens = ['(', '(', '(?:', '(?i)', '(?i:', '(?s:', '(?m:', '(?U:', '(?-i:', '(?is-m:', '(?P<n>', '(?<n>'] as const
/** Parts that are mostly errors, alone or where they stand. */
const odd = [
  ...[
    '(',
    ')',
    '[',
    ']',
    '**',
    '+*',
    '??+',
    '{1001}',
    '{2,1}',
    '{1000}{2}',
    '(?',
    '(?x)',
    '(?=a)',
    '(?P=n)',
    '(?P<',
    '(?P<n',
  ],
  ...[
    '(?P<n-m>a)',
    '(?<>a)',
    '\\8',
    '\\1',
    '\\C',
    '\\',
    '\\x',
    '\\x4',
    '\\xg',
    '\\x{}',
    '\\x{110000}',
    '\\x{4',
    '\\p',
    '\\p{',
  ],
  ...[
    '\\p{Foo}',
    '\\pX',
    '[b-a]',
    '[[:foo:]]',
    '[a',
    '[[:alpha:]',
    '[\\d-z]',
    '[a-\\d]',
    '[^',
    '[]',
    '[\\',
    '\\E',
    '(?i-:a)',
  ],
  ...[
    '(?--i)',
    '(?i',
    '\\é',
    '\\🚢',
    '(a{100}){11}',
    '(a{10}){100}',
    '|*',
    '(*)',
    '^*',
    '$+',
    '\\b?',
    'x{100000000000}',
    '{1',
  ],
] as const
const letters = [...'aaabbcABK kſσςΣ1_\n.éαΩ🚢ßK-'] as const

export function randomPattern(random: RandomStream): string {
  const pattern = sequence(random, 0)
  if (random.int(6) !== 0) return pattern
  const chars = [...pattern]
  const at = random.int(chars.length + 1)
  return [...chars.slice(0, at), random.pick(odd), ...chars.slice(at)].join('')
}

function sequence(random: RandomStream, depth: number): string {
  let text = ''
  for (let i = 1 + random.int(4); i > 0; i--) text += part(random, depth)
  return random.int(4) === 0 ? `${text}|${depth > 3 ? '' : sequence(random, depth + 1)}` : text
}

function part(random: RandomStream, depth: number): string {
  if (depth > 2 || random.int(3) !== 0) return random.pick(atoms) + random.pick(quantifiers)
  const open = random.pick(opens)
  if (open === '(?i)') return open
  return `${open}${random.int(10) === 0 ? '' : sequence(random, depth + 1)})${random.pick(quantifiers)}`
}

export function randomText(random: RandomStream): string {
  let text = ''
  for (let i = random.int(12); i > 0; i--) text += random.pick(letters)
  return text
}
