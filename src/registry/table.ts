import type { KubeObject } from '../api/objects/meta.ts'
import type { Kind } from './kind.ts'

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 1: shown with `-o wide` only. */
  readonly priority: number
}

/** What `kubectl get` prints: the server's columns, one row of cells per object. */
export interface PrintedTable {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly unknown[])[]
}

/** The columns every kind has that has none of its own. `now` is what ages are counted from. */
export function tableOf(_kind: Kind, objects: readonly KubeObject[], _now: number): PrintedTable {
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: 'Name of the object', priority: 0 },
      { name: 'Created At', type: 'date', format: '', description: 'When the object was created', priority: 0 },
    ],
    rows: objects.map(({ metadata }) => [metadata.name, metadata.creationTimestamp ?? '<unknown>']),
  }
}
