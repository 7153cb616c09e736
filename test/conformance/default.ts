import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { decode } from '../../src/registry/decode/decode.ts'
import { applyDefaults } from '../../src/registry/defaults/apply-defaults.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly kind: string
  readonly object: JsonObject
}

interface Want {
  readonly object: JsonObject
}

export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  const shape = builtinKindsOf(release).find(({ kind }) => kind === given.kind)?.shape
  if (shape === undefined) return { ok: false, got: `unknown kind ${given.kind}` }
  const decoded = decode(shape, given.object)
  if (!decoded.ok) return { ok: false, got: decoded.message }
  return expectEqual(applyDefaults(shape, decoded.value, release), want.object)
}
