import { defaultRelease } from '../../api/releases/release-of.ts'
import type { Fields } from '../../base/fields.ts'
import type { ApiResponse, RequestHead } from '../exchange.ts'
import { negotiate } from '../media.ts'
import { encodeEnvelope } from './envelope.ts'
import { protobufType } from './render.ts'

const discoveryKinds: ReadonlySet<unknown> = new Set(['APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList'])

export const namesProtobuf = ({ headers }: RequestHead): boolean => headers['accept']?.includes(protobufType) === true

/**
 * Encodes a Status or a discovery document in protobuf if the client requests it. Other responses are encoded where
 * they are created.
 */
export function inAcceptedEncoding({ headers, path }: RequestHead, response: ApiResponse): ApiResponse {
  if (response.kind !== 'full' || negotiate(headers['accept'])?.encoding !== 'protobuf') return response
  const value = (response.status as Fields | undefined) ?? discoveryDocument(path, response)
  const body = value === undefined ? undefined : encodeEnvelope(value, defaultRelease.api)
  if (body === undefined) return response
  return { ...response, headers: { ...response.headers, 'content-type': protobufType }, body }
}

function discoveryDocument(path: string, response: Extract<ApiResponse, { kind: 'full' }>): Fields | undefined {
  if (response.headers['content-type'] !== 'application/json' || !/^\/apis?(\/|$)/.test(path)) return undefined
  if (typeof response.body !== 'string') return undefined
  const document = JSON.parse(response.body) as Fields
  return discoveryKinds.has(document['kind']) ? document : undefined
}
