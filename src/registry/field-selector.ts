import { failed, type Result } from '../base/result.ts'

export interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** `spec.nodeName=n1,status.phase!=Running` (apimachinery fields.ParseSelector). A backslash escapes `\`, `,` and `=`. */
export function parseFieldSelector(text: string): Result<readonly FieldRequirement[]> {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text)) {
    if (term === '') continue
    const split = splitTerm(term)
    const value = split === undefined ? undefined : unescaped(split.value)
    if (split === undefined || value === undefined) {
      return failed(`invalid selector: '${text}'; can't understand '${term}'`)
    }
    requirements.push({ field: split.field, equal: split.equal, value })
  }
  return { ok: true, value: requirements }
}

function splitTerms(text: string): string[] {
  if (text === '') return []
  const terms: string[] = []
  let start = 0
  let escaped = false
  for (let i = 0; i < text.length; i++) {
    if (escaped) escaped = false
    else if (text[i] === '\\') escaped = true
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function splitTerm(term: string): FieldRequirement | undefined {
  for (let i = 0; i < term.length; i++) {
    for (const operator of ['!=', '==', '=']) {
      if (!term.startsWith(operator, i)) continue
      return { field: term.slice(0, i), equal: operator !== '!=', value: term.slice(i + operator.length) }
    }
  }
  return undefined
}

function unescaped(text: string): string | undefined {
  let out = ''
  let escaped = false
  for (const char of text) {
    if (escaped) {
      if (char !== '\\' && char !== ',' && char !== '=') return undefined
      out += char
      escaped = false
    } else if (char === '\\') escaped = true
    else if (char === ',' || char === '=') return undefined
    else out += char
  }
  return escaped ? undefined : out
}
