import type { TypeTable } from '../../api/schema/type-table.ts'
import { lookupTable } from '../../base/lookup-table.ts'

const kinds = lookupTable<string>({ object: 'map', array: 'slice', number: 'int64' })
const mismatch = /^json: cannot unmarshal (\w+)(?: (\S+))? into Go .* of type (.+)$/
const numeric = /^(int32|int64|float64)$/

/**
 * A type error with the text of upstream's converter, which reads maps instead of JSON (apimachinery runtime,
 * FromUnstructured). `problem` is the text of the JSON decoder.
 */
export function converterProblem(types: TypeTable, problem: string): string {
  const found = mismatch.exec(problem)
  if (problem.startsWith('illegal base64')) return `error decoding from json: ${problem}`
  if (found === null) return problem
  const [, what = '', value, type = ''] = found
  const kind = kinds[what] ?? what
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`
  if (types.isStruct(type)) return `cannot restore struct from: ${kind}`
  const number = value !== undefined && /[.e]/.test(value) ? 'float64' : 'int64'
  const isText = !numeric.test(type) && type !== 'bool'
  // Go's reflection could convert a number to a string, or a fraction to an integer; upstream prevents it.
  if (what === 'number' && ((isText && number === 'int64') || numeric.test(type))) {
    return `cannot convert ${number} to ${type}`
  }
  return `unrecognized type: ${isText ? 'string' : type}`
}
