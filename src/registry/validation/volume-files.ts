import { invalid, required } from '../errors/field-error.ts'
import { checkFieldSelector, checkResourceSelector, volumeFields } from './environment.ts'
import { checkMode, checkUnreserved } from './paths.ts'
import { child, type Errors, type Obj } from './reader.ts'
import { numberIfSet, text } from './scalars.ts'

export function checkKeyToPath(errors: Errors, item: Obj, path: string): void {
  const file = text(item, 'path')
  if (text(item, 'key') === '') errors.push(required(`${path}.key`))
  if (file === '') errors.push(required(`${path}.path`))
  checkUnreserved(errors, file, `${path}.path`)
  checkMode(errors, numberIfSet(item, 'mode'), `${path}.mode`)
}

export function checkDownwardFile(errors: Errors, file: Obj, path: string): void {
  const name = text(file, 'path')
  if (name === '') errors.push(required(`${path}.path`))
  checkUnreserved(errors, name, `${path}.path`)
  const field = child(file, 'fieldRef')
  const resource = child(file, 'resourceFieldRef')
  if (field !== undefined) {
    checkFieldSelector(errors, field, volumeFields, `${path}.fieldRef`)
    if (resource !== undefined) {
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    }
  } else if (resource !== undefined) checkResourceSelector(errors, resource, `${path}.resourceFieldRef`, true)
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
  checkMode(errors, numberIfSet(file, 'mode'), `${path}.mode`)
}
