import type { DeviceAttribute, DeviceConstraint } from '../../api/objects/devices.ts'
import { comparesLists, type DeviceFeatures } from './device-features.ts'
import type { PoolDevice } from './pool-device.ts'

/**
 * A constraint of a claim during a search. Upstream's constraints do not restore their complete state when the search
 * backtracks. These constraints behave the same, because the result of the search depends on it.
 */
export interface AttributeConstraint {
  /** Adds a device, unless it violates the constraint. */
  add(request: string, subrequest: string | undefined, device: PoolDevice): boolean
  /** Undoes the last successful `add` with the same arguments. */
  remove(request: string, subrequest: string | undefined): void
}

/** The constraint, or undefined when its type is not known. */
export function createConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  features: DeviceFeatures,
): AttributeConstraint | undefined {
  const names = new Set(requests)
  if (matchAttribute !== undefined) return new MatchConstraint(names, matchAttribute, features)
  if (distinctAttribute === undefined) return undefined
  // Upstream's oldest allocator does not support this constraint.
  if (features.minor < 36 || !(features.consumableCapacity || features.bindingConditions)) return undefined
  return new DistinctConstraint(names, distinctAttribute, features)
}

/** All devices have the same value (v1.36, matchAttributeConstraint). */
class MatchConstraint implements AttributeConstraint {
  private readonly requests: ReadonlySet<string>
  private readonly attribute: string
  private readonly asSets: boolean
  private first: DeviceAttribute | undefined
  private common: AttributeValues | undefined
  private devices = 0

  constructor(requests: ReadonlySet<string>, attribute: string, features: DeviceFeatures) {
    this.requests = requests
    this.attribute = attribute
    this.asSets = comparesLists(features)
  }

  add(request: string, subrequest: string | undefined, device: PoolDevice): boolean {
    if (!applies(this.requests, request, subrequest)) return true
    const attribute = attributeOf(device, this.attribute)
    if (attribute === undefined) return false
    if (!(this.asSets ? this.addSet(attribute) : this.addScalar(attribute))) return false
    this.devices++
    return true
  }

  remove(request: string, subrequest: string | undefined): void {
    if (applies(this.requests, request, subrequest)) this.devices--
  }

  private addScalar(attribute: DeviceAttribute): boolean {
    if (this.devices > 0) return sameScalar(attribute, this.first as DeviceAttribute)
    this.first = attribute
    return true
  }

  /** Keeps only the values that all devices have in common. The removal of a device does not restore values. */
  private addSet(attribute: DeviceAttribute): boolean {
    const values = valuesOf(attribute)
    if (values === undefined) return false
    if (this.devices === 0) {
      this.common = values
      return true
    }
    const common = intersection(this.common as AttributeValues, values)
    if (common === undefined) return false
    this.common = common
    return true
  }
}

/** All devices have different values (v1.36, distinctAttributeConstraint). */
class DistinctConstraint implements AttributeConstraint {
  private readonly requests: ReadonlySet<string>
  private readonly attribute: string
  private readonly asSets: boolean
  /** Before v1.37 only the last device of each request counts. */
  private readonly lastOnly: boolean
  private readonly byRequest = new Map<string, DeviceAttribute>()
  private readonly all: DeviceAttribute[] = []
  private devices = 0

  constructor(requests: ReadonlySet<string>, attribute: string, features: DeviceFeatures) {
    this.requests = requests
    this.attribute = attribute
    this.asSets = comparesLists(features)
    this.lastOnly = features.minor < 37
  }

  add(request: string, subrequest: string | undefined, device: PoolDevice): boolean {
    if (!applies(this.requests, request, subrequest)) return true
    const attribute = attributeOf(device, this.attribute)
    if (attribute === undefined) return false
    const skipsCheck = this.lastOnly && this.devices === 0
    if (!skipsCheck && !this.isDistinct(attribute)) return false
    if (this.lastOnly) this.byRequest.set(request, attribute)
    else this.all.push(attribute)
    this.devices++
    return true
  }

  remove(request: string, subrequest: string | undefined): void {
    if (!applies(this.requests, request, subrequest)) return
    this.devices--
    if (this.lastOnly) this.byRequest.delete(request)
    else this.all.pop()
  }

  private isDistinct(attribute: DeviceAttribute): boolean {
    const others = this.lastOnly ? this.byRequest.values() : this.all
    if (!this.asSets) {
      for (const other of others) {
        if (scalarKind(attribute) === undefined || sameScalar(attribute, other)) return false
      }
      return true
    }
    const values = valuesOf(attribute)
    if (values === undefined) return false
    for (const other of others) {
      const known = valuesOf(other)
      if (known !== undefined && intersection(values, known) !== undefined) return false
    }
    return true
  }
}

function applies(requests: ReadonlySet<string>, request: string, subrequest: string | undefined): boolean {
  if (requests.size === 0 || requests.has(request)) return true
  return subrequest !== undefined && requests.has(`${request}/${subrequest}`)
}

/** The attribute by its full name, or without the domain when the domain is the driver (lookupAttribute). */
function attributeOf({ device, driver }: PoolDevice, name: string): DeviceAttribute | undefined {
  const { attributes } = device
  if (attributes === undefined) return undefined
  if (Object.hasOwn(attributes, name)) return attributes[name]
  const slash = name.indexOf('/')
  if (slash < 0 || name.slice(0, slash) !== driver) return undefined
  const id = name.slice(slash + 1)
  return Object.hasOwn(attributes, id) ? attributes[id] : undefined
}

type ScalarKind = 'string' | 'int' | 'bool' | 'version'

function scalarKind({ string, int, bool, version }: DeviceAttribute): ScalarKind | undefined {
  if (string !== undefined) return 'string'
  if (int !== undefined) return 'int'
  if (bool !== undefined) return 'bool'
  return version === undefined ? undefined : 'version'
}

function sameScalar(a: DeviceAttribute, b: DeviceAttribute): boolean {
  const kind = scalarKind(a)
  return kind !== undefined && a[kind] === b[kind]
}

interface AttributeValues {
  readonly kind: ScalarKind
  readonly values: ReadonlySet<string | number | boolean>
}

function valuesOf(attribute: DeviceAttribute): AttributeValues | undefined {
  const { ints, bools, strings, versions } = attribute
  if (ints !== undefined && ints.length > 0) return { kind: 'int', values: new Set(ints) }
  if (bools !== undefined && bools.length > 0) return { kind: 'bool', values: new Set(bools) }
  if (strings !== undefined && strings.length > 0) return { kind: 'string', values: new Set(strings) }
  if (versions !== undefined && versions.length > 0) return { kind: 'version', values: new Set(versions) }
  const { int, bool, string, version } = attribute
  if (int !== undefined) return { kind: 'int', values: new Set([int]) }
  if (bool !== undefined) return { kind: 'bool', values: new Set([bool]) }
  if (string !== undefined) return { kind: 'string', values: new Set([string]) }
  return version === undefined ? undefined : { kind: 'version', values: new Set([version]) }
}

function intersection(a: AttributeValues, b: AttributeValues): AttributeValues | undefined {
  if (a.kind !== b.kind) return undefined
  const values = new Set([...a.values].filter((value) => b.values.has(value)))
  return values.size === 0 ? undefined : { kind: a.kind, values }
}
