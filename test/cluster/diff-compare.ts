import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import type { Case } from './diff-case.ts'

export interface Answer {
  readonly code: number
  readonly body: JsonObject
  readonly warnings: readonly string[]
}

type Objects = { readonly [key: string]: Json }

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/** Fields that differ even between two runs of the same server. */
const masked = (text: string): string =>
  text.replace(uid, '<uid>').replace(/(?<=nodePort: Duplicate value: )\d+/g, '<port>')

/**
 * Versions and times differ between the servers; a patch that copies them to other fields makes them part of the
 * comparison.
 */
function withoutCopies(answer: Answer): Answer {
  // A time that was copied to an expression is not one, and the message about it quotes its part after the date.
  const text = JSON.stringify(answer)
    .replace(instant, '<time>')
    .replace(/'T\d\d'/g, "'<hour>'")
  return JSON.parse(text.replace(/(?<=["(])\d+(?=\\?"|\))/g, 'N')) as Answer
}

const copied = /^\/metadata(\/(resourceVersion|creationTimestamp|managedFields\/.*))?$/

function copiesOwn({ body }: Case): boolean {
  const operations = Array.isArray(body) ? (body as readonly { readonly from?: unknown }[]) : []
  return operations.some((operation) => copied.test(String(operation?.from)))
}

/** What follows the first line is a dump of an internal struct. */
const firstLine = (text: string): string => masked(text.split('\n')[0] as string)

const causesOf = (body: JsonObject): readonly Objects[] =>
  ((body['details'] as Objects | undefined)?.['causes'] as readonly Objects[] | undefined) ?? []

/** The patched object is written in Go's order of fields, and empty and absent are not distinguished. */
const shownValue = (cause: Objects): string => {
  const text = firstLine(String(cause['message']))
  if (cause['field'] === 'patch') return text.replace(/^Invalid value: "(?:[^"\\]|\\.)*"/, 'Invalid value')
  return text.replace(/^(Invalid value|Unsupported value): (\{\}|\[\]|null)/, '$1: <empty>')
}

/** A value that may not change: upstream shows the Go struct of an internal type, berth the JSON of the API. */
const immutable = /(?<=: FieldValueInvalid: Invalid value: )(?:[{[].*|<empty>)(?=: field is immutable$)/s

const causeText = (cause: Objects): string => {
  const text = `${cause['field']}: ${cause['reason']}: ${shownValue(cause)}`
  return text
    .replace(/(?<=nodePort: FieldValueDuplicate: Duplicate value: )\d+/, '<port>')
    .replace(immutable, '<value>')
}

/** A difference without the details of the case, so that equal differences count once. */
const generic = (text: string): string =>
  text
    .replace(instant, '<time>')
    .replace(/\[\d+\]/g, '[]')
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/: -?\d+(\.\d+)?\b/g, ': N')

const volatile = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'timeAdded',
  'lastPhaseTransitionTime',
  'lastTransitionTime',
])

/** The differences of the two answers; empty if they are equal. */
export function differences(one: Case, real: Answer, ours: Answer): readonly string[] {
  return copiesOwn(one) ? compared(one, withoutCopies(real), withoutCopies(ours)) : compared(one, real, ours)
}

function compared(one: Case, real: Answer, ours: Answer): readonly string[] {
  const found: string[] = []
  // The real server has bugs that end the connection, such as a panic in a strategic merge.
  if (real.code === 0) return found
  if (real.code !== ours.code) {
    const say = ({ code, body }: Answer) =>
      code < 300 ? `${code}` : `${code} ${generic(firstLine(String(body['message'])))}`
    found.push(`code: real ${say(real)} | ours ${say(ours)}`)
    return found
  }
  if (real.code >= 300) failures(found, real.body, ours.body, generatesName(one))
  else objects(found, clean(real.body, one), clean(ours.body, one), '')
  const [a, b] = [real.warnings, ours.warnings]
  for (const text of a) if (!b.includes(text)) found.push(`warning missing: ${generic(text)}`)
  for (const text of b) if (!a.includes(text)) found.push(`warning extra: ${generic(text)}`)
  return [...new Set(found)]
}

function generatesName({ body, verb }: Case): boolean {
  const { metadata } = (body ?? {}) as { readonly metadata?: { readonly generateName?: unknown } | null }
  return verb === 'create' && metadata?.generateName !== undefined
}

