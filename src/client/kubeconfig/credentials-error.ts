/** The cluster is known, but no credentials are available: a plugin failed, or a login has expired. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
}

/** Joins the lines of a text from another program into one line. */
export function inOneLine(text: string, maxLength = 400): string {
  const line = text
    .split(/\s*\n\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('; ')
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`
}
