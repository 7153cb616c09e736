import type { KubeObject } from '../../api/objects/meta.ts'
import type { Kind } from '../kinds/kind.ts'
import { since } from './age.ts'
import { customTable } from './custom.ts'
import { printedKinds } from './kinds.ts'

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 1: shown with `-o wide` only. */
  readonly priority: number
}

/** The output of `kubectl get`: the columns of the server, and one row of cells per object. */
export interface PrintedTable {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly unknown[])[]
}

const parsed = new Map<string, readonly TableColumn[]>()

function columnsOf(text: string): readonly TableColumn[] {
  let columns = parsed.get(text)
  if (columns === undefined) {
    columns = text.split(' · ').map(readColumn)
    parsed.set(text, columns)
  }
  return columns
}

function readColumn(text: string): TableColumn {
  const wide = text.endsWith('+')
  const [name = '', mark] = (wide ? text.slice(0, -1) : text).split(':')
  const type = mark === 'i' ? 'integer' : mark === 'b' ? 'boolean' : name === 'Created At' ? 'date' : 'string'
  return {
    name,
    type,
    format: name === 'Name' || name === 'Attacher' ? 'name' : '',
    description: name,
    priority: wide ? 1 : 0,
  }
}

const plain: readonly [string, (object: KubeObject) => readonly unknown[]] = [
  'Name · Created At',
  ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? '<unknown>'],
]

/**
 * The table of a kind, all columns included. Ages are relative to `now`. `list` is the whole list, if the objects are a
 * list.
 */
export function tableOf(
  kind: Kind,
  objects: readonly KubeObject[],
  now: number,
  list?: readonly KubeObject[],
): PrintedTable {
  if (kind.custom !== undefined) return customTable(kind.custom, objects, now)
  const [columns, cells] = (Object.hasOwn(printedKinds, kind.storage) ? printedKinds[kind.storage] : undefined) ?? plain
  const scope = { release: kind.release, list }
  return {
    columns: columnsOf(typeof columns === 'string' ? columns : columns(kind.release)),
    // Two views of the same objects have the same columns.
    rows: objects.map((object) =>
      cells(kind.toStorage?.(object) ?? object, now, since(object.metadata.creationTimestamp, now), scope),
    ),
  }
}
