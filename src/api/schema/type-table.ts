import { assert } from '../../base/assert.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Field, LooseShape, Member, ScalarKind, Shape, StructShape } from './shape.ts'

/*
 * The notation of the type tables, which `npm run generate` writes. A type begins in the first column: its name (`#`:
 * atomic), then its fields, each `name:type` and marks. `...Other` has all fields of another type. `= s A B` declares names
 * for strings, `= s A(x|y)` one with the values x and y. `package` begins a package of Go: its name in the tables, its API
 * group (`-`: core), the prefix of its names in OpenAPI, and `off` if the API server does not serve it by default.
 *
 *   s string · i int32 · l int64 · b bool · f float64 · q quantity · t time · mt time with microseconds
 *   is int or string · by bytes in base64 · d duration · j any JSON · [T] list · {T} map · {K:T} map with keys of type K
 *   *T pointer · |form:T an object of type T or any other JSON · pkg.T a type of another package
 *
 *   4name    number 4 in protobuf; without a number, the next one; 0: not in protobuf
 *   name(Go) the name in Go; without it, the name with a capital letter, and for metadata the name of its type
 *
 *   !        written even when empty, and required          ?  left out when zero although a struct
 *   !?       written even when empty, but optional          ?! required, but left out when empty
 *   @a,b     a list whose keys are these fields             =  a list that is a set          #  atomic
 *   ^        not atomic although its type is                 =  on a struct: replaced by a strategic merge
 *   ~key     strategic merge by key; `~` alone: by the key after @, or as a set              +  retainKeys
 *
 * The table of a release has only what differs from the release before it: types that changed, `-Type` and `-package`
 * for what is gone.
 */

const scalars = lookupTable<readonly [ScalarKind, string]>({
  s: ['string', 'string'],
  i: ['int32', 'int32'],
  l: ['int64', 'int64'],
  b: ['bool', 'bool'],
  f: ['float64', 'float64'],
  q: ['quantity', 'resource.Quantity'],
  t: ['time', 'v1.Time'],
  mt: ['micro-time', 'v1.MicroTime'],
  is: ['int-or-string', 'intstr.IntOrString'],
  by: ['bytes', '[]uint8'],
  d: ['duration', 'v1.Duration'],
  j: ['json', 'runtime.RawExtension'],
})

type TypeReader = (text: string) => Shape

/** A type whose fields are read on first use, because most processes use few types. */
class Struct implements StructShape {
  readonly is = 'struct'
  readonly id: string
  readonly name: string
  readonly goName: string
  readonly atomic: boolean
  private readonly text: string
  private readonly read: TypeReader
  private known: Content | undefined
  private written: StructShape['always'] | undefined
  /** The fields of the members of the last object. Objects of a type usually have their members in the same order. */
  private readonly lately: Field[] = []

  constructor(pkg: ApiPackage, head: string, text: string, read: TypeReader) {
    this.atomic = head.endsWith('#')
    this.name = this.atomic ? head.slice(0, -1) : head
    this.id = `${pkg.id}.${this.name}`
    this.goName = `${pkg.version}.${this.name}`
    this.text = text
    this.read = read
  }

  private get content(): Content {
    this.known ??= contentOf(this.text, this.read)
    return this.known
  }

  get fields(): ReadonlyMap<string, Field> {
    return this.content.fields
  }

  get members(): readonly Member[] {
    return this.content.members
  }

  get always(): StructShape['always'] {
    this.written ??= alwaysWritten(this)
    return this.written
  }

  fieldAt(index: number, name: string): Field | undefined {
    const known = this.lately[index]
    if (known !== undefined && known.name === name) return known
    const field = this.fields.get(name)
    // Appends only at the end, so that the list has no holes.
    if (field !== undefined && index <= this.lately.length) this.lately[index] = field
    return field
  }
}

/** A package of Go types: a version of an API group, or types for other packages. */
export interface ApiPackage {
  /** `core`, `autoscaling/v2`: v1 is omitted. */
  readonly id: string
  readonly group: string
  readonly version: string
  /** `io.k8s.api.core.v1` */
  readonly openApi: string
  /** Served by an API server without --runtime-config. */
  readonly isServed: boolean
}

interface Package extends ApiPackage {
  /** The text of each type. */
  readonly entries: Map<string, string>
}

/** The types of one release: a table, and the changes of later releases. */
export class TypeTable {
  private readonly texts: readonly string[]
  private read: ReadonlyMap<string, Package> | undefined
  private readonly shapes = new Map<string, Shape | undefined>()

  /** `texts`: oldest first. They are read when the first type is requested. */
  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  /** The packages by name. */
  get packages(): ReadonlyMap<string, ApiPackage> {
    return this.tables
  }

  private get tables(): ReadonlyMap<string, Package> {
    this.read ??= readTables(this.texts)
    return this.read
  }

