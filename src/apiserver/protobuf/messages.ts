import type { Member, Shape, StructShape } from '../../api/schema/shape.ts'

/** The meaning of a field number in a message. */
export interface MessageField {
  readonly number: number
  readonly name: string
  /** The type of one value: of an element for repeated fields, of a value for maps. */
  readonly shape: Shape
  readonly repeats: 'no' | 'list' | 'map'
  readonly pointer: boolean
  /** JSON includes the field even if it is zero. */
  readonly written: boolean
  /** The field is a separate message in protobuf, whose fields are inlined in JSON. */
  readonly part?: ProtobufMessage
}

/** A struct as a protobuf message: its fields by number. */
export interface ProtobufMessage {
  /** Ordered by number, as Go writes them. */
  readonly fields: readonly MessageField[]
  readonly byNumber: readonly (MessageField | undefined)[]
}

const messages = new WeakMap<StructShape, ProtobufMessage>()

export function messageOf(shape: StructShape): ProtobufMessage {
  let known = messages.get(shape)
  if (known === undefined) {
    const byNumber: (MessageField | undefined)[] = []
    for (const member of shape.members) byNumber[member.number] = fieldOf(member)
    known = { byNumber, fields: byNumber.filter((field) => field !== undefined) }
    messages.set(shape, known)
  }
  return known
}

function fieldOf(member: Member): MessageField {
  const { number } = member
  if ('inline' in member) {
    const { inline } = member
    return { number, name: '', shape: inline, repeats: 'no', pointer: false, written: false, part: messageOf(inline) }
  }
  const { name, pointer, required, isAlways, shape: whole } = member.field
  const base = { number, name, pointer, written: required || isAlways }
  // A list whose type has its own message.
  if (whole.goName === 'v1.Verbs') return { ...base, shape: whole, repeats: 'no' }
  if (whole.is === 'list' || whole.is === 'map') return { ...base, shape: whole.of, repeats: whole.is }
  return { ...base, shape: whole, repeats: 'no' }
}

/** A list in a map or in a list is a message whose only field is repeated (authorization's ExtraValue). */
export const itemsNumber = 1
