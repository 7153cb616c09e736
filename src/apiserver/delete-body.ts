import type { Failure } from '../api/call.ts'
import type { Json } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { TypeTable } from '../api/schema/type-table.ts'
import { failure, plainError } from '../api/status.ts'
import { decode } from '../registry/decode/decode.ts'
import { checkedDelete, type DeleteParameters } from './options.ts'

/** The first Go type into which the body is decoded, as it appears in errors. */
const header = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Options that exist in every version and have no effect here. */
const otherOptions = [
  'CreateOptions',
  'UpdateOptions',
  'Status',
  'APIVersions',
  'APIGroupList',
  'APIGroup',
  'APIResourceList',
]
const metaOptions = [
  'ListOptions',
  'GetOptions',
  'PatchOptions',
  'Table',
  'TableOptions',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'WatchEvent',
]

/** The body of a DELETE: DeleteOptions of any version (handlers/delete.go, DeleteResource). */
export function deleteBody(body: Json, release: KubernetesRelease): DeleteParameters | Failure {
  const read = optionsIn(body, release.api.types)
  return read instanceof Malformed ? malformedDelete(read.message, release) : read
}

/** The response to a body that cannot be read. */
export function malformedDelete(message: string, { changes }: KubernetesRelease): Failure {
  return changes.has('MalformedIsBadRequest') ? failure('BadRequest', message) : plainError(message)
}

class Malformed {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function optionsIn(body: Json, types: TypeTable): DeleteParameters | Failure | Malformed {
  if (body === null) return checkedDelete({})
  if (typeof body !== 'object' || Array.isArray(body)) {
    return unreadable(`json: cannot unmarshal ${jsonKind(body)} into Go value of type ${header}`)
  }
  const { apiVersion = '', kind = '' } = body as { readonly [key: string]: Json }
  for (const [name, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value === 'string' || value === null) continue
    return unreadable(`json: cannot unmarshal ${jsonKind(value)} into Go struct field .${name} of type string`)
  }
  if (String(apiVersion ?? '').split('/').length > 2) {
    return new Malformed(`unexpected GroupVersion string: ${String(apiVersion)}`)
  }
  if (kind !== '' && kind !== null && kind !== 'DeleteOptions')
    return otherKind(String(apiVersion ?? ''), String(kind), body, types)
  const shape = types.get('meta.DeleteOptions')
  if (shape === undefined) throw new Error('meta.DeleteOptions is missing from the tables of types')
  const decoded = decode(shape, body)
  if (!decoded.ok) return new Malformed(decoded.message)
  return checkedDelete(decoded.value)
}

const unreadable = (why: string): Malformed => new Malformed(`couldn't get version/kind; json parse error: ${why}`)

function decodedAs(kind: string, body: Json, types: TypeTable) {
  const other = types.get(`meta.${kind}`)
  return other === undefined ? undefined : decode(other, body)
}

function otherKind(apiVersion: string, kind: string, body: Json, types: TypeTable): Malformed {
  const version = apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion
  const isKnown = otherOptions.includes(kind) || (version === 'meta.k8s.io/v1' && metaOptions.includes(kind))
  const decoded = isKnown ? decodedAs(kind, body, types) : undefined
  if (decoded?.ok === false) return new Malformed(decoded.message)
  if (isKnown) return new Malformed(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
  const shown = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`
  return new Malformed(`${shown} in scheme "pkg/runtime/scheme.go:111"`)
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
