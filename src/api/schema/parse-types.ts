import { assert } from '../../base/assert.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Field, ScalarKind, Shape, StructShape } from './shape.ts'

/*
 * The notation of the type tables. A type begins in the first column: its name (`#`: atomic), then its fields, each
 * `name:type` and marks. `...Other` has all fields of another type. `= s A B` declares names for strings.
 *
 *   s string · i int32 · l int64 · b bool · f float64 · q quantity · t time · mt time with microseconds
 *   is int or string · by bytes in base64 · d duration · j any JSON · [T] list · {T} map · *T pointer
 *   |T an object of type T or any other JSON · pkg.T a type of another package
 *
 *   !        written even when empty, and required          ?  left out when zero although a struct
 *   !?       written even when empty, but optional          ?! required, but left out when empty
 *   @a,b     a list told apart by these keys                =  a list that is a set          #  atomic
 *   ^        not atomic although its type is                 =  on a struct: replaced by a strategic merge
 *   ~key     strategic merge by key; `~` alone: by the key after @, or as a set              +  retainKeys
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

/** A type whose fields are read when somebody asks for them: most processes never meet most types. */
class Struct implements StructShape {
  readonly is = 'struct'
  readonly id: string
  readonly name: string
  readonly goName: string
  readonly atomic: boolean
  private readonly text: string
  private readonly read: TypeReader
  private known: ReadonlyMap<string, Field> | undefined
  private written: StructShape['always'] | undefined
  /** The fields of the members of an object that was read lately. Objects of a type mostly have them in one order. */
  private readonly lately: Field[] = []

  constructor(pkg: string, head: string, text: string, read: TypeReader) {
    this.atomic = head.endsWith('#')
    this.name = this.atomic ? head.slice(0, -1) : head
    this.id = `${pkg}.${this.name}`
    this.goName = `${goPackage(pkg)}.${this.name}`
    this.text = text
    this.read = read
  }

  get fields(): ReadonlyMap<string, Field> {
    this.known ??= fieldsOf(this.text, this.read)
    return this.known
  }

  get always(): StructShape['always'] {
    this.written ??= alwaysWritten(this)
    return this.written
  }

  fieldAt(index: number, name: string): Field | undefined {
    const known = this.lately[index]
    if (known !== undefined && known.name === name) return known
    const field = this.fields.get(name)
    // No further than this list reaches, so that it has no holes.
    if (field !== undefined && index <= this.lately.length) this.lately[index] = field
    return field
  }
}

/** The Go package that messages name: `v2` for `autoscalingv2`. */
const goPackage = (pkg: string): string => /v\d+$/.exec(pkg)?.[0] ?? 'v1'

/** Every type by `package.Name`. `tables` holds the texts of each package. */
export function parseTypes(tables: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, StructShape> {
  const named = new Map<string, Shape>()
  const structs = new Map<string, StructShape>()
  const aliases: (() => void)[] = []
  for (const [pkg, texts] of Object.entries(tables)) {
    const read: TypeReader = (text) => readType(text, pkg, named)
    for (const { head, rest } of texts.flatMap(entries)) {
      if (head === '=') {
        const [of = 's', ...names] = tokensOf(rest)
        aliases.push(() => {
          for (const name of names)
            named.set(`${pkg}.${name}`, { ...read(of), goName: `${goPackage(pkg)}.${name}` } as Shape)
        })
        continue
      }
      const struct = new Struct(pkg, head, rest, read)
      structs.set(struct.id, struct)
      named.set(struct.id, struct)
    }
  }
  for (const declare of aliases) declare()
  return structs
}

/** Each begins in the first column, and goes on in the lines below that do not. */
function entries(text: string): { readonly head: string; readonly rest: string }[] {
  return text
    .split(/\n(?=\S)/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.search(/\s/)
      return end < 0 ? { head: entry, rest: '' } : { head: entry.slice(0, end), rest: entry.slice(end) }
    })
}

const tokensOf = (text: string) => text.split(/\s+/).filter((token) => token !== '')

function fieldsOf(text: string, read: TypeReader): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (const token of tokensOf(text)) {
    if (token === '...TypeMeta') {
      for (const name of ['kind', 'apiVersion']) fields.set(name, { ...readField(`${name}:s`, read), via: 'TypeMeta' })
    } else if (token.startsWith('...')) {
      const shape = read(token.slice(3))
      assert(shape.is === 'struct', `${token} is not a struct`)
      for (const [name, field] of shape.fields) fields.set(name, { ...field, via: shape.name })
    } else {
      const field = readField(token, read)
      fields.set(field.name, field)
    }
  }
  return fields
}

const fieldPattern = /^([^:]+):(\*?)([^!?@=#^~+]+)(!\?|\?!|[!?])?(?:@([^=#^~+]+))?(=?)([#^]?)(~[^+]*)?(\+?)$/

function readField(token: string, read: TypeReader): Field {
  const match = fieldPattern.exec(token)
  assert(match !== null, `unreadable field ${token}`)
  const [, name = '', star, type = '', written, keys, set, atomic, merge, retain] = match
  const shape = read(type)
  const mapKeys = keys?.split(',') ?? []
  const mergeKey = merge === undefined ? undefined : merge.slice(1) || (mapKeys.length === 1 ? mapKeys[0] : '')
  const pointer = star === '*'
  const required = written === '!' || written === '?!'
  const isWritten = written === '!' || written === '!?'
  const omitEmpty = !isWritten && (written === '?' || !alwaysHasValue(shape))
  // All have the same members, be they undefined: what reads them then need not tell several forms apart.
  return {
    name: asMemberName(name),
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

/** The name as the engine keeps names of members, so that comparing it with one is comparing two addresses. */
function asMemberName(name: string): string {
  return Object.keys({ [name]: true })[0] as string
}

// Go's omitempty does nothing for structs, and times are structs.
function alwaysHasValue(shape: Shape): boolean {
  if (shape.is === 'struct') return true
  return shape.is === 'scalar' && (shape.kind === 'time' || shape.kind === 'micro-time' || shape.kind === 'quantity')
}

function readType(text: string, pkg: string, named: ReadonlyMap<string, Shape>): Shape {
  const scalar = Object.hasOwn(scalars, text) ? scalars[text] : undefined
  if (scalar !== undefined) return { is: 'scalar', kind: scalar[0], goName: scalar[1] }
  if (text.startsWith('*')) return readType(text.slice(1), pkg, named)
  if (text.startsWith('types.')) return { is: 'scalar', kind: 'string', goName: text }
  if (text.startsWith('[')) {
    const of = readType(text.slice(1, -1), pkg, named)
    return { is: 'list', of, goName: `[]${of.goName}` }
  }
  if (text.startsWith('{')) {
    const of = readType(text.slice(1, -1), pkg, named)
    return { is: 'map', of, goName: `map[string]${of.goName}` }
  }
  if (text.startsWith('|')) {
    const of = readType(text.slice(1), pkg, named)
    assert(of.is === 'struct', `${text} is not a struct`)
    return { is: 'loose', of, goName: of.goName }
  }
  const shape = named.get(text.includes('.') ? text : `${pkg}.${text}`)
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

/** What Go writes for a value that was never set. */
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
