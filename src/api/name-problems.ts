import { isDnsLabel, isDnsSubdomain } from './dns-name.ts'
import { patternProblem } from './label-syntax.ts'

// The rules of apimachinery's util/validation (v1.36). They count characters, whereas api/validate/content counts
// bytes.

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const none: readonly string[] = []

export const tooLongProblem = (max: number): string => `must be no more than ${max} characters`

export function labelNameProblems(value: string): readonly string[] {
  if (value.length <= 63 && isDnsLabel(value)) return none
  const problems: string[] = []
  if (value.length > 63) problems.push(tooLongProblem(63))
  if (isDnsLabel(value)) return problems
  if (isDnsSubdomain(value)) problems.push('must not contain dots')
  else {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
    problems.push(patternProblem(rule, label, 'my-name', '123-abc'))
  }
  return problems
}

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"

export function subdomainProblems(value: string): readonly string[] {
  if (value.length <= 253 && isDnsSubdomain(value)) return none
  const problems: string[] = []
  if (value.length > 253) problems.push(tooLongProblem(253))
  if (!isDnsSubdomain(value)) problems.push(patternProblem(subdomainRule, subdomain, 'example.com'))
  return problems
}

/** The problems of a value that must have at most `max` characters and match a pattern. */
export function patternRule(
  max: number,
  pattern: string,
  rule: string,
  ...examples: readonly string[]
): (value: string) => readonly string[] {
  const whole = new RegExp(`^${pattern}$`)
  return (value) => {
    const problems: string[] = []
    if (value.length > max) problems.push(tooLongProblem(max))
    if (!whole.test(value)) problems.push(patternProblem(rule, pattern, ...examples))
    return problems
  }
}

export const label1035Problems = patternRule(
  63,
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  'my-name',
  'abc-123',
)

/** A prefix of generated names may end with a dash (apimachinery, api/validation, maskTrailingDash). */
export const asWholeName = (prefix: string): string =>
  prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix
