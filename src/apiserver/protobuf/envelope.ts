import type { ReleaseApi } from '../../api/releases/release-api.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import type { Fields } from '../../base/fields.ts'
import { writeStruct } from './encode.ts'
import { WireWriter } from './wire.ts'

export const magic = [0x6b, 0x38, 0x73, 0x00] as const

/** Types that exist in every group and version (metav1.AddToGroupVersion). */
const sharedKinds: ReadonlySet<string> = new Set([
  'DeleteOptions',
  'Status',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
])

/** The type of a kind; undefined if it has no protobuf encoding: custom resources, and tables. */
export function messageShape(api: ReleaseApi, apiVersion: string, kind: string): StructShape | undefined {
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  const shape = api.shapeOfKind(group, apiVersion.slice(slash + 1), kind)
  return shape ?? (sharedKinds.has(kind) ? api.types.get(`meta.${kind}`) : undefined)
}

const writer = new WireWriter()

/** An object in protobuf; undefined if its kind has no protobuf encoding. */
export function encodeEnvelope(object: Fields, api: ReleaseApi): Uint8Array | undefined {
  const apiVersion = String(object['apiVersion'] ?? '')
  const kind = String(object['kind'] ?? '')
  const shape = messageShape(api, apiVersion, kind)
  if (shape === undefined) return undefined
  writeEnvelope(writer, apiVersion, kind, () => writeStruct(writer, shape, object))
  return writer.take()
}

/** runtime.Unknown after the magic number: the type, the object, and two empty strings (encoding and media type). */
export function writeEnvelope(to: WireWriter, apiVersion: string, kind: string, writeObject: () => void): void {
  writeTail(to)
  const from = to.length
  writeObject()
  to.enclose(2, from)
  writeHead(to, apiVersion, kind)
}

export function writeTail(to: WireWriter): void {
  for (const number of [4, 3]) {
    to.varint(0)
    to.key(number, 2)
  }
}

export function writeHead(to: WireWriter, apiVersion: string, kind: string): void {
  const type = to.length
  writeText(to, 2, kind)
  writeText(to, 1, apiVersion)
  to.enclose(1, type)
  to.raw(Uint8Array.from(magic))
}

export function writeText(to: WireWriter, number: number, text: string): void {
  const from = to.length
  to.text(text)
  to.enclose(number, from)
}
