import type { Failure } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import { convert } from './conversion.ts'
import { applyDefaults } from './defaults/apply-defaults.ts'
import type { Kind } from './kind.ts'
import { builtinKinds } from './kinds.ts'
import { decode } from './schema/decode.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore' | undefined

export interface DecodedObject {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

const none: readonly string[] = []

/** Reads what a client sent as its kind. `known`: the stored object, when this is an update of it. */
export function decodeObject(
  kind: Kind,
  sent: KubeObject,
  validation: FieldValidation,
  known?: KubeObject,
): DecodedObject | Failure {
  const wrong = wrongKind(kind, sent)
  if (wrong !== undefined) return wrong
  if (kind.shape === undefined) return { object: sent, warnings: none }
  const decoded = decode(kind.shape, sent, known)
  if (!decoded.ok) return unreadable(kind, sent, decoded.message)
  const object = decoded.value as unknown as KubeObject
  if (decoded.strict.length === 0 || validation === 'Ignore') return { object, warnings: none }
  if (validation === 'Strict') return unreadable(kind, sent, `strict decoding error: ${decoded.strict.join(', ')}`)
  return { object, warnings: decoded.strict }
}

function unreadable(kind: Kind, sent: KubeObject, why: string): Failure {
  const name = sent.kind ?? kind.kind
  return failure(
    'BadRequest',
    `${name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  )
}

function wrongKind(kind: Kind, sent: unknown): Failure | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    const found = Array.isArray(sent) ? 'array' : typeof sent
    const why = `json: cannot unmarshal ${found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`
    return failure('BadRequest', `couldn't get version/kind; json parse error: ${why}`)
  }
  const { apiVersion, kind: name } = sent as KubeObject
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== kind.apiVersion) {
    const why = `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`
    return failure('BadRequest', why)
  }
  if (name !== undefined && name !== '' && name !== kind.kind) {
    const version = JSON.stringify(kind.version)
    const known = builtinKinds.some((one) => one.kind === name && one.apiVersion === kind.apiVersion)
    const why = known
      ? `converting (v1.${name}) to (${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}): unknown conversion`
      : `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(kind.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
    return failure('BadRequest', `${name} in version ${version} cannot be handled as a ${kind.kind}: ${why}`)
  }
  return undefined
}

/** The object as it is stored: with the fields that its kind fills in, and those that say the same thing agreeing. */
export function withDefaults(kind: Kind, object: KubeObject): KubeObject {
  if (kind.strategy.default !== undefined) return kind.strategy.default(object)
  if (kind.shape === undefined) return object
  const defaulted = applyDefaults(kind.shape, object as unknown as Record<string, unknown>)
  return convert(kind.resource, defaulted as unknown as KubeObject)
}
