import { labelKeyProblems } from '../../api/label-syntax.ts'

// Upstream's words for what is wrong with a field (apimachinery, util/validation/field).

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

/** What is wrong with a name that has the form of a label's key. */
export function labelNameProblems(path: string, name: string): string[] {
  return labelKeyProblems(name).map((problem) => invalid(path, name, problem))
}
