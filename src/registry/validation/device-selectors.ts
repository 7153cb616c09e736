import { compileDeviceSelector, maxSelectorCost, selectorMaxCost } from '../../cel/device-selector.ts'
import { forbidden, invalid, required, tooLong } from '../errors/field-error.ts'
import { child, type Errors, type Obj } from './reader.ts'
import { text } from './scalars.ts'

// resource.k8s.io/v1, CELSelectorExpressionMaxLength.
const maxLength = 10 * 1024

/** validateSelector and validateCELSelector. */
export function checkDeviceSelector(errors: Errors, selector: Obj, path: string): void {
  const cel = child(selector, 'cel')
  if (cel === undefined) {
    errors.push(required(`${path}.cel`))
    return
  }
  const expression = text(cel, 'expression')
  const at = `${path}.cel.expression`
  if (Buffer.byteLength(expression) > maxLength) {
    errors.push(tooLong(at, maxLength))
    return
  }
  const { gates } = errors.release
  const { program, error } = compileDeviceSelector(expression, {
    consumableCapacity: gates.has('DRAConsumableCapacity'),
    listTypeAttributes: gates.has('DRAListTypeAttributes'),
    minor: Number(errors.release.minor.slice(errors.release.minor.indexOf('.') + 1)),
  })
  if (program === undefined) errors.push(invalid(at, expression, error))
  else if (costOf(program) > maxSelectorCost) errors.push(forbidden(at, 'too complex, exceeds cost limit'))
}

const costs = new WeakMap<object, number>()

/** Claims from one template have the same selectors. */
function costOf(program: Parameters<typeof selectorMaxCost>[0]): number {
  let cost = costs.get(program)
  if (cost === undefined) {
    cost = selectorMaxCost(program)
    costs.set(program, cost)
  }
  return cost
}
