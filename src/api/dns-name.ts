const dash = 45
const dot = 46

/** `[a-z0-9]([-a-z0-9]*[a-z0-9])?`. Every object has names, and a loop is faster than a regular expression. */
export function isDnsLabel(text: string): boolean {
  return isName(text, false)
}

/** Labels with dots in between. */
export function isDnsSubdomain(text: string): boolean {
  return isName(text, true)
}

function isName(text: string, mayHaveDots: boolean): boolean {
  // The first character must not be a dash or a dot, like the character after a dot.
  let before = dot
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isAlphanumeric = (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
    if (!isAlphanumeric) {
      if (code !== dash && (code !== dot || !mayHaveDots)) return false
      // Labels neither start nor end with a dash, and are not empty.
      if (before === dot || (code === dot && before === dash)) return false
    }
    before = code
  }
  return before !== dot && before !== dash
}
