// v1.36, apiserver/pkg/endpoints/filters/warning.go.
const maxTotalRunes = 4 * 1024
const maxRunesWhenTruncating = 256

/**
 * Warnings as headers, each text once. If they have more than 4,096 characters together, each is cut to 256, and those
 * after 4,096 characters are left out. A text that a header cannot hold is left out as well.
 */
export function warningHeaders(warnings: readonly string[]): { readonly warning?: string[] } {
  if (warnings.length === 0) return {}
  const texts = [...new Set(warnings)].filter((text) => text !== '').map((text) => [...text])
  const total = texts.filter(fitsHeader).reduce((sum, { length }) => sum + length, 0)
  const headers: string[] = []
  let written = 0
  for (const text of texts) {
    if (written >= maxTotalRunes && total > maxTotalRunes) break
    const shown = total > maxTotalRunes ? text.slice(0, maxRunesWhenTruncating) : text
    if (!fitsHeader(shown)) continue
    written += shown.length
    headers.push(`299 - ${JSON.stringify(shown.join(''))}`)
  }
  return headers.length === 0 ? {} : { warning: headers }
}

const fitsHeader = (text: readonly string[]): boolean => !text.some((rune) => /\p{Cc}/u.test(rune))
