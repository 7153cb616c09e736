// v1.36, apiserver/pkg/endpoints/filters/warning.go.
const maxTotalRunes = 4 * 1024
const maxRunesWhenTruncating = 256

/**
 * Warnings as headers, each text once. If they have more than 4,096 characters together, each text is cut to 256
 * characters, and texts after 4,096 characters are omitted. A text that a header cannot contain is omitted as well.
 */
export function warningHeaders(warnings: readonly string[]): { readonly warning?: string[] } {
  if (warnings.length === 0) return {}
  const texts = [...new Set(warnings)].filter((text) => text !== '')
  const isTruncated = isLong(texts)
  const headers: string[] = []
  let written = 0
  for (const text of texts) {
    if (isTruncated && written >= maxTotalRunes) break
    const shown = isTruncated ? beginning(text, maxRunesWhenTruncating) : text
    if (!fitsHeader(shown)) continue
    written += runes(shown)
    headers.push(`299 - ${headerBytes(JSON.stringify(shown))}`)
  }
  return headers.length === 0 ? {} : { warning: headers }
}

/** Whether the texts are too long together. Stops counting at the limit: there may be thousands of warnings. */
function isLong(texts: readonly string[]): boolean {
  let total = 0
  for (const text of texts) {
    if (fitsHeader(text)) total += runes(text)
    if (total > maxTotalRunes) return true
  }
  return false
}

/** A rune is at most two code units. */
const beginning = (text: string, count: number): string => [...text.slice(0, 2 * count)].slice(0, count).join('')
const runes = (text: string): number => [...text.slice(0, 2 * maxTotalRunes + 2)].length
const fitsHeader = (text: string): boolean => !/\p{Cc}/u.test(text)

/** Node writes each character of a header as one byte, and refuses others. Go sends the text in UTF-8. */
const headerBytes = (text: string): string => Buffer.from(text).toString('latin1')
