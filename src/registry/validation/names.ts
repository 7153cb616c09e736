import {
  dnsSubdomainProblems,
  isLabelKey,
  labelKeyProblems,
  labelValueProblems,
  patternProblem,
} from '../../api/label-syntax.ts'
import {
  asWholeName,
  label1035Problems,
  labelNameProblems,
  patternRule,
  subdomainProblems,
  tooLongProblem,
} from '../../api/name-problems.ts'
import { invalid } from '../errors/field-error.ts'
import type { NameRule } from '../kinds/kind.ts'
import { ipNameProblems } from './addresses.ts'
import type { Errors } from './reader.ts'

// The rules of apimachinery's util/validation (v1.36). Those for object names are in api/name-problems.ts.

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const looseLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const looseSubdomain = `${looseLabel}(\\.${looseLabel})*`
const percent = '[0-9]+%'
const headerName = '[-A-Za-z0-9]+'

const full = (pattern: string): RegExp => new RegExp(`^${pattern}$`)
const percentPattern = full(percent)
const headerNamePattern = full(headerName)

export const looseSubdomainProblems = patternRule(
  253,
  looseSubdomain,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  'example.com',
)

export const wildcardProblems = patternRule(
  253,
  `\\*\\.${subdomain}`,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  '*.example.com',
)

export function pathSegmentProblems(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return ['/', '%'].filter((bad) => value.includes(bad)).map((bad) => `may not contain '${bad}'`)
}

const urlPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const urlPathPattern = full(urlPath)

/** `acme.io/foo`: a subdomain, a slash and a path. Errors concern the whole name or the invalid part. */
export function domainPathProblems(value: string): readonly { readonly value: string; readonly problem: string }[] {
  if (value === '') return []
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) {
    return [{ value, problem: 'must be a domain-prefixed path (such as "acme.io/foo")' }]
  }
  const host = value.slice(0, slash)
  const path = value.slice(slash + 1)
  const problems = subdomainProblems(host).map((problem) => ({ value: host, problem }))
  if (!urlPathPattern.test(path)) problems.push({ value: path, problem: patternProblem('Invalid path', urlPath) })
  return problems
}

function dotsProblems(value: string): readonly string[] {
  if (value === '.') return ["must not be '.'"]
  if (value === '..') return ["must not be '..'"]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

const configKeyRule = patternRule(
  253,
  '[-._a-zA-Z0-9]+',
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  'key.name',
  'KEY_NAME',
  'key-name',
)

export const configKeyProblems = (value: string): readonly string[] => [...configKeyRule(value), ...dotsProblems(value)]

export function environmentNameProblems(value: string): readonly string[] {
  const problems: string[] = []
  if (value === '') problems.push('environment variable name must be non-empty')
  if (!/^[ -<>-~]*$/.test(value)) {
    problems.push("a valid environment variable name must consist only of printable ASCII characters other than '='")
  }
  return problems
}

export function headerNameProblems(value: string): readonly string[] {
  if (headerNamePattern.test(value)) return []
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'"
  return [patternProblem(rule, headerName, 'X-Header-Name')]
}

export function percentProblems(value: string): readonly string[] {
  if (percentPattern.test(value)) return []
  const rule = "a valid percent string must be a numeric string followed by an ending '%'"
  return [patternProblem(rule, percent, '1%', '93%')]
}

export function portNameProblems(value: string): readonly string[] {
  const problems: string[] = []
  if (value.length > 15) problems.push(tooLongProblem(15))
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)')
  if (value.includes('--')) problems.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

export const rangeProblem = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

export const portProblems = (port: number): readonly string[] => inRange(port, 1, 65_535)

export function inRange(value: number, low: number, high: number): readonly string[] {
  return value >= low && value <= high ? [] : [rangeProblem(low, high)]
}

export const maxInt32 = 2 ** 31 - 1

export const idProblems = (id: number): readonly string[] => inRange(id, 0, maxInt32)

const rules: Readonly<Record<NameRule, (name: string) => readonly string[]>> = {
  subdomain: subdomainProblems,
  'subdomain-bytes': dnsSubdomainProblems,
  label: labelNameProblems,
  'label-1035': label1035Problems,
  'path-segment': pathSegmentProblems,
  ip: ipNameProblems,
  anything: () => [],
}

/** `prefix`: the start of a generated name, which may end with a dash. */
export function nameProblems(rule: NameRule, name: string, prefix = false): readonly string[] {
  if (!prefix) return rules[rule](name)
  if (rule === 'ip') return ipNameProblems(name)
  if (rule === 'path-segment') return name === '.' || name === '..' ? [] : pathSegmentProblems(name)
  return rules[rule](asWholeName(name))
}

/** Adds each problem of a value as an Invalid error. */
export function push(errors: Errors, field: string, value: unknown, problems: readonly string[]): void {
  for (const problem of problems) errors.push(invalid(field, value, problem))
}

export const checkLabelName = (errors: Errors, value: string, path: string): void =>
  push(errors, path, value, labelNameProblems(value))

export const checkSubdomain = (errors: Errors, value: string, path: string): void =>
  push(errors, path, value, subdomainProblems(value))

export function checkQualifiedName(errors: Errors, value: string, path: string): void {
  if (!isLabelKey(value)) push(errors, path, value, labelKeyProblems(value))
}

export const checkLabelValue = (errors: Errors, value: string, path: string): void =>
  push(errors, path, value, labelValueProblems(value))
