import { failed, type Result } from '../base/result.ts'
import type { StringMap } from './objects/meta.ts'

/** One requirement on a field. An absent field has the value "". */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** A conjunction of requirements on the selectable fields of a kind. */
export class FieldMatcher {
  readonly requirements: readonly FieldRequirement[]

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements
  }

  get everything(): boolean {
    return this.requirements.length === 0
  }

  matches(fields: StringMap): boolean {
    return this.matchesWith((field) => fields[field])
  }

  /** Matches with a function that reads a field. It is called for selected fields only. */
  matchesWith(read: (field: string) => string | undefined): boolean {
    for (const { field, operator, value } of this.requirements) {
      const found = read(field) ?? ''
      if ((found === value) !== (operator === '=')) return false
    }
    return true
  }

  /** The value that a field must have, if a requirement has one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((one) => one.field === field && one.operator === '=')?.value
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',')
  }
}

export const matchEveryField = new FieldMatcher([])

/** A selector in text form, as `kubectl --field-selector` takes it: `status.phase!=Running,spec.nodeName=a` (fields.ParseSelector). */
export function parseFieldSelector(text: string): Result<FieldMatcher> {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term)
    if (match === null) return failed(`invalid selector: '${text}'; can't understand '${term}'`)
    const [, field, operator, raw] = match as unknown as [string, string, string, string]
    const value = unescapeValue(raw)
    if (!value.ok) return value
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value: value.value })
  }
  return { ok: true, value: requirements.length === 0 ? matchEveryField : new FieldMatcher(requirements) }
}

/** Escapes a literal for the text of a selector. */
export function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

// Commas separate terms unless a backslash precedes them.
function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? []
}

function unescapeValue(text: string): Result<string> {
  let value = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (char === ',' || char === '=') {
      return failed(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`)
    }
    if (char !== '\\') {
      value += char
      continue
    }
    const next = text[++i]
    if (next !== '\\' && next !== ',' && next !== '=') {
      return failed(`invalid field selector: invalid escape sequence: \\${next ?? ''}`)
    }
    value += next
  }
  return { ok: true, value }
}