  /** The type of this name, for example `core.Pod` or `autoscaling/v2.MetricSpec`. */
  get(id: string): StructShape | undefined {
    const shape = this.named(id)
    return shape?.is === 'struct' ? shape : undefined
  }

  /** All types of a package, by their ids. */
  idsOf(pkg: string): readonly string[] {
    return [...(this.tables.get(pkg)?.entries ?? [])].flatMap(([name, text]) =>
      text.startsWith('=') ? [] : [`${pkg}.${name}`],
    )
  }

  /** Whether Go has a struct with this name, for example `v1.Pod`. */
  isStruct(goName: string): boolean {
    const [version, name = ''] = goName.split('.')
    for (const pkg of this.tables.values()) {
      if (pkg.version === version && pkg.entries.get(name)?.startsWith('=') === false) return true
    }
    return false
  }

  private named(id: string): Shape | undefined {
    if (this.shapes.has(id)) return this.shapes.get(id)
    const dot = id.indexOf('.')
    const pkg = this.tables.get(id.slice(0, dot))
    const name = id.slice(dot + 1)
    const text = pkg?.entries.get(name)
    const shape = pkg === undefined || text === undefined ? undefined : this.shapeOf(pkg, name, text)
    this.shapes.set(id, shape)
    return shape
  }

  private shapeOf(pkg: Package, name: string, text: string): Shape {
    const read: TypeReader = (type) => readType(type, pkg.id, (id) => this.named(id))
    const [head = '', ...rest] = text.split(' ', 2)
    if (head !== '=') return new Struct(pkg, head, text.slice(head.length), read)
    const [of = 's', declared = ''] = [rest[0], text.slice(text.lastIndexOf(' ') + 1)]
    const shape = read(of)
    if (shape.is === 'struct' || shape.is === 'loose') return shape
    const open = declared.indexOf('(')
    const values =
      open < 0 || declared.endsWith('()')
        ? {}
        : {
            values: declared
              .slice(open + 1, -1)
              .replaceAll('_', ' ')
              .split('|'),
          }
    return { ...shape, goName: `${pkg.version}.${name}`, ...values }
  }
}

function readTables(texts: readonly string[]): ReadonlyMap<string, Package> {
  const packages = new Map<string, Package>()
  for (const text of texts) {
    let at: Package | undefined
    for (const line of joined(text).split('\n')) {
      const end = line.indexOf(' ')
      const head = end < 0 ? line : line.slice(0, end)
      if (head === '') continue
      if (head === 'package') at = openPackage(packages, line)
      else if (head === '-package') packages.delete(line.slice(end + 1))
      else if (head === '=') declare(at as Package, line)
      else if (head.startsWith('-')) at?.entries.delete(head.slice(1))
      else at?.entries.set(head.endsWith('#') ? head.slice(0, -1) : head, line)
    }
  }
  return packages
}

/** A type continues in the following lines that begin with spaces. */
const joined = (text: string): string => text.replaceAll('\n  ', ' ')

function openPackage(packages: Map<string, Package>, line: string): Package {
  const [, id = '', group = '', openApi = '', mark] = line.split(' ')
  const slash = id.indexOf('/')
  const version = slash < 0 ? 'v1' : id.slice(slash + 1)
  const entries = packages.get(id)?.entries ?? new Map<string, string>()
  const opened = { id, group: group === '-' ? '' : group, version, openApi, isServed: mark !== 'off', entries }
  packages.set(id, opened)
  return opened
}

function declare(pkg: Package, line: string): void {
  const [, of = '', ...names] = line.split(' ')
  for (const name of names) {
    const open = name.indexOf('(')
    pkg.entries.set(open < 0 ? name : name.slice(0, open), `= ${of} ${name}`)
  }
}

interface Content {
  readonly fields: ReadonlyMap<string, Field>
  readonly members: readonly Member[]
}

function contentOf(text: string, read: TypeReader): Content {
  const fields = new Map<string, Field>()
  const members: Member[] = []
  let last = 0
  for (const token of text.split(' ')) {
    if (token === '') continue
    if (token === '...TypeMeta') {
      // In protobuf, they are in the envelope of a message or absent.
      for (const name of ['kind', 'apiVersion']) fields.set(name, { ...readField(`${name}:s`, read), via: 'TypeMeta' })
      continue
    }
    const digits = /^\d*/.exec(token)?.[0] ?? ''
    const rest = token.slice(digits.length)
    const number = digits === '' ? last + 1 : Number(digits)
    if (rest.startsWith('...')) {
      const inline = read(rest.slice(3))
      assert(inline.is === 'struct', `${rest} is not a struct`)
      for (const [name, field] of inline.fields) fields.set(name, { ...field, via: inline.name })
      if (number > 0) members.push({ number, inline })
    } else {
      const field = readField(rest, read)
      fields.set(field.name, field)
      if (number > 0) members.push({ number, field })
    }
    if (number > 0) last = number
  }
  return { fields, members }
}

