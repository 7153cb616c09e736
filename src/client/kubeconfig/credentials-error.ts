/** The cluster is known, but nothing that it would accept can be had now: a plugin failed, a login is over. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
}

/** What others wrote, over as many lines as they liked, as a part of one line of ours. */
export function inOneLine(text: string, maxLength = 400): string {
  const line = text
    .split(/\s*\n\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('; ')
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`
}
