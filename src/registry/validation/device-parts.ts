import { patternProblem } from '../../api/label-syntax.ts'
import { subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from '../errors/field-error.ts'
import { checkLabelValue, checkQualifiedName, push } from './names.ts'
import { child, type Errors, type Obj, repeatedAt, texts } from './reader.ts'
import { text } from './scalars.ts'
import { checkDriverName } from './volumes.ts'

// The common parts of claims, classes and slices of resource.k8s.io (v1.36, pkg/apis/resource/validation).

type CheckItem<T> = (errors: Errors, item: T, path: string) => void

/** Up to v1.34, all items of a list or map are checked, even if it is too long. */
const checksAll = ({ release }: Errors): boolean => !atLeast(release, '1.35')

/** validateSlice: the items of a list that is too long are not checked. */
export function checkItems<T>(
  errors: Errors,
  items: readonly T[],
  max: number,
  check: CheckItem<T>,
  path: string,
): boolean {
  const isTooLong = items.length > max
  if (isTooLong && !checksAll(errors)) {
    errors.push(tooMany(path, items.length, max))
    return false
  }
  items.forEach((item, i) => {
    check(errors, item, `${path}[${i}]`)
  })
  if (isTooLong) errors.push(tooMany(path, items.length, max))
  return true
}

interface KeyText<T> {
  /** The field that has the key; up to v1.34, errors about duplicates name it. */
  readonly field?: string
  /** A key in messages. Default: the key. */
  readonly shown?: (item: T) => unknown
}

/** validateSet: like checkItems, and keys are unique. */
export function checkSet<T>(
  errors: Errors,
  items: readonly T[],
  max: number,
  check: CheckItem<T>,
  keyOf: (item: T) => string,
  path: string,
  { field, shown = keyOf }: KeyText<T> = {},
): void {
  if (!checkItems(errors, items, max, check, path)) return
  const within = field === undefined || !checksAll(errors) ? '' : `.${field}`
  const seen = new Set<string>()
  items.forEach((item, i) => {
    const key = keyOf(item)
    if (seen.has(key)) errors.push(duplicate(`${path}[${i}]${within}`, shown(item)))
    seen.add(key)
  })
}

/** validateMap: messages truncate long keys in the middle. */
export function checkMap<T>(
  errors: Errors,
  map: Readonly<Record<string, T>>,
  max: number,
  checkKey: CheckItem<string>,
  check: CheckItem<T>,
  path: string,
  shownKeyLength: number,
): void {
  const keys = Object.keys(map)
  if (keys.length > max) {
    errors.push(tooMany(path, keys.length, max))
    if (!checksAll(errors)) return
  }
  for (const key of keys) {
    const at = `${path}[${shortened(key, shownKeyLength)}]`
    // From v1.36 on, errors of a key name the map as their field.
    checkKey(errors, key, atLeast(errors.release, '1.36') ? path : at)
    check(errors, map[key] as T, at)
  }
}

function shortened(key: string, max: number): string {
  if (key.length <= max) return key
  const remaining = max - 3
  return `${key.slice(0, (remaining + 1) >> 1)}...${key.slice(key.length - (remaining >> 1))}`
}

export const unlimited = Number.POSITIVE_INFINITY
export const maxRequests = 32
export const maxSelectors = 32
export const maxConfigs = 32
const maxDriverName = 63
const maxIdLength = 32
/** The name of an attribute or capacity: a domain, a slash and an identifier. */
export const maxAttributeKey = maxDriverName + 1 + maxIdLength

const identifier = '[A-Za-z_][A-Za-z0-9_]*'
const identifierPattern = new RegExp(`^${identifier}$`)
const identifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"

/** An identifier of C, of at most 32 bytes. */
export function checkIdentifier(errors: Errors, id: string, path: string): void {
  if (Buffer.byteLength(id) > maxIdLength) errors.push(tooLong(path, maxIdLength))
  if (!identifierPattern.test(id)) {
    errors.push(invalid(path, id, patternProblem(identifierRule, identifier, 'my_name', 'MY_NAME', 'MyName')))
  }
}

/** `model` or `gpu.example.com/model`. A name with more slashes is accepted. */
export function checkAttributeName(errors: Errors, name: string, path: string): void {
  // Up to v1.34, an empty part is reported as missing.
  const empty = (why: string) => errors.push(checksAll(errors) ? required(path, why) : invalid(path, '', why))
  if (name === '' && checksAll(errors)) {
    errors.push(required(path, 'name required'))
    return
  }
  const [first = '', second, ...rest] = name.split('/')
  if (second === undefined) {
    checkIdentifier(errors, first, path)
    return
  }
  if (rest.length > 0) return
  if (first === '') empty('the domain must not be empty')
  else checkDriverName(errors, first, path)
  if (second === '') empty('the name must not be empty')
  else checkIdentifier(errors, second, path)
}

export function checkFullAttributeName(errors: Errors, name: string, path: string): void {
  checkAttributeName(errors, name, path)
  if (name.includes('/') || (name === '' && checksAll(errors))) return
  const why = 'a fully qualified name must be a domain and a name separated by a slash'
  errors.push(invalid(path, name, checksAll(errors) ? 'must include a domain' : why))
}

const maxPoolName = 253

export function checkPoolName(errors: Errors, name: string, path: string): void {
  if (name === '') {
    errors.push(required(path))
    return
  }
  if (Buffer.byteLength(name) > maxPoolName) errors.push(tooLong(path, maxPoolName))
  for (const part of name.split('/')) push(errors, path, part, subdomainProblems(part))
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A share ID: a UUID in normal form. Other forms that google/uuid parses are reported as not normal. */
export function checkShareId(errors: Errors, uid: string, path: string): void {
  if (uuidPattern.test(uid)) return
  const problem = uuidProblem(uid)
  errors.push(
    problem === undefined
      ? invalid(
          path,
          uid,
          'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
        )
      : invalid(path, uid, `error validating uid: ${problem}`),
  )
}

/** google/uuid, Validate. */
function uuidProblem(uid: string): string | undefined {
  const length = Buffer.byteLength(uid)
  let digits = uid
  if (length === 45) {
    if (uid.slice(0, 9).toLowerCase() !== 'urn:uuid:') return `invalid urn prefix: ${JSON.stringify(uid.slice(0, 9))}`
    digits = uid.slice(9)
  } else if (length === 38) {
    if (uid[0] !== '{' || uid[37] !== '}') return 'invalid bracketed UUID format'
    digits = uid.slice(1, 37)
  } else if (length === 32) return /^[0-9a-fA-F]{32}$/.test(uid) ? undefined : 'invalid UUID format'
  else if (length !== 36) return `invalid UUID length: ${length}`
  const whole = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/
  return whole.test(digits) ? undefined : 'invalid UUID format'
}

const maxBindingConditions = 4

export function checkBindingConditions(errors: Errors, device: Obj, path: string): void {
  const conditions = texts(device, 'bindingConditions')
  const failures = texts(device, 'bindingFailureConditions')
  const at = `${path}.bindingConditions`
  const failuresAt = `${path}.bindingFailureConditions`
  checkItems(errors, conditions, maxBindingConditions, checkQualifiedName, at)
  checkItems(errors, failures, maxBindingConditions, checkQualifiedName, failuresAt)
  const repeated = repeatedAt(conditions)
  conditions.forEach((condition, i) => {
    if (repeated.has(i)) errors.push(duplicate(`${at}[${i}]`, condition))
  })
  const known = new Set(conditions)
  const repeatedFailures = repeatedAt(failures)
  failures.forEach((condition, i) => {
    if (repeatedFailures.has(i)) errors.push(duplicate(`${failuresAt}[${i}]`, condition))
    if (known.has(condition)) {
      const why = 'bindingFailureConditions must not overlap with bindingConditions'
      errors.push(invalid(`${failuresAt}[${i}]`, condition, why))
    }
  })
  if (conditions.length === 0 && failures.length > 0) {
    const why = 'bindingConditions are required to use bindingFailureConditions'
    errors.push(invalid(at, device['bindingConditions'], why))
  }
  if (failures.length === 0 && conditions.length > 0) {
    const why = 'bindingFailureConditions are required to use bindingConditions'
    errors.push(invalid(failuresAt, device['bindingFailureConditions'], why))
  }
}

const taintEffects = ({ release }: Errors): readonly string[] =>
  atLeast(release, '1.35') ? ['NoExecute', 'NoSchedule', 'None'] : ['NoExecute', 'NoSchedule']

export function checkDeviceTaint(errors: Errors, taint: Obj, path: string): void {
  checkQualifiedName(errors, text(taint, 'key'), `${path}.key`)
  const value = text(taint, 'value')
  if (value !== '') checkLabelValue(errors, value, `${path}.value`)
  const effect = text(taint, 'effect')
  if (effect === '') errors.push(required(`${path}.effect`))
  else checkEffect(errors, effect, path)
}

export function checkDeviceToleration(errors: Errors, toleration: Obj, path: string): void {
  const key = text(toleration, 'key')
  if (key !== '') checkQualifiedName(errors, key, `${path}.key`)
  const operator = text(toleration, 'operator')
  const value = text(toleration, 'value')
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(`${path}.value`, value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') checkLabelValue(errors, value, `${path}.value`)
  else if (operator === '') errors.push(required(`${path}.operator`))
  else errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']))
  const effect = text(toleration, 'effect')
  if (effect !== '') checkEffect(errors, effect, path)
}

function checkEffect(errors: Errors, effect: string, path: string): void {
  const known = taintEffects(errors)
  if (!known.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, known))
}

const maxParameterBytes = 10 * 1024

/** The parameters for a driver. `isStored`: they were accepted before, so their length is not checked. */
export function checkConfiguration(errors: Errors, config: Obj, path: string, isStored = false): void {
  const opaque = child(config, 'opaque')
  if (opaque === undefined) {
    errors.push(required(`${path}.opaque`))
    return
  }
  checkDriverName(errors, text(opaque, 'driver'), `${path}.opaque.driver`)
  checkRawObject(errors, opaque['parameters'], `${path}.opaque.parameters`, isStored ? unlimited : maxParameterBytes)
}

/** validateRawExtension: any JSON object. */
export function checkRawObject(errors: Errors, raw: unknown, path: string, maxBytes: number): void {
  if (raw === undefined || raw === null) errors.push(required(path))
  else if (Buffer.byteLength(JSON.stringify(raw)) > maxBytes) errors.push(tooLong(path, maxBytes))
  else if (typeof raw !== 'object' || Array.isArray(raw)) {
    errors.push(invalid(path, '<value omitted>', 'must be a valid JSON object'))
  }
}
