import { lookupTable } from '../lookup-table.ts'
import { anyRune, cleanClass, negateClass, type RuneClass, runesText } from './rune-class.ts'

const digit = [0x30, 0x39]
const small = [0x61, 0x7a]
const large = [0x41, 0x5a]
const word = [...digit, ...large, 0x5f, 0x5f, ...small]

/** `\d`, `\w`, `\s`: ASCII only. */
export const perlClasses: ReadonlyMap<string, RuneClass> = new Map<string, RuneClass>([
  ['d', digit],
  ['w', word],
  ['s', [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]],
])

/** `[[:alpha:]]` */
export const posixClasses: ReadonlyMap<string, RuneClass> = new Map<string, RuneClass>([
  ['alnum', [...digit, ...large, ...small]],
  ['alpha', [...large, ...small]],
  ['ascii', [0, 0x7f]],
  ['blank', [0x09, 0x09, 0x20, 0x20]],
  ['cntrl', [0, 0x1f, 0x7f, 0x7f]],
  ['digit', digit],
  ['graph', [0x21, 0x7e]],
  ['lower', small],
  ['print', [0x20, 0x7e]],
  ['punct', [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ['space', [0x09, 0x0d, 0x20, 0x20]],
  ['upper', large],
  ['word', word],
  ['xdigit', [...digit, 0x41, 0x46, 0x61, 0x66]],
])

export const isWordRune = (rune: number): boolean =>
  (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x30 && rune <= 0x39) || rune === 0x5f

const surrogates: RuneClass = [0xd800, 0xdfff]
const privateUse: RuneClass = [0xe000, 0xf8ff, 0xf0000, 0xffffd, 0x100000, 0x10fffd]

const known = new Map<string, RuneClass | undefined>()
const maxKnown = 500

/**
 * `\p{Greek}`, `\pL`: a general category, its long name, or a script, in any case and with any of `_`, `-` and spaces,
 * as Go reads names. The tables are from the Unicode version of Node. Undefined for an unknown class.
 */
export function unicodeClass(name: string): RuneClass | undefined {
  if (name.length > 50) return undefined
  const canonical = canonicalName(name)
  if (known.has(canonical)) return known.get(canonical)
  if (known.size >= maxKnown) known.clear()
  const found = readClass(canonical)
  known.set(canonical, found)
  return found
}

function canonicalName(name: string): string {
  const plain = name.replaceAll(/[_ -]/g, '')
  return plain.slice(0, 1).replace(/[a-z]/, (char) => char.toUpperCase()) + plain.slice(1).replaceAll(/[A-Z]/g, lower)
}

const lower = (char: string): string => char.toLowerCase()

function readClass(name: string): RuneClass | undefined {
  switch (name) {
    case 'Any':
      return anyRune
    case 'Ascii':
      return [0, 0x7f]
    case 'Assigned':
      return negateClass(unassigned())
    case 'Cn':
    case 'Unassigned':
      return unassigned()
    case 'Cs':
    case 'Surrogate':
      return surrogates
    case 'Co':
    case 'Privateuse':
      return privateUse
    case 'C':
    case 'Other':
      return cleanClass([...unassigned(), ...surrogates, ...privateUse, ...scan(/[\p{Cc}\p{Cf}]+/gu)])
    case 'Lc':
    case 'Casedletter':
      return scan(/\p{LC}+/gu)
    default:
      return byProperty(name)
  }
}

const unassigned = (): RuneClass => negateClass(cleanClass([...surrogates, ...privateUse, ...scan(/[^\p{Cn}]+/gu)]))

const categories = new Set(
  'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf'.split(' '),
)

/** Long names of categories (Unicode, PropertyValueAliases). */
const longNames = lookupTable<string>({
  Letter: 'L',
  Uppercaseletter: 'Lu',
  Lowercaseletter: 'Ll',
  Titlecaseletter: 'Lt',
  Modifierletter: 'Lm',
  Otherletter: 'Lo',
  Mark: 'M',
  Combiningmark: 'M',
  Nonspacingmark: 'Mn',
  Spacingmark: 'Mc',
  Enclosingmark: 'Me',
  Number: 'N',
  Decimalnumber: 'Nd',
  Digit: 'Nd',
  Letternumber: 'Nl',
  Othernumber: 'No',
  Punctuation: 'P',
  Punct: 'P',
  Connectorpunctuation: 'Pc',
  Dashpunctuation: 'Pd',
  Openpunctuation: 'Ps',
  Closepunctuation: 'Pe',
  Initialpunctuation: 'Pi',
  Finalpunctuation: 'Pf',
  Otherpunctuation: 'Po',
  Symbol: 'S',
  Mathsymbol: 'Sm',
  Currencysymbol: 'Sc',
  Modifiersymbol: 'Sk',
  Othersymbol: 'So',
  Separator: 'Z',
  Spaceseparator: 'Zs',
  Lineseparator: 'Zl',
  Paragraphseparator: 'Zp',
  Control: 'Cc',
  Cntrl: 'Cc',
  Format: 'Cf',
})

function byProperty(name: string): RuneClass | undefined {
  const category = longNames[name] ?? name
  if (categories.has(category)) return scan(new RegExp(`\\p{${category}}+`, 'gu'))
  const script = scriptName(name)
  return script === undefined ? undefined : scan(new RegExp(`\\p{Script=${script}}+`, 'gu'))
}

// Go's table of scripts has single-word names as keys, so `Old_Italic` cannot be found, and `Greek` and `nko` can.
function scriptName(name: string): string | undefined {
  // Four letters are a short name, which JavaScript accepts and Go does not, unless the long name has four letters too.
  if (!/^[A-Z][a-z]+$/.test(name) || name === 'Unknown') return undefined
  if (name.length === 4 && !shortScripts.has(name)) return undefined
  return isScript(name) ? name : undefined
}

const shortScripts = new Set('Cham Lisu Mro Thai Toto Ahom Newa Vai Yi Nko Lao'.split(' '))

function isScript(name: string): boolean {
  try {
    return new RegExp(`\\p{Script=${name}}`, 'u').source !== ''
  } catch {
    return false
  }
}

let assignable: readonly (readonly [first: number, text: string])[] | undefined

/** The code points that a pattern of one class matches. Planes without characters are skipped. */
function scan(pattern: RegExp): RuneClass {
  assignable ??= [
    [0, runesText(0, 0xd7ff)],
    [0xe000, runesText(0xe000, 0x3ffff)],
    [0xe0000, runesText(0xe0000, 0xe0fff)],
  ]
  const found: number[] = []
  for (const [first, text] of assignable) {
    let rune = first
    let at = 0
    for (const match of text.matchAll(pattern)) {
      rune += runesBetween(text, at, match.index)
      const count = runesBetween(text, match.index, match.index + match[0].length)
      found.push(rune, rune + count - 1)
      rune += count
      at = match.index + match[0].length
    }
  }
  return cleanClass(found)
}

function runesBetween(text: string, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xdc00 || unit > 0xdfff) count++
  }
  return count
}
