import { assert } from '../../base/assert.ts'
import type { Field, ScalarShape, Shape, StructShape } from '../schema/shape.ts'
import { dumpIntOrString, dumpQuantity, dumpRawJson, dumpTime } from './go-scalars.ts'

/** Formats a value that is present, without its type. */
type Dump = (value: unknown) => string

interface DumpedField {
  /** Undefined: an embedded struct, whose fields are fields of the value. */
  readonly name: string | undefined
  /** ` Name:(type)` */
  readonly head: string
  /** The text after `head` if there is no value. */
  readonly absent: string
  readonly dump: Dump
}

const nilText = '<nil>'
const dumps = new WeakMap<StructShape, Dump>()

/**
 * The text that go-spew prints for an object that a controller read from the API server (`%#v` with sorted keys and
 * without methods: k8s.io/utils/dump ForHash). It contains every field and its type, including absent fields. The
 * object has the JSON form of the API server; protobuf turns empty lists and maps into nil.
 */
export function goDump(shape: StructShape, value: object): string {
  return `(${shape.goName})${structDump(shape)(value)}`
}

/** Created once for each type: all text that does not depend on the value is precomputed. */
function structDump(shape: StructShape): Dump {
  let dump = dumps.get(shape)
  if (dump === undefined) {
    dump = dumpOfMembers(membersOf(shape))
    dumps.set(shape, dump)
  }
  return dump
}

function membersOf(shape: StructShape): readonly DumpedField[] {
  const members: DumpedField[] = []
  const fields = [...shape.fields.values()]
  for (let i = 0; i < fields.length; i++) {
    const { via } = fields[i] as Field
    if (via === undefined) {
      members.push(memberOf(fields[i] as Field))
      continue
    }
    const embedded: DumpedField[] = []
    for (; fields[i]?.via === via; i++) embedded.push(memberOf(fields[i] as Field))
    i--
    members.push(embeddedMember(via, dumpOfMembers(embedded)))
  }
  return members
}

function embeddedMember(type: string, dump: Dump): DumpedField {
  return { name: undefined, head: ` ${type}:(v1.${type})`, absent: dump({}), dump }
}

function memberOf({ name, goName: field, shape, pointer }: Field): DumpedField {
  const goName = shape.is === 'scalar' && shape.kind === 'json' ? 'v1.FieldsV1' : shape.goName
  const head = ` ${field}:(${pointer ? '*' : ''}${goName})`
  return { name, head, absent: pointer ? nilText : zeroOf(shape), dump: dumpOf(shape) }
}

function dumpOfMembers(members: readonly DumpedField[]): Dump {
  return (value) => {
    let text = ''
    for (const { name, head, absent, dump } of members) {
      const member = name === undefined ? value : (value as Readonly<Record<string, unknown>>)[name]
      text += member === undefined || member === null ? head + absent : head + dump(member)
    }
    return `{${text.slice(1)}}`
  }
}

function dumpOf(shape: Shape): Dump {
  switch (shape.is) {
    case 'struct':
      return structDump(shape)
    case 'list': {
      const dump = orZero(shape.of)
      return (list) => {
        const values = list as readonly unknown[]
        return values.length === 0 ? nilText : `[${values.map(dump).join(' ')}]`
      }
    }
    case 'map': {
      const dump = orZero(shape.of)
      return (map) => {
        const values = map as Readonly<Record<string, unknown>>
        const keys = Object.keys(values).sort()
        return keys.length === 0 ? nilText : `map[${keys.map((key) => `${key}:${dump(values[key])}`).join(' ')}]`
      }
    }
    case 'scalar':
      return scalarDump(shape)
    case 'loose':
      assert(false, `no dump of ${shape.goName}`)
  }
}

/** JSON null elements are zero values. */
function orZero(shape: Shape): Dump {
  const dump = dumpOf(shape)
  const zero = zeroOf(shape)
  return (value) => (value === undefined || value === null ? zero : dump(value))
}

function scalarDump({ kind, goName }: ScalarShape): Dump {
  switch (kind) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
      return String
    case 'quantity':
      return (value) => dumpQuantity(String(value))
    case 'time':
      return (value) => dumpTime(value as string)
    case 'int-or-string':
      return (value) => dumpIntOrString(value as number | string)
    case 'json':
      return dumpRawJson
    default:
      assert(false, `no dump of ${goName}`)
  }
}

function zeroOf(shape: Shape): string {
  if (shape.is === 'struct') return structDump(shape)({})
  if (shape.is !== 'scalar') return nilText
  switch (shape.kind) {
    case 'string':
      return ''
    case 'bool':
      return 'false'
    case 'quantity':
      return dumpQuantity('0')
    case 'time':
      return dumpTime(undefined)
    case 'int-or-string':
      return dumpIntOrString(0)
    default:
      return '0'
  }
}
