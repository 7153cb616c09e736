import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { types } from '../../api/schema/builtin-schema.ts'
import { failure } from '../../api/status.ts'
import { type CustomSchema, pruneCustom } from '../custom/custom-kind.ts'
import { applyDefaults } from '../defaults/apply-defaults.ts'
import { invalid, invalidObject, maxErrorText } from '../errors/field-error.ts'
import { convert } from '../kinds/conversion.ts'
import type { Kind } from '../kinds/kind.ts'
import { builtinKinds } from '../kinds/kinds.ts'
import { decode } from './decode.ts'
import { isTooDeep } from './scalars.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore' | undefined

export interface DecodedObject {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

const none: readonly string[] = []

/** How it is said that something could not be read. */
export type Unreadable = (sent: KubeObject, why: string) => Failure

/**
 * Reads what a client sent as its kind. `known`: the stored object, when this is an update of it. `say`: how the result
 * of a patch is refused, where that differs from what is said of a body.
 */
export function decodeObject(
  kind: Kind,
  sent: KubeObject,
  validation: FieldValidation,
  known?: KubeObject,
  say?: Unreadable,
): DecodedObject | Failure {
  const wrong = wrongKind(kind, sent, say)
  if (wrong !== undefined) return wrong
  if (kind.custom !== undefined) return decodeCustom(kind, kind.custom, sent, validation)
  if (kind.shape === undefined) return { object: sent, warnings: none }
  const refuse: Unreadable = say ?? ((body, why) => unreadable(kind, body, why))
  const decoded = decode(kind.shape, sent, known)
  if (!decoded.ok) return refuse(sent, decoded.message)
  const object = decoded.value as unknown as KubeObject
  if (decoded.strict.length === 0 || validation === 'Ignore') return { object, warnings: none }
  if (validation === 'Strict') return refuse(sent, `strict decoding error: ${decoded.strict.join(', ')}`)
  return { object, warnings: decoded.strict }
}

const metaShape = types.get('meta.ObjectMeta')

/** Custom resources: metadata as every object has it, the rest as the definition says. */
function decodeCustom(
  kind: Kind,
  custom: CustomSchema,
  sent: KubeObject,
  validation: FieldValidation,
): DecodedObject | Failure {
  if (isTooDeep(sent)) return unreadable(kind, sent, 'exceeded max depth')
  const metadata = metaShape === undefined ? undefined : decode(metaShape, sent.metadata ?? {})
  if (metadata?.ok === false) return unreadable(kind, sent, metadata.message)
  const whole = { ...sent, metadata: metadata?.value ?? {} } as unknown as Record<string, unknown>
  const { object, unknown } = pruneCustom(custom, whole)
  const strict = [
    ...(metadata?.strict.map((one) => one.replace('field "', 'field "metadata.')) ?? []),
    ...unknown.slice(0, shortEnough(unknown)).map((path) => `unknown field ${JSON.stringify(path)}`),
  ]
  const decoded = object as unknown as KubeObject
  if (strict.length === 0 || validation === 'Ignore') return { object: decoded, warnings: none }
  if (validation === 'Strict') return unreadable(kind, sent, `strict decoding error: ${strict.join(', ')}`)
  return { object: decoded, warnings: strict }
}

/** How many of these texts have a bounded length together. One is told in any case. */
function shortEnough(texts: readonly string[]): number {
  let left = maxErrorText
  let count = 0
  while (count < texts.length && left > 0) left -= (texts[count++] as string).length
  return count
}

function unreadable(kind: Kind, sent: KubeObject, why: string): Failure {
  const name = sent.kind ?? kind.kind
  return failure(
    'BadRequest',
    `${name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  )
}

function wrongKind(kind: Kind, sent: unknown, say?: Unreadable): Failure | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    const found = Array.isArray(sent) ? 'array' : typeof sent
    const why = `json: cannot unmarshal ${found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`
    return failure('BadRequest', `couldn't get version/kind; json parse error: ${why}`)
  }
  const { apiVersion, kind: name } = sent as KubeObject
  if (say !== undefined && kind.custom === undefined) return wrongPatchedKind(kind, sent as KubeObject, say)
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== kind.apiVersion) {
    const why = `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`
    return failure('BadRequest', why)
  }
  if (name !== undefined && name !== '' && name !== kind.kind) {
    if (kind.custom !== undefined) {
      return invalidObject(name, kind.resource, (sent as KubeObject).metadata?.name ?? '', [
        invalid('kind', name, `must be ${kind.kind}`),
      ])
    }
    const version = JSON.stringify(kind.version)
    const isKnown = builtinKinds.some((one) => one.kind === name && one.apiVersion === kind.apiVersion)
    const why = isKnown
      ? `converting (v1.${name}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`
      : `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(kind.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
    return failure('BadRequest', `${name} in version ${version} cannot be handled as a ${kind.kind}: ${why}`)
  }
  return undefined
}

/** A patch may change even what an object is; the result is read by what it says of itself. */
function wrongPatchedKind(kind: Kind, patched: KubeObject, say: Unreadable): Failure | undefined {
  const apiVersion = patched.apiVersion || kind.apiVersion
  const name = patched.kind || kind.kind
  if (apiVersion === kind.apiVersion && name === kind.kind) return undefined
  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
  return say(
    patched,
    `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)} ${scheme}`,
  )
}

/** The object as it is stored: with the fields that its kind fills in, and those that say the same thing agreeing. */
export function withDefaults(kind: Kind, object: KubeObject): KubeObject {
  if (kind.strategy.default !== undefined) return kind.strategy.default(object)
  if (kind.shape === undefined) return object
  const defaulted = applyDefaults(kind.shape, object as unknown as Record<string, unknown>)
  return convert(kind.resource, defaulted as unknown as KubeObject)
}
