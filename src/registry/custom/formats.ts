import { parseCidr } from '../../api/cidr.ts'
import { parseGoDuration } from '../../api/go-duration.ts'
import { parseIp } from '../../api/ip-address.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { regularExpression } from '../../base/regexp/regular-expression.ts'
import { isDay } from '../../cel/library/conversions.ts'
import { base64Pattern, uuidPattern } from '../../cel/library/named-formats.ts'
import { readUrl } from '../../cel/library/urls.ts'
import { itemsOf, type Schema } from './schema.ts'

const matching =
  (pattern: RegExp) =>
  (value: string): boolean =>
    pattern.test(value)

// strfmt, HostnamePattern: a top-level domain has at least two letters.
const hostname = String.raw`^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`

function isHostname(value: string): boolean {
  if (Buffer.byteLength(value) > 255 || value.split('.').some((part) => Buffer.byteLength(part) > 63)) return false
  return regularExpression(hostname).test(value)
}

/** Duration units with their names. A unit is one of the names, or a word that starts with the last name. */
const units: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, 'ns', 'nano'],
  [1_000n, 'us', 'µs', 'micro'],
  [1_000_000n, 'ms', 'milli'],
  [1_000_000_000n, 's', 'sec'],
  [60_000_000_000n, 'm', 'min'],
  [3_600_000_000_000n, 'h', 'hr', 'hour'],
  [86_400_000_000_000n, 'd', 'day'],
  [604_800_000_000_000n, 'w', 'wk', 'week'],
]

/** A duration as Go or Scala writes it, in nanoseconds (strfmt.ParseDuration). */
export function readDuration(text: string): bigint | undefined {
  const go = parseGoDuration(text)
  if (go.ok) return go.value
  let total: bigint | undefined
  let count: string | undefined
  // Numbers, spaces, units, and other characters: one alternative matches at every position, so no text is scanned
  // twice.
  for (const [token, digits, space, unit] of text.matchAll(/(\d+)|(\s+)|([A-Za-zµ]+)|[^\d\sA-Za-zµ]+/g)) {
    if (unit !== undefined && count !== undefined) {
      const nanos = nanosOf(unit.toLowerCase())
      if (nanos !== undefined) total = (total ?? 0n) + BigInt(count) * nanos
    }
    if (space === undefined) count = digits === undefined ? undefined : token
  }
  return total
}

/** The sum of all units that the word matches: upstream adds them up. */
function nanosOf(unit: string): bigint | undefined {
  const found = units.filter(([, ...names]) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ''))
  return found.length === 0 ? undefined : found.reduce((sum, [nanos]) => sum + nanos, 0n)
}

function isDateTime(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(value)
  if (match === null) return false
  const [, day = '', hour, minute, second] = match
  return isDay(day) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
}

const uuidOf = (version: number, variant: string) =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'))

/** Formats that v1.36 enforces (apiextensions-apiserver, supportedVersionedFormats), by name without dashes. */
const formats = lookupTable<(value: string) => boolean>({
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  uri: (value) => readUrl(value).ok,
  email: matching(/^(?:[^<>]*<)?[^@\s<>]+@[^@\s<>]+>?$/),
  hostname: isHostname,
  ipv4: (value) => value.includes('.') && parseIp(value) !== undefined,
  ipv6: (value) => value.includes(':') && parseIp(value) !== undefined,
  cidr: (value) => parseCidr(value) !== undefined,
  mac: matching(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}|[0-9a-f]{2}\1[0-9a-f]{2}\1[0-9a-f]{2})|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){3}[0-9a-f]{4})$/i,
  ),
  uuid: matching(uuidPattern),
  uuid3: uuidOf(3, '[0-9a-f]'),
  uuid4: uuidOf(4, '[89ab]'),
  uuid5: uuidOf(5, '[89ab]'),
  isbn: (value) => isIsbn(value, 10) || isIsbn(value, 13),
  isbn10: (value) => isIsbn(value, 10),
  isbn13: (value) => isIsbn(value, 13),
  creditcard: matching(/^\D*(?:\d\D*){13,19}$/),
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(/^rgb\(\s*(?:(?:[01]?\d?\d|2[0-4]\d|25[0-5])\s*,\s*){2}(?:[01]?\d?\d|2[0-4]\d|25[0-5])\s*\)$/),
  byte: matching(base64Pattern),
  password: () => true,
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value),
  duration: (value) => readDuration(value) !== undefined,
  datetime: isDateTime,
  k8sshortname: (value) => value.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value),
  k8slongname: (value) =>
    value.length <= 253 && value.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part)),
})

function isIsbn(value: string, length: 10 | 13): boolean {
  const digits = value.replace(/[\s-]/g, '')
  if (!(length === 10 ? /^\d{9}[\dX]$/ : /^\d{13}$/).test(digits)) return false
  let sum = 0
  ;[...digits].forEach((char, i) => {
    const digit = char === 'X' ? 10 : Number(char)
    sum += length === 10 ? digit * (10 - i) : digit * (i % 2 === 0 ? 1 : 3)
  })
  return sum % (length === 10 ? 11 : 10) === 0
}

const nameOf = (format: string): string => format.replaceAll('-', '')

/** Whether a string has a format. Unknown formats are not checked. */
export function hasFormat(value: string, format: string): boolean {
  const name = nameOf(format)
  return Object.hasOwn(formats, name) ? (formats[name]?.(value) ?? true) : true
}

/** The format of a schema, if it is enforced. */
export function effectiveFormat({ type = '', format = '' }: Schema): string | undefined {
  if (format === '') return undefined
  if (type === '' || type === 'string') return Object.hasOwn(formats, nameOf(format)) ? format : undefined
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : undefined
  return type === 'number' && (format === 'float' || format === 'double') ? format : undefined
}

/** Formats in a schema that are not enforced, each once. */
export function unknownFormats(schema: Schema, found: Set<string> = new Set()): ReadonlySet<string> {
  if (schema.format !== undefined && schema.format !== '' && effectiveFormat(schema) === undefined)
    found.add(schema.format)
  const items = itemsOf(schema)
  const values = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
  const parts = [
    ...(items === undefined ? [] : [items]),
    ...values,
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.not === undefined ? [] : [schema.not]),
  ]
  for (const part of parts) unknownFormats(part, found)
  return found
}
