import type { JsonPatchOperation } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Json } from '../../api/objects/meta.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { failed, type Result } from '../../base/result.ts'
import { isTooDeep } from '../decode/scalars.ts'
import { isJsonObject, setOwn } from './merge-patch.ts'

type PatchResult = Result<Json>

interface Root {
  value: Json
  /** The JSON bytes that copy operations have added. */
  copied: number
  /** The number of list elements that were moved to insert or remove elements. */
  shifted: number
}

/** kube-apiserver's JSONPatchMaxCopyBytes (v1.36, apiserver/pkg/server/config.go). */
const maxCopiedBytes = 3 * 1024 * 1024
// Upstream has no such limit. An operation at the front of a long list moves all of its elements, and a patch may have
// 10,000 operations.
const maxShifted = 200_000_000

const missingPath = (path: string): { readonly ok: false; readonly message: string } =>
  failed(`path ${JSON.stringify(path)} does not exist`)

/** JSON patch as github.com/evanphx/json-patch applies it: all operations or none. The document is not changed. */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Result<Json> {
  const root: Root = { value: cloned(document), copied: 0, shifted: 0 }
  for (const operation of operations) {
    const problem = isJsonObject(operation) ? applyOperation(root, operation) : 'Unexpected kind: unknown'
    if (problem !== undefined) return failed(problem)
    if (root.shifted > maxShifted) return failed('the patch moves too many list elements')
  }
  // Operations can nest a value in itself repeatedly.
  return isTooDeep(root.value) ? failed('exceeded max depth') : { ok: true, value: root.value }
}

function applyOperation(root: Root, operation: JsonPatchOperation): string | undefined {
  const { op, path } = operation
  if (typeof path !== 'string') return 'an operation needs a path'
  switch (op) {
    case 'add':
      return add(root, path, cloned(operation.value))
    case 'remove': {
      const removed = remove(root, path)
      return removed.ok ? undefined : removed.message
    }
    case 'replace':
      return replace(root, path, cloned(operation.value))
    case 'move': {
      const { from } = operation
      if (typeof from !== 'string') return 'move needs a from'
      const removed = remove(root, from)
      return removed.ok ? add(root, path, removed.value) : removed.message
    }
    case 'copy':
      return copy(root, operation)
    case 'test':
      return test(root, operation)
    default:
      return `unknown operation ${JSON.stringify(op)}`
  }
}

/** A missing value is null. Numbers with their original text are separate values. */
function cloned(value: Json | undefined): Json {
  if (value === undefined) return null
  if (Array.isArray(value)) return value.map(cloned)
  if (!isJsonObject(value)) return value
  const out: Record<string, Json> = {}
  for (const name of Object.keys(value)) setOwn(out, name, cloned(value[name]))
  return out
}

function replace(root: Root, path: string, value: Json): string | undefined {
  if (path === '') {
    if (typeof value !== 'object' || value === null) return 'replace operation value must be object or array'
    root.value = value
    return undefined
  }
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path).message
  const { parent, last } = found
  if (Array.isArray(parent)) {
    const index = indexOf(last, parent.length, parent.length - 1)
    if (index === undefined) return missingPath(path).message
    ;(parent as Json[])[index] = value
  } else setOwn(parent as Record<string, Json>, last, value)
  return undefined
}

function copy(root: Root, { from, path }: JsonPatchOperation): string | undefined {
  if (typeof from !== 'string') return 'copy needs a from'
  const source = parentOf(root, from)
  if (source === undefined) return missingPath(from).message
  // A missing member is copied as null.
  const value = child(source.parent, source.last) ?? (isJsonObject(source.parent) ? null : undefined)
  if (value === undefined || parentOf(root, path) === undefined) return missingPath(from).message
  if (isTooDeep(value)) return 'exceeded max depth'
  root.copied += Buffer.byteLength(encodeJson(value))
  if (root.copied > maxCopiedBytes) {
    return `Unable to complete the copy, the accumulated size increase of copy is ${root.copied}, exceeding the limit ${maxCopiedBytes}`
  }
  return add(root, path, cloned(value))
}

function test(root: Root, { path, value = null }: JsonPatchOperation): string | undefined {
  const failure = `testing value ${path} failed`
  if (path === '') return deepEqual(root.value, value) ? undefined : failure
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path).message
  const present = child(found.parent, found.last)
  // A missing member equals null.
  if (present === undefined && Array.isArray(found.parent)) return missingPath(path).message
  return deepEqual(present ?? null, value) ? undefined : failure
}

/** Text before the first slash is ignored. */
function tokens(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function child(value: Json, token: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(token, value.length, value.length - 1)
    return index === undefined ? undefined : (value[index] as Json)
  }
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

/** An index as strconv.Atoi parses it; negative ones count from `end`. */
function indexOf(token: string, end: number, last: number): number | undefined {
  if (!/^[+-]?\d{1,15}$/.test(token)) return undefined
  const given = Number(token)
  const index = given < 0 ? given + end : given
  return index >= 0 && index <= last ? index : undefined
}

/** The list or object that contains the target of a path. */
function parentOf(root: Root, path: string): { readonly parent: Json; readonly last: string } | undefined {
  const parts = tokens(path)
  const last = parts.pop()
  if (last === undefined) return undefined
  let parent: Json = root.value
  for (const part of parts) {
    const next = child(parent, part)
    if (next === undefined) return undefined
    parent = next
  }
  return typeof parent === 'object' && parent !== null ? { parent, last } : undefined
}

function add(root: Root, path: string, value: Json): string | undefined {
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path).message
  const { parent, last } = found
  if (Array.isArray(parent)) {
    const list = parent as Json[]
    const index = last === '-' ? list.length : indexOf(last, list.length + 1, list.length)
    if (index === undefined) return `index ${JSON.stringify(last)} is out of bounds`
    root.shifted += list.length - index
    list.splice(index, 0, value)
  } else setOwn(parent as Record<string, Json>, last, value)
  return undefined
}

function remove(root: Root, path: string): PatchResult {
  const found = parentOf(root, path)
  if (found === undefined) return missingPath(path)
  const { parent, last } = found
  const value = child(parent, last)
  if (value === undefined) return missingPath(path)
  if (Array.isArray(parent)) {
    const index = indexOf(last, parent.length, parent.length - 1) as number
    root.shifted += parent.length - index
    ;(parent as Json[]).splice(index, 1)
  } else delete (parent as Record<string, Json>)[last]
  return { ok: true, value }
}
