import { lookupTable } from '../base/lookup-table.ts'
import { Recent } from '../base/recent.ts'
import { protobufType } from './protobuf/render.ts'

/** The format that the client accepts, from its Accept header. */
export interface Accepted {
  readonly encoding: 'json' | 'yaml' | 'protobuf'
  /** The transformation requested with `as=`, if any. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  readonly asVersion?: string
  readonly pretty: boolean
}

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

const jsonTypes = new Set(['application/json', '*/*', 'application/*', ''])

const encodings = lookupTable<Accepted['encoding']>({
  'application/yaml': 'yaml',
  [protobufType]: 'protobuf',
})

/** Available encodings besides JSON and YAML. */
export interface Servable {
  /** Indented for readability. */
  readonly pretty?: boolean
  /** Custom resources have no protobuf encoding. */
  readonly protobuf?: boolean
  /** Reviews have no table. */
  readonly table?: boolean
}

/** The first clause that can be served, by quality and then by order, as in kube-apiserver. Undefined: 406. */
export function negotiate(accept: string | undefined, servable: Servable = {}): Accepted | undefined {
  for (const { type, parameters } of parseAccept(accept ?? '')) {
    const encoding = jsonTypes.has(type) ? 'json' : encodings[type]
    if (encoding === undefined) continue
    const as = parameters.get('as')
    if (as !== undefined && !isTransformation(as, parameters)) continue
    // Tables have no protobuf encoding; the metadata of a custom resource has one.
    if (as === 'Table' && (encoding === 'protobuf' || servable.table === false)) continue
    if (as === undefined && encoding === 'protobuf' && servable.protobuf === false) continue
    const pretty = servable.pretty === true || parameters.get('pretty') === '1'
    if (as === undefined) return { encoding, pretty }
    return { encoding, pretty, as: as as NonNullable<Accepted['as']>, asVersion: parameters.get('v') ?? 'v1' }
  }
  return undefined
}

/** Whether a client names a media type that is served for any resource, which is all that upstream's router checks. */
export function namesServedType(accept: string | undefined): boolean {
  return parseAccept(accept ?? '').some(({ type }) => jsonTypes.has(type) || encodings[type] !== undefined)
}

function isTransformation(as: string, parameters: ReadonlyMap<string, string>): boolean {
  return (
    (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') &&
    parameters.get('g') === 'meta.k8s.io' &&
    (parameters.get('v') === 'v1' || parameters.get('v') === 'v1beta1')
  )
}

/** Clients send the same few headers with every request. */
const parsedHeaders = new Recent<string, readonly Clause[]>(64)
const maxRememberedLength = 256

function parseAccept(header: string): readonly Clause[] {
  const known = parsedHeaders.get(header)
  if (known !== undefined) return known
  const clauses = clausesOf(header)
  if (header.length <= maxRememberedLength) parsedHeaders.set(header, clauses)
  return clauses
}

function clausesOf(header: string): readonly Clause[] {
  if (header.trim() === '') return [{ type: '', parameters: new Map(), quality: 1 }]
  const clauses = header.split(',').map((clause) => {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim())
    const parameters = new Map(rest.map((part) => splitOnce(part, '=')))
    const quality = Number(parameters.get('q') ?? '1')
    return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 }
  })
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality)
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The media type of a body without its parameters, lower-case. */
export function mediaTypeOf(contentType: string | undefined): string {
  return splitOnce(contentType ?? '', ';')[0]
    .trim()
    .toLowerCase()
}
