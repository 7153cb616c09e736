import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import type { Fields } from '../../base/fields.ts'
import { type CustomSchema, pruneCustom } from '../custom/custom-kind.ts'
import { applyDefaults } from '../defaults/apply-defaults.ts'
import { invalid, invalidObject, maxErrorText } from '../errors/field-error.ts'
import { convert } from '../kinds/conversion.ts'
import type { Kind } from '../kinds/kind.ts'
import { decode } from './decode.ts'
import { isTooDeep } from './scalars.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore' | undefined

export interface DecodedObject {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

const noWarnings: readonly string[] = []

/** Builds the response for an object that cannot be decoded. */
export type DecodeFailure = (sent: KubeObject, reason: string) => Failure

/**
 * Decodes an object of the kind. `old`: the stored object, for an update; values shared with it are not decoded again.
 * `decodeFailure`: the response for the result of a patch, if it differs from that for a request body.
 */
export function decodeObject(
  kind: Kind,
  sent: KubeObject,
  validation: FieldValidation,
  old?: KubeObject,
  decodeFailure?: DecodeFailure,
  paths?: 'without-keys',
): DecodedObject | Failure {
  const wrong = kindMismatch(kind, sent, decodeFailure)
  if (wrong !== undefined) return wrong
  if (kind.custom !== undefined) return decodeCustom(kind, kind.custom, sent, validation, old)
  if (kind.shape === undefined) return { object: sent, warnings: noWarnings }
  const refuse: DecodeFailure = decodeFailure ?? ((body, reason) => bodyFailure(kind, body, reason))
  const decoded = decode(kind.shape, sent, old, paths)
  if (!decoded.ok) return refuse(sent, decoded.message)
  const object = decoded.value as unknown as KubeObject
  if (decoded.strict.length === 0 || validation === 'Ignore') return { object, warnings: noWarnings }
  if (validation === 'Strict') return refuse(sent, `strict decoding error: ${decoded.strict.join(', ')}`)
  return { object, warnings: decoded.strict }
}

/** Decodes metadata as for every object, and the rest by the schema of the definition. */
function decodeCustom(
  kind: Kind,
  custom: CustomSchema,
  sent: KubeObject,
  validation: FieldValidation,
  old: KubeObject | undefined,
): DecodedObject | Failure {
  if (isAnyTooDeep(sent, old)) return bodyFailure(kind, sent, 'exceeded max depth')
  const metaShape = kind.release.api.types.get('meta.ObjectMeta')
  const metadata =
    metaShape === undefined
      ? undefined
      : old !== undefined && sent.metadata === old.metadata
        ? { ok: true as const, value: sent.metadata, strict: noWarnings }
        : decode(metaShape, sent.metadata ?? {})
  if (metadata?.ok === false) return bodyFailure(kind, sent, metadata.message)
  const whole = { ...sent, metadata: metadata?.value ?? {} } as unknown as Record<string, unknown>
  const { object, unknown } = pruneCustom(custom, whole)
  const strict = [
    ...(metadata?.strict.map((one) => one.replace('field "', 'field "metadata.')) ?? []),
    ...unknown.slice(0, countThatFit(unknown)).map((path) => `unknown field ${JSON.stringify(path)}`),
  ]
  const decoded = object as unknown as KubeObject
  if (strict.length === 0 || validation === 'Ignore') return { object: decoded, warnings: noWarnings }
  if (validation === 'Strict') return bodyFailure(kind, sent, `strict decoding error: ${strict.join(', ')}`)
  return { object: decoded, warnings: strict }
}

/** Parts of the old object were accepted before. */
function isAnyTooDeep(sent: KubeObject, old: KubeObject | undefined): boolean {
  const [members, known] = [sent, old ?? {}] as unknown as readonly [Fields, Fields]
  for (const name in members) if (members[name] !== known[name] && isTooDeep(members[name], 1)) return true
  return false
}

/** The number of strings, at least one, that fit into a message of bounded length. */
function countThatFit(texts: readonly string[]): number {
  let left = maxErrorText
  let count = 0
  while (count < texts.length && left > 0) left -= (texts[count++] as string).length
  return count
}

function bodyFailure(kind: Kind, sent: KubeObject, why: string): Failure {
  const name = sent.kind ?? kind.kind
  return failure(
    'BadRequest',
    `${name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  )
}

/** Fails if the object names another kind or version than the path. */
function kindMismatch(kind: Kind, sent: unknown, decodeFailure?: DecodeFailure): Failure | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    const found = Array.isArray(sent) ? 'array' : typeof sent
    const why = `json: cannot unmarshal ${found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`
    return failure('BadRequest', `couldn't get version/kind; json parse error: ${why}`)
  }
  const { apiVersion, kind: name } = sent as KubeObject
  if (decodeFailure !== undefined && kind.custom === undefined) {
    return patchedKindMismatch(kind, sent as KubeObject, decodeFailure)
  }
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
    const isKnown = kind.release.api.shapeOfKind(kind.group, kind.version, name) !== undefined
    const why = isKnown
      ? `converting (v1.${name}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`
      : `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(kind.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
    return failure('BadRequest', `${name} in version ${version} cannot be handled as a ${kind.kind}: ${why}`)
  }
  return undefined
}

/** A patch may change apiVersion and kind; upstream looks up the decoder by the patched values. */
function patchedKindMismatch(kind: Kind, patched: KubeObject, decodeFailure: DecodeFailure): Failure | undefined {
  const apiVersion = patched.apiVersion || kind.apiVersion
  const name = patched.kind || kind.kind
  if (apiVersion === kind.apiVersion && name === kind.kind) return undefined
  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
  return decodeFailure(
    patched,
    `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)} ${scheme}`,
  )
}

/** Stage of every write: sets the defaults of the kind, and sets duplicate fields to the same value (conversion.ts). */
export function withDefaults(kind: Kind, object: KubeObject): KubeObject {
  if (kind.strategy.default !== undefined) return kind.strategy.default(object)
  if (kind.shape === undefined) return object
  const defaulted = applyDefaults(kind.shape, object as unknown as Record<string, unknown>, kind.release)
  return convert(kind.resource, defaulted as unknown as KubeObject)
}
