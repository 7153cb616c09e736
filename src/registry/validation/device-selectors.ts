import { required } from '../errors/field-error.ts'
import { child, type Errors, type Obj } from './reader.ts'

export function checkDeviceSelector(errors: Errors, selector: Obj, path: string): void {
  if (child(selector, 'cel') === undefined) errors.push(required(`${path}.cel`))
}
