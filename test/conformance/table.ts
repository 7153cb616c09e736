import type { KubeObject } from '../../src/api/objects/meta.ts'
import { builtinKinds } from '../../src/registry/kinds.ts'
import { tableOf } from '../../src/registry/table.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly kind: string
  readonly object: KubeObject
}

export function run(given: Given, want: unknown): Verdict {
  const kind = builtinKinds.find((each) => each.kind === given.kind)
  if (kind === undefined) throw new Error(`no kind ${given.kind}`)
  const table = tableOf(kind, [given.object], 0)
  // What columns mean is upstream's prose; their names and types are what clients read.
  const columns = table.columns.map(({ description: _description, ...column }) => column)
  return expectEqual({ columns, rows: table.rows }, want)
}
