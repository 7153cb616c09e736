import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { tableOf } from '../../src/registry/printed/table.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly kind: string
  readonly object: KubeObject
}

interface Column {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly priority: number
}

interface Want {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
}

export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  const kind = builtinKindsOf(release).find((one) => one.kind === given.kind)
  if (kind === undefined) return { ok: false, got: `unknown kind ${given.kind}` }
  const { columns, rows } = tableOf(kind, [given.object], 0)
  const bare = columns.map(({ name, type, format, priority }) => ({ name, type, format, priority }))
  return expectEqual({ columns: bare, rows }, want)
}
