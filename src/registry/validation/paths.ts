import { invalid } from '../errors/field-error.ts'
import type { Errors } from './reader.ts'

export function checkNoBacksteps(errors: Errors, path: string, field: string): void {
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"))
}

export function checkDescending(errors: Errors, path: string, field: string): void {
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'))
  checkNoBacksteps(errors, path, field)
}

/** Names that start with two dots are reserved for the internal links of volumes. */
export function checkUnreserved(errors: Errors, path: string, field: string): void {
  checkDescending(errors, path, field)
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(field, path, "must not start with '..'"))
}

const fileMode = 'must be a number between 0 and 0777 (octal), both inclusive'

export function checkMode(errors: Errors, mode: number | undefined, field: string): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(field, mode, fileMode))
}