const fieldPattern =
  /^([^:(]+)(?:\((\w+)\))?:(\*?)([^!?@=#^~+]+)(!\?|\?!|[!?])?(?:@([^=#^~+]+))?(=?)([#^]?)(~[^+]*)?(\+?)$/

function readField(token: string, read: TypeReader): Field {
  const match = fieldPattern.exec(token)
  assert(match !== null, `unreadable field ${token}`)
  const [, name = '', goName, star, type = '', written, keys, set, atomic, merge, retain] = match
  const shape = read(type)
  const mapKeys = keys?.split(',') ?? []
  const mergeKey = merge === undefined ? undefined : merge.slice(1) || (mapKeys.length === 1 ? mapKeys[0] : '')
  const pointer = star === '*'
  const required = written === '!' || written === '?!'
  const isWritten = written === '!' || written === '!?'
  const omitEmpty = !isWritten && (written === '?' || !alwaysHasValue(shape))
  // All fields have the same members, even if these are undefined, so that V8 uses one hidden class.
  return {
    name: asMemberName(name),
    goName: goName ?? goNameOf(name, type),
    shape,
    pointer,
    required,
    omitEmpty,
    isAlways: !omitEmpty && (!pointer || isWritten),
    list: mapKeys.length > 0 ? { kind: 'map', keys: mapKeys } : set === '=' ? { kind: 'set' } : { kind: 'atomic' },
    atomic: atomic === '#',
    granular: atomic === '^' ? true : undefined,
    replaces: set === '=' && shape.is === 'struct' ? true : undefined,
    merge: mergeKey === undefined ? undefined : mergeKey === '' ? {} : { key: mergeKey },
    retainKeys: retain === '+',
  }
}

function goNameOf(name: string, type: string): string {
  if (name === 'metadata' && type.startsWith('meta.')) return type.slice('meta.'.length)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The name as an interned string, so that V8 compares it with member names by address. */
function asMemberName(name: string): string {
  return Object.keys({ [name]: true })[0] as string
}

// Go's omitempty does nothing for structs, and times are structs.
function alwaysHasValue(shape: Shape): boolean {
  if (shape.is === 'struct') return true
  return shape.is === 'scalar' && (shape.kind === 'time' || shape.kind === 'micro-time' || shape.kind === 'quantity')
}

function readType(text: string, pkg: string, named: (id: string) => Shape | undefined): Shape {
  const scalar = Object.hasOwn(scalars, text) ? scalars[text] : undefined
  if (scalar !== undefined) return { is: 'scalar', kind: scalar[0], goName: scalar[1] }
  if (text.startsWith('*')) return readType(text.slice(1), pkg, named)
  if (text.startsWith('types.')) return { is: 'scalar', kind: 'string', goName: text }
  if (text.startsWith('[')) {
    const of = readType(text.slice(1, -1), pkg, named)
    return { is: 'list', of, goName: `[]${of.goName}` }
  }
  if (text.startsWith('{')) {
    const colon = text.indexOf(':')
    const key = colon < 0 ? 'string' : readType(text.slice(1, colon), pkg, named).goName
    const of = readType(text.slice(Math.max(colon, 0) + 1, -1), pkg, named)
    return { is: 'map', of, goName: `map[${key}]${of.goName}` }
  }
  if (text.startsWith('|')) {
    const [form = '', type = ''] = text.slice(1).split(':')
    const of = readType(type, pkg, named)
    assert(of.is === 'struct', `${text} is not a struct`)
    return { is: 'loose', form: form as LooseShape['form'], of, goName: of.goName }
  }
  const shape = named(text.includes('.') ? text : `${pkg}.${text}`)
  assert(shape !== undefined, `unknown type ${text} in ${pkg}`)
  return shape
}

function alwaysWritten(shape: StructShape): StructShape['always'] {
  const always: { name: string; zero: unknown }[] = []
  for (const field of shape.fields.values()) {
    if (!field.isAlways) continue
    always.push({ name: field.name, zero: field.pointer ? null : zeroOf(field.shape) })
  }
  return always
}

/** The value that Go writes for an unset field. */
export function zeroOf(shape: Shape): unknown {
  if (shape.is === 'list' || shape.is === 'map' || shape.is === 'loose') return null
  if (shape.is === 'struct') {
    const zero: Record<string, unknown> = {}
    for (const { name, zero: value } of shape.always) zero[name] = value
    return Object.freeze(zero)
  }
  switch (shape.kind) {
    case 'string':
    case 'bytes':
      return ''
    case 'bool':
      return false
    case 'quantity':
      return '0'
    case 'int32':
    case 'int64':
    case 'float64':
    case 'int-or-string':
      return 0
    case 'duration':
      return '0s'
    default:
      return null
  }
}
