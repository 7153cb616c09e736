import type { DeviceAttribute } from '../../api/objects/devices.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { compileDeviceSelector, maxSelectorCost } from '../../cel/device-selector.ts'
import { evaluate } from '../../cel/evaluator.ts'
import { readSemver } from '../../cel/library/kubernetes.ts'
import { ListValue, MapValue, Opaque, typeName, type Value } from '../../cel/value.ts'
import type { DeviceFeatures } from './device-features.ts'
import type { PoolDevice } from './pool-device.ts'

/** Whether a selector matches a device, or the error that ends the search for devices. */
export type SelectorAnswer = boolean | { readonly error: string }

/** Answers of equal devices are shared by at most this number of different devices. */
const maxModels = 10_000

interface SelectorProblem {
  readonly kind: 'compile' | 'runtime'
  readonly message: string
}

/** By expression. */
type Answers = Map<string, boolean | SelectorProblem>

/** Evaluates CEL selectors of devices (v1.36, dynamic-resource-allocation/cel). Answers are kept. */
export class DeviceSelectors {
  private readonly features: DeviceFeatures
  private readonly answers = new WeakMap<PoolDevice, Answers>()
  private readonly byModel = new Map<string, Answers>()
  private readonly values = new WeakMap<PoolDevice, ReadonlyMap<string, Value> | { readonly error: string }>()

  constructor(features: DeviceFeatures) {
    this.features = features
  }

  /** `at` names the selector in errors: `class x: selector #0`. */
  match(expression: string, device: PoolDevice, at: () => string): SelectorAnswer {
    const answers = this.answersOf(device)
    let answer = answers.get(expression)
    if (answer === undefined) {
      answer = this.evaluate(expression, device)
      answers.set(expression, answer)
    }
    return typeof answer === 'boolean' ? answer : { error: `${at()}${this.explain(answer, device)}` }
  }

  private evaluate(expression: string, device: PoolDevice): boolean | SelectorProblem {
    const { program, error } = compileDeviceSelector(expression, this.features)
    if (program === undefined) return { kind: 'compile', message: error }
    const variables = this.variablesOf(device)
    if ('error' in variables) return { kind: 'runtime', message: variables.error }
    const evaluated = evaluate(program, variables as ReadonlyMap<string, Value>, maxSelectorCost)
    if (!evaluated.ok) return { kind: 'runtime', message: evaluated.error.message }
    if (typeof evaluated.value === 'boolean') return evaluated.value
    const type = typeName(evaluated.value)
    return {
      kind: 'runtime',
      message: `CEL result of type ${type} could not be converted to bool: type conversion error from '${type}' to 'bool'`,
    }
  }

  private explain({ kind, message }: SelectorProblem, { id }: PoolDevice): string {
    if (kind === 'compile') return `: CEL compile error: ${message}`
    if (this.features.minor < 37) return `: CEL runtime error: ${message}`
    return ` on device ${id}: CEL runtime error: ${withAdvice(message)}`
  }

  /**
   * The answers that all devices with equal attributes and capacities share. Most clusters have many devices of few
   * models.
   */
  private answersOf(device: PoolDevice): Answers {
    const known = this.answers.get(device)
    if (known !== undefined) return known
    const { attributes, capacity, allowMultipleAllocations } = device.device
    const text = encodeJson([device.driver, attributes ?? {}, capacity ?? {}, allowMultipleAllocations ?? false])
    let answers = this.byModel.get(text)
    if (answers === undefined) {
      if (this.byModel.size >= maxModels) this.byModel.clear()
      answers = new Map()
      this.byModel.set(text, answers)
    }
    this.answers.set(device, answers)
    return answers
  }

  private variablesOf(device: PoolDevice): ReadonlyMap<string, Value> | { readonly error: string } {
    let value = this.values.get(device)
    if (value === undefined) {
      value = this.valueOf(device)
      this.values.set(device, value)
    }
    return value
  }

  private valueOf({ device, driver, capacity }: PoolDevice): ReadonlyMap<string, Value> | { readonly error: string } {
    const attributes = new DomainMap()
    for (const [name, attribute] of Object.entries(device.attributes ?? {})) {
      const value = attributeValue(attribute, this.features)
      if (typeof value === 'object' && value !== null && 'error' in value) {
        return { error: `attribute ${name}: ${value.error}` }
      }
      attributes.put(name, driver, value as Value)
    }
    const capacities = new DomainMap()
    for (const { name, value } of capacity) {
      capacities.put(name, driver, new Opaque({ kind: 'quantity', quantity: value }))
    }
    const value = MapValue.of([
      ['driver', driver],
      ['allowMultipleAllocations', device.allowMultipleAllocations ?? false],
      ['attributes', attributes],
      ['capacity', capacities],
    ])
    return new Map<string, Value>([['device', value]])
  }
}

const noDomain = new MapValue()

/** A map by domain. A domain that is not there is an empty map. */
class DomainMap extends MapValue {
  put(name: string, driver: string, value: Value): void {
    const slash = name.indexOf('/')
    const domain = slash < 0 ? driver : name.slice(0, slash)
    let ids = super.get(domain)
    if (ids === undefined) {
      ids = new MapValue()
      this.insert(domain, ids)
    }
    ;(ids as MapValue).insert(name.slice(slash + 1), value)
  }

  override get(key: Value): Value | undefined {
    return super.get(key) ?? noDomain
  }
}

function attributeValue(attribute: DeviceAttribute, features: DeviceFeatures): Value | { readonly error: string } {
  if (features.listTypeAttributes) {
    const { ints, bools, strings, versions } = attribute
    if (ints !== undefined) return new ListValue(ints.map((one) => BigInt(one)))
    if (bools !== undefined) return new ListValue(bools)
    if (strings !== undefined) return new ListValue(strings)
    if (versions !== undefined) {
      const values = versions.map(versionValue)
      return values.find((value) => 'error' in value) ?? new ListValue(values as Opaque[])
    }
  }
  if (attribute.int !== undefined) return BigInt(attribute.int)
  if (attribute.bool !== undefined) return attribute.bool
  if (attribute.string !== undefined) return attribute.string
  if (attribute.version !== undefined) return versionValue(attribute.version)
  return { error: 'unsupported attribute value' }
}

function versionValue(text: string): Opaque | { readonly error: string } {
  const version = readSemver(text)
  if (version === undefined) return { error: 'parse semantic version: No Major.Minor.Patch elements found' }
  return new Opaque({ kind: 'semver', version })
}

// v1.37, dynamic-resource-allocation/cel EnhanceRuntimeError.
function withAdvice(message: string): string {
  if (!message.includes('no such key:')) return message
  return `${message}. consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields`
}
