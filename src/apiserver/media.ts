/** What the client wants to read, from its Accept header. */
export interface Accepted {
  readonly encoding: 'json' | 'yaml'
  /** The transformation asked for with `as=`, if any. */
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

/**
 * The first clause we can serve, by quality and then by order, as kube-apiserver negotiates. Undefined: 406.
 * Protobuf is not served; every client that prefers it names JSON as well.
 */
export function negotiate(accept: string | undefined, forPeople = false): Accepted | undefined {
  const clauses = parseAccept(accept ?? '')
  for (const { type, parameters } of clauses) {
    const as = parameters.get('as')
    if (as !== undefined && !isTransformation(as, parameters)) continue
    const pretty = forPeople || parameters.get('pretty') === '1'
    const transformed =
      as === undefined ? {} : { as: as as NonNullable<Accepted['as']>, asVersion: parameters.get('v') ?? 'v1' }
    if (jsonTypes.has(type)) return { encoding: 'json', pretty, ...transformed }
    if (type === 'application/yaml') return { encoding: 'yaml', pretty, ...transformed }
  }
  return undefined
}

function isTransformation(as: string, parameters: ReadonlyMap<string, string>): boolean {
  return (
    (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') &&
    parameters.get('g') === 'meta.k8s.io' &&
    (parameters.get('v') === 'v1' || parameters.get('v') === 'v1beta1')
  )
}

function parseAccept(header: string): readonly Clause[] {
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
