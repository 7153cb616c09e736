// Label selectors in the syntax of kubectl -l: `app=web`, `app!=web`, `tier in (a,b)`, `tier notin (a)`, `app`, `!app`.

export type Labels = Readonly<Record<string, string>>

type Requirement = (labels: Labels) => boolean

export type ParsedSelector =
  | { readonly ok: true; readonly matches: (labels: Labels) => boolean }
  | { readonly ok: false; readonly message: string }

const namePattern = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?'
const valuePattern = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?'
const equalityPattern = new RegExp(`^(${namePattern})\\s*(==|=|!=)\\s*(${valuePattern})?$`)
const membershipPattern = new RegExp(`^(${namePattern})\\s+(in|notin)\\s*\\(([^()]*)\\)$`)
const existencePattern = new RegExp(`^(!?)\\s*(${namePattern})$`)

/** Whether the text is a label selector rather than a name. */
export function looksLikeSelector(text: string): boolean {
  return /[=!(]/.test(text)
}

export function parseSelector(text: string): ParsedSelector {
  const requirements: Requirement[] = []
  for (const part of splitOutsideBrackets(text)) {
    const requirement = parseRequirement(part.trim())
    if (requirement === undefined)
      return { ok: false, message: `${JSON.stringify(part.trim())} is not a valid label selector` }
    requirements.push(requirement)
  }
  return { ok: true, matches: (labels) => requirements.every((holds) => holds(labels)) }
}

function parseRequirement(text: string): Requirement | undefined {
  const equality = equalityPattern.exec(text)
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality
    if (operator === '!=') return (labels) => own(labels, key) !== value
    return (labels) => own(labels, key) === value
  }
  const membership = membershipPattern.exec(text)
  if (membership !== null) {
    const [, key = '', operator, list = ''] = membership
    const values = new Set(list.split(',').map((value) => value.trim()))
    if (operator === 'in') return (labels) => values.has(own(labels, key) ?? '') && own(labels, key) !== undefined
    return (labels) => own(labels, key) === undefined || !values.has(own(labels, key) ?? '')
  }
  const existence = existencePattern.exec(text)
  if (existence === null) return undefined
  const [, not, key = ''] = existence
  return (labels) => (own(labels, key) !== undefined) === (not === '')
}

const own = (labels: Labels, key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined)

function splitOutsideBrackets(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth--
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}