function failures(found: string[], real: JsonObject, ours: JsonObject, isDrawn: boolean): void {
  const known = (body: JsonObject) => causesOf(body).filter(({ field }) => !isDrawn || field !== 'metadata.name')
  const [a, b] = [known(real).map(causeText), known(ours).map(causeText)]
  for (const text of a) if (!b.includes(text)) found.push(`cause missing: ${generic(text)}`)
  for (const text of b) if (!a.includes(text)) found.push(`cause extra: ${generic(text)}`)
  if (found.length > 0) return
  if (a.length !== b.length) found.push(`causes repeated: real ${a.length} ours ${b.length}: ${generic(a[0] ?? '')}`)
  if (real['reason'] !== ours['reason']) found.push(`reason: real ${real['reason']} | ours ${ours['reason']}`)
  const [said, saying] = [messageOf(real), messageOf(ours)]
  // The order of several complaints is that of Go's maps in part.
  if (said !== saying && a.length < 2 && !isDrawn)
    found.push(`message: real ${generic(said)} | ours ${generic(saying)}`)
  const details = (body: JsonObject): JsonObject =>
    JSON.parse(masked(JSON.stringify({ ...(body['details'] as Objects), causes: [] })))
  if (a.length < 2 && !isDrawn) objects(found, details(real), details(ours), 'details')
}

/** A message that only repeats its single cause is equal to it. */
function messageOf(body: JsonObject): string {
  const text = firstLine(String(body['message']))
  const [cause] = causesOf(body)
  return cause === undefined ? text : text.slice(0, text.indexOf(`${cause['field']}:`))
}

function clean(body: JsonObject, one: Case): Json {
  const strip = (value: Json, key: string): Json => {
    if (typeof value === 'string') return masked(value)
    if (Array.isArray(value)) return value.map((each) => strip(each, key))
    if (typeof value !== 'object' || value === null) return value
    const out: { [key: string]: Json } = {}
    for (const [field, inner] of Object.entries(value)) {
      if (volatile.has(field)) continue
      out[field] = strip(inner as Json, field)
    }
    return out
  }
  const object = strip(body, '') as { [key: string]: Json }
  if (one.kind === 'Service') hideAllocations(object, JSON.stringify(one.body ?? null))
  const metadata = object['metadata'] as { [key: string]: Json } | undefined
  if (metadata?.['generateName'] !== undefined && one.verb === 'create') delete metadata['name']
  if (one.kind === 'LimitRange' && metadata !== undefined && uid.test(String(metadata['name']))) delete metadata['name']
  return object
}

/** Ports that the request does not set are random; in a dry run, upstream uses the ports after those that are set. */
function hideAllocations(object: { [key: string]: Json }, asked: string): void {
  const spec = object['spec'] as { [key: string]: Json } | undefined
  if (spec === undefined) return
  const hide = (owner: { [key: string]: Json }, field: string): void => {
    if (typeof owner[field] === 'string' && /^10\.0\.0\.\d+$/.test(owner[field])) owner[field] = '<address>'
    const port = owner[field]
    if (typeof port === 'number' && (port >= 30_000 || !asked.includes(`"${field}":${port}`))) owner[field] = '<port>'
  }
  hide(spec, 'clusterIP')
  hide(spec, 'healthCheckNodePort')
  if (Array.isArray(spec['clusterIPs']))
    spec['clusterIPs'] = spec['clusterIPs'].map((ip) => (/^10\.0\.0\.\d+$/.test(String(ip)) ? '<address>' : ip))
  if (Array.isArray(spec['ports'])) for (const port of spec['ports']) hide(port as { [key: string]: Json }, 'nodePort')
}

export function objects(found: string[], real: Json | undefined, ours: Json | undefined, path: string): void {
  if (real === ours) return
  if (Array.isArray(real) && Array.isArray(ours) && real.length === ours.length) {
    real.forEach((one, i) => {
      objects(found, one, ours[i], `${path}[]`)
    })
    return
  }
  const isMap = (value: Json | undefined): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isMap(real) && isMap(ours)) {
    for (const key of new Set([...Object.keys(real), ...Object.keys(ours)])) {
      objects(found, real[key], ours[key], `${path}.${key.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')}`)
    }
    return
  }
  const show = (value: Json | undefined): string => {
    if (value === undefined) return 'absent'
    return JSON.stringify(value).slice(0, 60)
  }
  found.push(`object${path}: real ${show(real)} | ours ${show(ours)}`)
}
