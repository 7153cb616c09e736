import { isDnsSubdomain } from './dns-name.ts'

// The rules and messages of apimachinery's api/validate/content (v1.36). Each function returns the problems; an empty
// list means valid.

const qualifiedNameSource = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValueSource = `(${qualifiedNameSource})?`
const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`

const qualifiedName = new RegExp(`^${qualifiedNameSource}$`)
const labelValue = new RegExp(`^${labelValueSource}$`)
const _dnsLabel = new RegExp(`^${dnsLabel}$`)

const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const _DNS_LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const dnsSubdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"

export function maxLengthProblem(bytes: number): string {
  return `must be no more than ${bytes} bytes`
}

/** A rule in upstream's form: the rule, examples, and the regular expression. */
export function patternProblem(rule: string, expression: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${expression}')`
  const listed = examples.map((example) => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${listed}regex used for validation is '${expression}')`
}

/** The form of keys of labels, annotations and taints: an optional DNS subdomain and a slash, then a name. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/')
  if (parts.length > 2) {
    const rule = patternProblem(qualifiedNameRule, qualifiedNameSource, 'MyName', 'my.name', '123-abc')
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const problems: string[] = []
  if (parts.length === 2) {
    const prefix = parts[0] as string
    if (prefix === '') problems.push('prefix part must be non-empty')
    else for (const problem of dnsSubdomainProblems(prefix)) problems.push(`prefix part ${problem}`)
  }
  const name = parts.at(-1) as string
  if (name === '') problems.push('name part must be non-empty')
  else if (byteLength(name) > 63) problems.push(`name part ${maxLengthProblem(63)}`)
  if (!qualifiedName.test(name)) {
    problems.push(`name part ${patternProblem(qualifiedNameRule, qualifiedNameSource, 'MyName', 'my.name', '123-abc')}`)
  }
  return problems
}

/** Whether a label key has no problems, in one pass: a pod may have thousands of keys. */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/')
  if (slash === 0 || slash > 253) return false
  if (slash > 0 && !isDnsSubdomain(key.slice(0, slash))) return false
  const { length } = key
  if (length === slash + 1 || length - slash - 1 > 63) return false
  if (!isAlphanumeric(key.charCodeAt(slash + 1)) || !isAlphanumeric(key.charCodeAt(length - 1))) return false
  for (let i = slash + 2; i < length - 1; i++) {
    const code = key.charCodeAt(i)
    if (!isAlphanumeric(code) && code !== dash && code !== dot && code !== underscore) return false
  }
  return true
}

const dash = 45
const dot = 46
const underscore = 95

const isAlphanumeric = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)

export function labelValueProblems(value: string): string[] {
  const problems: string[] = []
  if (byteLength(value) > 63) problems.push(maxLengthProblem(63))
  if (!labelValue.test(value)) {
    problems.push(patternProblem(labelValueRule, labelValueSource, 'MyValue', 'my_value', '12345'))
  }
  return problems
}

export function dnsSubdomainProblems(value: string): string[] {
  const problems: string[] = []
  if (byteLength(value) > 253) problems.push(maxLengthProblem(253))
  if (!isDnsSubdomain(value)) problems.push(patternProblem(dnsSubdomainRule, dnsSubdomain, 'example.com'))
  return problems
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  // A UTF-16 code unit has at most three bytes in UTF-8, so short texts need no encoding for the length check.
  return text.length * 3 <= 63 ? text.length : encoder.encode(text).length
}
