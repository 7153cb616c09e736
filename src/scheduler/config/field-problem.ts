import { labelKeyProblems } from '../../api/label-syntax.ts'

// Upstream's messages for invalid fields (apimachinery, util/validation/field).

export function invalid(path: string, value: unknown, detail: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`
}

export function required(path: string, detail: string): string {
  return detail === '' ? `${path}: Required value` : `${path}: Required value: ${detail}`
}

export function forbidden(path: string, detail: string): string {
  return `${path}: Forbidden: ${detail}`
}

export function duplicate(path: string, value: unknown): string {
  return `${path}: Duplicate value: ${JSON.stringify(value)}`
}

export function notSupported(path: string, value: unknown, supported: readonly string[]): string {
  const listed = supported.map((one) => JSON.stringify(one)).join(', ')
  return `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${listed}`
}

/** The problem of a name that must have the form of a label key. */
export function labelNameProblems(path: string, name: string): string[] {
  return labelKeyProblems(name).map((problem) => invalid(path, name, problem))
}
