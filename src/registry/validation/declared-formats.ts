import { dnsSubdomainProblems, labelKeyProblems, maxLengthProblem, patternProblem } from '../../api/label-syntax.ts'
import { labelNameProblems, tooLongProblem } from '../../api/name-problems.ts'
import { resourceNames } from '../../api/well-known.ts'
import { invalid, tooLong } from '../errors/field-error.ts'
import { checkIdentifier } from './device-parts.ts'
import { push } from './names.ts'
import type { Errors } from './reader.ts'

// The formats of declared rules (v1.37, apimachinery api/validate strfmt.go). They count bytes, and some messages
// differ from those of the handwritten rules.

export type FormatCheck = (errors: Errors, value: string, path: string) => void

/** k8s-short-name. */
export const checkShortName: FormatCheck = (errors, value, path) => {
  const tooLongForLabel = Buffer.byteLength(value) > 63 ? [maxLengthProblem(63)] : []
  const others = labelNameProblems(value).filter((problem) => problem !== tooLongProblem(63))
  push(errors, path, value, [...tooLongForLabel, ...others])
}

/** k8s-long-name. */
export const checkLongName: FormatCheck = (errors, value, path) =>
  push(errors, path, value, dnsSubdomainProblems(value))

const caselessRule =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'

/** k8s-long-name-caseless. */
const checkCaselessName: FormatCheck = (errors, value, path) => {
  const problems = dnsSubdomainProblems(value.toLowerCase()).map((problem) =>
    problem.startsWith('a lowercase ') ? patternProblem(caselessRule, subdomain, 'Example.com') : problem,
  )
  push(errors, path, value, problems)
}

/** The name of a driver: a caseless name of at most 63 characters. */
export const checkDriver: FormatCheck = (errors, value, path) => {
  checkCaselessName(errors, value, path)
  if ([...value].length > 63) errors.push(tooLong(path, 63, 'character'))
}

/** k8s-label-key. */
export const checkLabelKey: FormatCheck = (errors, value, path) => push(errors, path, value, labelKeyProblems(value))

/** k8s-uuid. */
export const checkUuid: FormatCheck = (errors, value, path) => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return
  errors.push(invalid(path, value, 'must be a lowercase UUID in 8-4-4-4-12 format'))
}

/** k8s-resource-pool-name. */
export const checkPool: FormatCheck = (errors, value, path) => {
  if (Buffer.byteLength(value) > 253) errors.push(tooLong(path, 253))
  value.split('/').forEach((segment, i) => {
    if (segment === '') errors.push(invalid(path, value, `segment ${i}: must not be empty`))
    else
      push(
        errors,
        path,
        segment,
        dnsSubdomainProblems(segment).map((problem) => `segment ${i}: ${problem}`),
      )
  })
}

/** k8s-extended-resource-name. */
export const checkExtendedResourceName: FormatCheck = (errors, value, path) => {
  const problems: string[] = []
  const { nativePrefix, requestsPrefix } = resourceNames
  if (!value.includes('/')) problems.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
  else if (value.includes(nativePrefix)) problems.push(`must not have ${JSON.stringify(nativePrefix)} domain`)
  if (value.startsWith(requestsPrefix)) problems.push(`must not have ${JSON.stringify(requestsPrefix)} prefix`)
  push(errors, path, value, [...problems, ...labelKeyProblems(requestsPrefix + value)])
}

/** k8s-resource-fully-qualified-name. A name with more slashes is accepted. */
export const checkFullName: FormatCheck = (errors, value, path) => {
  const [first = '', second, ...rest] = value.split('/')
  if (second === undefined) {
    checkIdentifier(errors, first, path)
    errors.push(invalid(path, value, 'a fully qualified name must be a domain and a name separated by a slash'))
  } else if (rest.length === 0) {
    if (first === '') errors.push(invalid(path, '', 'prefix must not be empty'))
    else {
      if (Buffer.byteLength(first) > 63) errors.push(tooLong(path, 63))
      push(
        errors,
        path,
        first,
        dnsSubdomainProblems(first).map((problem) => `prefix: ${problem}`),
      )
    }
    if (second === '') errors.push(invalid(path, '', 'name must not be empty'))
    else checkIdentifier(errors, second, path)
  }
}
