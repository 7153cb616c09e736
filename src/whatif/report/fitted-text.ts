// Texts that fit a width. Widths are characters; names in Kubernetes are ASCII.

/** The width of sentences in a forecast object, and of output without a terminal. */
export const usualWidth = 110

interface FittedList {
  readonly before?: string
  readonly after?: string
  readonly width?: number
  /** The unit of the items, singular and plural, for the number of the others. */
  readonly unit?: readonly [string, string]
}

/** Lists as many items as fit between `before` and `after`, at least one, then the number of the others. */
export function fitList(
  items: readonly string[],
  { before = '', after = '', width = usualWidth, unit }: FittedList,
): string {
  const room = width - before.length - after.length
  for (let shown = items.length; shown > 1; shown--) {
    const text = joined(items, shown, unit)
    if (text.length <= room) return before + text + after
  }
  const rest = joined(items, 1, unit).length - (items[0]?.length ?? 0)
  return before + joined([cutMiddle(items[0] ?? '', Math.max(12, room - rest)), ...items.slice(1)], 1, unit) + after
}

function joined(items: readonly string[], shown: number, unit?: readonly [string, string]): string {
  const list = items.slice(0, shown).join(', ')
  const others = items.length - shown
  if (others <= 0) return list
  return `${list} and ${others} more${unit === undefined ? '' : ` ${unit[others === 1 ? 0 : 1]}`}`
}

/** Replaces the middle, because names differ at their ends: generated names at the end, namespaces at the start. */
export function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text
  if (width <= 1) return '…'.slice(0, Math.max(0, width))
  const left = Math.ceil((width - 1) * 0.4)
  return `${text.slice(0, left)}…${text.slice(text.length - (width - 1 - left))}`
}

/** Cuts the end of a sentence, because the start is the most important part. */
export function cutEnd(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`
}

/**
 * Breaks a text at spaces. The first line keeps its indentation, and later lines are indented further. A word that is
 * too long is not broken. Escape sequences for colors have no width.
 */
export function wrapped(text: string, width: number, indent = '  '): readonly string[] {
  const lead = /^ */.exec(text)?.[0] ?? ''
  const lines: string[] = []
  let line = lead
  let isEmpty = true
  for (const word of text.slice(lead.length).split(' ')) {
    if (!isEmpty && shownLength(line) + 1 + shownLength(word) > width) {
      lines.push(line)
      line = lead + indent + word
    } else line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

function shownLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the escape sequences of colors
  return text.replaceAll(/\u001b\[\d+m/g, '').length
}
