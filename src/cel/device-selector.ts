import { bool, type CelType, dyn, formatType, mapOf, simple } from './cel-type.ts'
import type { CheckedExpression, IncludesFunction } from './checker.ts'
import { estimateCost } from './cost-estimate.ts'
import { limitedIncludes, opaqueType } from './declarations.ts'
import { compileExpression, isType } from './program.ts'

/** The gates that determine the type of `device`. */
export interface DeviceSelectorFeatures {
  readonly consumableCapacity: boolean
  readonly listTypeAttributes: boolean
  /** The minor version, 36 for v1.36. */
  readonly minor: number
}

export type DeviceSelector =
  | { readonly program: CheckedExpression; readonly error?: undefined }
  /** The error message of upstream. */
  | { readonly error: string; readonly program?: undefined }

// resource.k8s.io/v1: CELSelectorExpressionMaxCost and the maximum sizes of device fields.
export const maxSelectorCost = 1_000_000
const maxNames = 32
const maxDomain = 63
const maxId = 32
const maxValue = 64
const maxDriver = 63

/** The maximum number of cached selectors. Upstream caches ten; a claim has at most 32 per request. */
const maxKept = 1024
const kept = new Map<string, DeviceSelector>()

/** Compiles a CEL selector of devices (v1.36, dynamic-resource-allocation/cel CompileCELExpression). */
export function compileDeviceSelector(expression: string, features: DeviceSelectorFeatures): DeviceSelector {
  const key = `${features.consumableCapacity}:${features.listTypeAttributes && includesOf(features)}:${expression}`
  let selector = kept.get(key)
  if (selector === undefined) {
    if (kept.size >= maxKept) kept.clear()
    selector = compile(expression, features)
    kept.set(key, selector)
  }
  return selector
}

const includesOf = ({ minor }: DeviceSelectorFeatures): IncludesFunction => (minor >= 37 ? 'includes' : limitedIncludes)

function compile(expression: string, features: DeviceSelectorFeatures): DeviceSelector {
  const variables = new Map([['device', deviceType(features)]])
  const compiled = compileExpression(expression, variables, undefined, {
    bindings: true,
    includes: features.listTypeAttributes ? includesOf(features) : undefined,
  })
  if (!compiled.ok) return { error: `compilation failed: ${compiled.message}` }
  const type = compiled.program.typeOf(compiled.program.expression)
  const acceptsDyn = features.listTypeAttributes && isType(type, 'dyn')
  if (isType(type, 'bool') || isType(type, 'any') || acceptsDyn) return { program: compiled.program }
  // Messages about output types contain Go's names of types.
  const shown = formatType(type).replaceAll('any', 'google.protobuf.Any')
  return { error: `must evaluate to bool or the unknown type, not ${shown}` }
}

/** The largest possible cost of a selector. */
export function selectorMaxCost(program: CheckedExpression): number {
  return estimateCost(program, ([root, ...path]) => (root === 'device' ? sizeWithin(device, path) : undefined)).max
}

interface Sized {
  readonly max: number
  readonly key?: Sized
  readonly element?: Sized
  readonly fields?: ReadonlyMap<string, Sized>
  /** If set, fields with any name have the size of the elements. */
  readonly holdsAttributes?: boolean
}

const attributes: Sized = { max: maxNames, key: { max: maxId }, element: { max: maxValue }, holdsAttributes: true }
const capacities: Sized = { max: maxNames, key: { max: maxId }, element: { max: 0 } }
const device: Sized = {
  max: 0,
  fields: new Map<string, Sized>([
    ['driver', { max: maxDriver }],
    ['allowMultipleAllocations', { max: 0 }],
    ['attributes', { max: maxNames, key: { max: maxDomain }, element: attributes }],
    ['capacity', { max: maxNames, key: { max: maxDomain }, element: capacities }],
  ]),
}

function sizeWithin(root: Sized, path: readonly string[]): number | undefined {
  let here: Sized | undefined = root
  for (const step of path) {
    if (step === '@items' || step === '@values') here = here.element
    else if (step === '@keys') here = here.key
    else here = here.fields?.get(step) ?? (here.holdsAttributes === true ? here.element : undefined)
    if (here === undefined) return undefined
  }
  return here.max
}

function deviceType({ consumableCapacity, listTypeAttributes }: DeviceSelectorFeatures): CelType {
  const text = simple('string')
  const attribute = listTypeAttributes ? dyn : simple('any')
  const fields: [string, CelType][] = [
    ['driver', text],
    ['attributes', mapOf(text, mapOf(text, attribute))],
    ['capacity', mapOf(text, mapOf(text, opaqueType('Quantity')))],
  ]
  if (consumableCapacity) fields.push(['allowMultipleAllocations', bool])
  return { kind: 'object', name: 'kubernetes.DRADevice', fields: new Map(fields) }
}
