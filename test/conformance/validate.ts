import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { decode } from '../../src/registry/decode/decode.ts'
import { applyDefaults } from '../../src/registry/defaults/apply-defaults.ts'
import type { FieldError } from '../../src/registry/errors/field-error.ts'
import { convert } from '../../src/registry/kinds/conversion.ts'
import type { Kind } from '../../src/registry/kinds/kind.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { noErrors, type Obj } from '../../src/registry/validation/reader.ts'
import { validators } from '../../src/registry/validation/validators.ts'
import { expectEqual, type Verdict } from './verdict.ts'

interface Given {
  readonly kind: string
  readonly object: JsonObject
  readonly old?: JsonObject
}

type Want = { readonly errors: readonly FieldError[] } | { readonly decodeError: string }

type Read = { readonly ok: true; readonly object: Obj } | { readonly ok: false; readonly message: string }

function read(kind: Kind, object: JsonObject): Read {
  if (kind.shape === undefined) return { ok: false, message: `no types for ${kind.kind}` }
  const decoded = decode(kind.shape, object)
  if (!decoded.ok) return decoded
  const defaulted = applyDefaults(kind.shape, decoded.value, kind.release)
  return { ok: true, object: convert(kind.resource, defaulted as never) as unknown as Obj }
}

// What follows upstream's first line is a dump of an internal struct, and errors come in any order.
const comparable = (errors: readonly FieldError[]): readonly string[] =>
  errors.map(({ field, reason, message }) => `${reason} ${field}: ${message.split('\n')[0]}`).sort()

export function run(given: Given, want: Want, release: KubernetesRelease): Verdict {
  const kind = builtinKindsOf(release).find((one) => one.kind === given.kind)
  const validator = kind === undefined ? undefined : validators[kind.resource]
  if (kind === undefined || validator === undefined) return { ok: false, got: `no validation of ${given.kind}` }
  const object = read(kind, given.object)
  if ('decodeError' in want) return expectEqual(object.ok ? undefined : object.message, want.decodeError)
  if (!object.ok) return { ok: false, got: object.message }
  const errors = noErrors(release)
  if (given.old === undefined) validator.create(errors, object.object)
  else {
    const old = read(kind, given.old)
    if (!old.ok) return { ok: false, got: old.message }
    validator.update(errors, object.object, old.object)
  }
  return expectEqual(comparable(errors), comparable(want.errors))
}
