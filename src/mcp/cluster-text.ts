// Any user who can create an object can write text into a cluster. A model must be able to distinguish it from the sentences of
// this server, and must not get characters that are invisible to a person who reads the same answer.

const opening = '<cluster-data>'
const closing = '</cluster-data>'

/** Control and format characters, marks that change the direction of text, and characters without width. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The text with every invisible character as `\u{…}`. Line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(invisible, (one) =>
    one === '\n' || one === '\t' ? one : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** The text on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** Makes every text of a value visible, including field names. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(visibleValue)
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), visibleValue(member)]))
}

/** Marks text as data of the cluster. The text cannot contain the marks. */
export function asClusterData(text: string): string {
  const safe = visible(text).replaceAll(/<(?=\s*\/?\s*cluster-data)/gi, '\\u{3c}')
  return `${opening}\n${safe}${safe.endsWith('\n') ? '' : '\n'}${closing}`
}
