import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { applyStrategicMerge } from '../../src/registry/patch/strategic-merge.ts'
import { expectEqual, expectError, type Verdict } from './verdict.ts'

interface Given {
  readonly kind: string
  readonly original: JsonObject
  readonly patch: JsonObject
}

type Want = { readonly object: JsonObject } | { readonly error: string }

export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  const shape = builtinKindsOf(release).find(({ kind }) => kind === given.kind)?.shape
  if (shape === undefined) return { ok: false, got: `unknown kind ${given.kind}` }
  const result = applyStrategicMerge(given.original, given.patch, shape)
  if ('error' in want) return expectError(result.ok ? undefined : result.message)
  return result.ok ? expectEqual(result.value, want.object) : { ok: false, got: result.message }
}
