import { labelValueProblems } from '../../api/label-syntax.ts'
import { labelNameProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkPositive } from './meta.ts'
import { checkQualifiedName, push } from './names.ts'
import { child, type Errors, list, type Obj, part, strings, texts } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector, checkNodeSelector, checkPreferredTerms, checkWeight } from './selectors.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function checkTaintEffect(errors: Errors, effect: string, path: string): void {
  if (!effects.includes(effect)) errors.push(notSupported(path, effect, effects))
}

/** ValidateTolerations, with comparison operators disabled, which is the default. */
export function checkTolerations(errors: Errors, tolerations: readonly Obj[], path: string): void {
  tolerations.forEach((toleration, i) => {
    const at = `${path}[${i}]`
    const key = text(toleration, 'key')
    const operator = text(toleration, 'operator')
    const value = text(toleration, 'value')
    const effect = text(toleration, 'effect')
    if (key !== '') checkQualifiedName(errors, key, `${at}.key`)
    else if (operator !== 'Exists') {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(invalid(`${at}.operator`, operator, why))
    }
    if (numberIfSet(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    checkTolerationOperator(errors, operator, value, at)
    if (effect !== '') checkTaintEffect(errors, effect, `${at}.effect`)
  })
}

function checkTolerationOperator(errors: Errors, operator: string, value: string, at: string): void {
  switch (operator) {
    case 'Equal':
    case '': {
      const problems = labelValueProblems(value)
      if (problems.length > 0) errors.push(invalid(`${at}.operator`, value, problems.join(';')))
      return
    }
    case 'Exists':
      if (value !== '') {
        errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
      }
      return
    case 'Lt':
    case 'Gt':
      checkComparison(errors, operator, value, at)
      return
    default:
      errors.push(notSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
  }
}

function checkComparison(errors: Errors, operator: string, value: string, at: string): void {
  if (!errors.release.gates.has('TaintTolerationComparisonOperators')) {
    const known = atLeast(errors.release, '1.35') ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']
    errors.push(notSupported(`${at}.operator`, operator, known))
    return
  }
  if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
    const why = value === '' ? 'must be non-empty' : 'must be a valid decimal integer in canonical form'
    errors.push(invalid(`${at}.value`, value, why))
  }
  const problem = int64Problem(value)
  if (problem !== undefined) errors.push(invalid(`${at}.value`, value, problem))
}

/** The error of Go's strconv.ParseInt for a text that is not an int64. */
function int64Problem(value: string): string | undefined {
  const quoted = `strconv.ParseInt: parsing ${JSON.stringify(value)}:`
  if (!/^[+-]?[0-9]+$/.test(value)) return `${quoted} invalid syntax`
  const number = BigInt(value.replace(/^[+]/, ''))
  return BigInt.asIntN(64, number) === number ? undefined : `${quoted} value out of range`
}

export function checkAffinity(errors: Errors, affinity: Obj | undefined, path: string): void {
  const node = child(affinity, 'nodeAffinity')
  if (node !== undefined) {
    const wanted = child(node, 'requiredDuringSchedulingIgnoredDuringExecution')
    const at = `${path}.nodeAffinity`
    if (wanted !== undefined) {
      checkNodeSelector(errors, wanted, `${at}.requiredDuringSchedulingIgnoredDuringExecution`)
    }
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    checkPreferredTerms(errors, list(node, preferred), `${at}.${preferred}`)
  }
  for (const side of ['podAffinity', 'podAntiAffinity']) {
    const pods = child(affinity, side)
    if (pods !== undefined) checkPodAffinity(errors, pods, `${path}.${side}`)
  }
}

function checkPodAffinity(errors: Errors, affinity: Obj, path: string): void {
  list(affinity, 'requiredDuringSchedulingIgnoredDuringExecution').forEach((term, i) => {
    checkAffinityTerm(errors, term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`)
  })
  list(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').forEach((weighted, i) => {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`
    checkWeight(errors, number(weighted, 'weight'), `${at}.weight`)
    checkAffinityTerm(errors, part(weighted, 'podAffinityTerm'), `${at}.podAffinityTerm`)
  })
}

function checkAffinityTerm(errors: Errors, term: Obj, path: string): void {
  const selector = child(term, 'labelSelector')
  checkLabelSelector(errors, selector, `${path}.labelSelector`)
  checkLabelSelector(errors, child(term, 'namespaceSelector'), `${path}.namespaceSelector`)
  for (const name of texts(term, 'namespaces')) push(errors, `${path}.namespace`, name, labelNameProblems(name))
  checkLabelKeys(errors, path, texts(term, 'matchLabelKeys'), texts(term, 'mismatchLabelKeys'), selector)
  const topologyKey = text(term, 'topologyKey')
  if (topologyKey === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'))
  checkQualifiedName(errors, topologyKey, `${path}.topologyKey`)
}

/** ValidateMatchLabelKeysAndMismatchLabelKeys. */
function checkLabelKeys(
  errors: Errors,
  path: string,
  match: readonly string[],
  mismatch: readonly string[],
  selector: Obj | undefined,
): void {
  for (const [name, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    if (keys.length === 0) continue
    const at = `${path}.${name}`
    if (selector === undefined) errors.push(forbidden(at, 'must not be specified when labelSelector is not set'))
    else {
      keys.forEach((key, i) => {
        checkQualifiedName(errors, key, `${at}[${i}]`)
      })
    }
  }
  if (selector !== undefined) {
    // Keys are merged into the selector on create, so only a second occurrence shows that the user also set one.
    const selected = new Set(Object.keys(strings(selector, 'matchLabels')))
    const positions = new Map(match.map((key, i) => [key, i]))
    for (const requirement of list(selector, 'matchExpressions')) {
      const key = text(requirement, 'key')
      const index = positions.get(key)
      if (index !== undefined && selected.has(key)) {
        errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'))
      }
      selected.add(key)
    }
  }
  const mismatched = new Set(mismatch)
  match.forEach((key, i) => {
    if (!mismatched.has(key)) return
    errors.push(invalid(`${path}.matchLabelKeys[${i}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'))
  })
}

const actions = ['DoNotSchedule', 'ScheduleAnyway']
const inclusionPolicies = ['Honor', 'Ignore']

export function checkSpreadConstraints(errors: Errors, constraints: readonly Obj[], path: string): void {
  const identity = (constraint: Obj): string =>
    `${text(constraint, 'whenUnsatisfiable')}\u0000${text(constraint, 'topologyKey')}`
  const last = new Map(constraints.map((constraint, i) => [identity(constraint), i]))
  constraints.forEach((constraint, i) => {
    const at = `${path}[${i}]`
    const topologyKey = text(constraint, 'topologyKey')
    const action = text(constraint, 'whenUnsatisfiable')
    checkPositive(errors, number(constraint, 'maxSkew'), `${at}.maxSkew`)
    if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'))
    if (!actions.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, actions))
    const isRepeated = (last.get(identity(constraint)) as number) > i
    if (isRepeated) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`))
    checkMinDomains(errors, numberIfSet(constraint, 'minDomains'), action, `${at}.minDomains`)
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = textIfSet(constraint, field)
      if (policy !== undefined && !inclusionPolicies.includes(policy)) {
        errors.push(notSupported(`${at}.${field}`, policy, inclusionPolicies))
      }
    }
    const selector = child(constraint, 'labelSelector')
    checkLabelKeys(errors, at, texts(constraint, 'matchLabelKeys'), [], selector)
    checkLabelSelector(errors, selector, `${at}.labelSelector`)
  })
}

function checkMinDomains(errors: Errors, minDomains: number | undefined, action: string, path: string): void {
  if (minDomains === undefined) return
  checkPositive(errors, minDomains, path)
  if (action === 'DoNotSchedule') return
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
  errors.push(invalid(path, minDomains, why))
}

export function checkSchedulingGates(errors: Errors, gates: readonly Obj[], path: string): void {
  const seen = new Set<string>()
  gates.forEach((gate, i) => {
    const name = text(gate, 'name')
    checkQualifiedName(errors, name, `${path}[${i}]`)
    if (seen.has(name)) errors.push(duplicate(`${path}[${i}]`, name))
    seen.add(name)
  })
}
