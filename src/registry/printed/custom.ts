import type { KubeObject } from '../../api/objects/meta.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { CustomSchema, PrinterColumn } from '../custom/custom-kind.ts'
import { parseJsonPath, readJsonPath } from '../custom/json-path.ts'
import { since } from './age.ts'
import type { PrintedTable } from './table.ts'

const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.',
}

/** The columns of a definition; if it has none, the age. */
export function customTable(custom: CustomSchema, objects: readonly KubeObject[], now: number): PrintedTable {
  const columns = custom.columns.length === 0 ? [ageColumn] : custom.columns
  const paths = columns.map(({ jsonPath }) => parseJsonPath(jsonPath))
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: 'Name of the object', priority: 0 },
      ...columns.map(({ name, type, format = '', description, priority = 0, jsonPath }) => ({
        name,
        type,
        format,
        description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority,
      })),
    ],
    rows: objects.map((object) => [
      object.metadata.name,
      ...columns.map((column, i) => cell(column, paths[i] === undefined ? [] : readJsonPath(paths[i], object), now)),
    ]),
  }
}

function cell({ type }: PrinterColumn, values: readonly unknown[], now: number): unknown {
  const [first] = values
  if (first === undefined || first === null) return null
  switch (type) {
    case 'integer':
    case 'number':
      return typeof first === 'number' || typeof first === 'bigint' ? first : null
    case 'boolean':
      return typeof first === 'boolean' ? first : null
    case 'date':
      return typeof first === 'string' ? since(first, now) : null
    default:
      return values.map((value) => (typeof value === 'object' ? encodeJson(value) : String(value))).join(' ')
  }
}
