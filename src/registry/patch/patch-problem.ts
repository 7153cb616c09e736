import type { JsonPatchOperation } from '../../api/call.ts'
import type { Json } from '../../api/objects/meta.ts'
import { applyJsonPatch } from './json-patch.ts'

export type Patched = { readonly value: Json } | { readonly failed: string; readonly isTest: boolean }

/** Applies a JSON patch. A failure has the message of github.com/evanphx/json-patch. */
export function patchedDocument(document: Json, operations: readonly JsonPatchOperation[]): Patched {
  const whole = applyJsonPatch(document, operations)
  if (whole.ok) return { value: whole.value }
  let current = document
  for (const operation of operations) {
    const next = applyJsonPatch(current, [operation])
    if (!next.ok) return problemOf(current, operation, next.message)
    current = next.value
  }
  return { failed: whole.message, isTest: false }
}

function problemOf(document: Json, operation: JsonPatchOperation, otherwise: string): Patched {
  const { op, path } = operation
  const because = (failed: string) => ({ failed, isTest: false })
  const missing = 'missing value'
  const { parent, key } = placeOf(document, path)
  switch (op) {
    case 'test':
      if (parent === undefined) return because(`test operation does not apply: is missing path: ${path}: ${missing}`)
      return { failed: `testing value ${path} failed: test failed`, isTest: true }
    case 'add':
      if (parent === undefined) {
        return because(`add operation does not apply: doc is missing path: "${path}": ${missing}`)
      }
      return because(`error in add for path: '${path}': ${indexProblem(key)}`)
    case 'remove':
      if (parent === undefined) {
        return because(`remove operation does not apply: doc is missing path: "${path}": ${missing}`)
      }
      return because(
        `error in remove for path: '${path}': ${Array.isArray(parent) ? indexProblem(key) : `Unable to remove nonexistent key: ${key}: ${missing}`}`,
      )
    case 'replace':
      if (parent === undefined) {
        return because(`replace operation does not apply: doc is missing path: ${path}: ${missing}`)
      }
      return because(`replace operation does not apply: doc is missing key: ${path}: ${missing}`)
    case 'move':
    case 'copy': {
      const from = operation.from ?? ''
      const source = placeOf(document, from)
      if (source.parent === undefined) {
        return because(`${op} operation does not apply: doc is missing from path: ${from}: ${missing}`)
      }
      return because(`${op} operation does not apply: doc is missing destination path: ${path}: ${missing}`)
    }
    default:
      return because(`Unexpected kind: ${String(op)}`.replace(/: $/, `: ${otherwise}`))
  }
}

function indexProblem(key: string): string {
  if (/^-?\d+$/.test(key)) return `Unable to access invalid index: ${key}: invalid index referenced`
  return `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`
}

/** The object or list that contains the target of a pointer, and the last step. */
function placeOf(document: Json, pointer: string): { readonly parent: Json | undefined; readonly key: string } {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = steps.pop() ?? ''
  let parent: Json | undefined = document
  for (const step of steps) {
    if (typeof parent !== 'object' || parent === null) return { parent: undefined, key }
    parent = Object.hasOwn(parent, step) ? (parent as Readonly<Record<string, Json>>)[step] : undefined
  }
  return { parent: typeof parent === 'object' && parent !== null ? parent : undefined, key }
}
