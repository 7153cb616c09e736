import type { JsonPatchOperation } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Json } from '../../api/objects/meta.ts'
import { failed, type Result } from '../../base/result.ts'
import { isJsonObject, setOwn } from './merge-patch.ts'

type Root = { value: Json }
type Step = Result<Json>

const missingPath = (path: string): { readonly ok: false; readonly message: string } =>
  failed(`path ${JSON.stringify(path)} does not exist`)

/** JSON patch (RFC 6902), all operations or none. The document is not changed. */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Result<Json> {
  const root: Root = { value: structuredClone(document) as Json }
  for (const operation of operations) {
    const problem = applyOperation(root, operation)
    if (problem !== undefined) return failed(problem)
  }
  return { ok: true, value: root.value }
}

function applyOperation(root: Root, operation: JsonPatchOperation): string | undefined {
  const { op, path } = operation
  if (typeof path !== 'string') return 'an operation needs a path'
  switch (op) {
    case 'add':
      return operation.value === undefined
        ? 'add needs a value'
        : add(root, path, structuredClone(operation.value) as Json)
    case 'remove': {
      const removed = remove(root, path)
      return removed.ok ? undefined : removed.message
    }
    case 'replace': {
      const { value } = operation
      if (value === undefined) return 'replace needs a value'
      if (path === '') {
        root.value = structuredClone(value) as Json
        return undefined
      }
      // Upstream's library takes the replacement of a member that is not there for an addition.
      if (!isAbsentMember(root, path)) {
        const removed = remove(root, path)
        if (!removed.ok) return removed.message
      }
      return add(root, path, structuredClone(value) as Json)
    }
    case 'move': {
      const { from } = operation
      if (typeof from !== 'string') return 'move needs a from'
      if (path !== from && path.startsWith(`${from}/`)) return 'a value cannot move into itself'
      const removed = remove(root, from)
      return removed.ok ? add(root, path, removed.value) : removed.message
    }
    case 'copy': {
      const found = typeof operation.from === 'string' ? read(root.value, operation.from) : failed('copy needs a from')
      if (found.ok) return add(root, path, structuredClone(found.value) as Json)
      return isAbsentMember(root, String(operation.from)) ? add(root, path, null) : found.message
    }
    case 'test': {
      const found = read(root.value, path)
      // Upstream's library takes a test for null on a missing path as passed.
      if (!found.ok) return operation.value === null && hasParent(root, path) ? undefined : found.message
      return deepEqual(found.value, operation.value ?? null) ? undefined : `testing value ${path} failed`
    }
    default:
      return `unknown operation ${JSON.stringify(op)}`
  }
}

function tokens(path: string): string[] | undefined {
  if (path === '') return []
  if (!path.startsWith('/')) return undefined
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(document: Json, path: string): Step {
  const parts = tokens(path)
  if (parts === undefined) return missingPath(path)
  let value: Json = document
  for (const part of parts) {
    const next = child(value, part)
    if (next === undefined) return missingPath(path)
    value = next
  }
  return { ok: true, value }
}

function child(value: Json, token: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(token, value.length - 1)
    return index === undefined ? undefined : (value[index] as Json)
  }
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

function indexOf(token: string, last: number): number | undefined {
  if (!/^(0|[1-9]\d{0,8})$/.test(token)) return undefined
  const index = Number(token)
  return index <= last ? index : undefined
}

function parentOf(root: Root, path: string): { readonly parent: Json; readonly last: string } | undefined {
  const parts = tokens(path)
  const last = parts?.pop()
  if (parts === undefined || last === undefined) return undefined
  let parent: Json = root.value
  for (const part of parts) {
    const next = child(parent, part)
    if (next === undefined) return undefined
    parent = next
  }
  return { parent, last }
}

function isAbsentMember(root: Root, path: string): boolean {
  const found = parentOf(root, path)
  return found !== undefined && isJsonObject(found.parent) && !Object.hasOwn(found.parent, found.last)
}

function hasParent(root: Root, path: string): boolean {
  const parent = parentOf(root, path)?.parent
  return typeof parent === 'object' && parent !== null
}

function add(root: Root, path: string, value: Json): string | undefined {
  if (path === '') {
    root.value = value
    return undefined
  }
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path).message
  const { parent, last } = found
  if (Array.isArray(parent)) {
    const list = parent as Json[]
    const index = last === '-' ? list.length : indexOf(last, list.length)
    if (index === undefined) return `index ${JSON.stringify(last)} is out of bounds`
    list.splice(index, 0, value)
    return undefined
  }
  if (!isJsonObject(parent)) return missingPath(path).message
  setOwn(parent as Record<string, Json>, last, value)
  return undefined
}

function remove(root: Root, path: string): Step {
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path)
  const { parent, last } = found
  const value = child(parent, last)
  if (value === undefined) return missingPath(path)
  if (Array.isArray(parent)) (parent as Json[]).splice(Number(last), 1)
  else delete (parent as Record<string, Json>)[last]
  return { ok: true, value }
}
