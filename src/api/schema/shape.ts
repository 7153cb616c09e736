/** The form of a value. Its Go type determines which values are accepted, and how an absent value is written. */
export type Shape = ScalarShape | ListShape | MapShape | StructShape | LooseShape

export type ScalarKind =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'float64'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'int-or-string'
  | 'bytes'
  | 'duration'
  | 'json'

export interface ScalarShape {
  readonly is: 'scalar'
  readonly kind: ScalarKind
  /** The name of the Go type in messages: `int32`, `v1.DNSPolicy`. */
  readonly goName: string
  /** The values that OpenAPI lists for the type, sorted. */
  readonly values?: readonly string[]
}

export interface ListShape {
  readonly is: 'list'
  readonly of: Shape
  readonly goName: string
}

export interface MapShape {
  readonly is: 'map'
  readonly of: Shape
  readonly goName: string
}

/**
 * An object of that type, or any other JSON value (such as JSONSchemaPropsOrBool). In protobuf it is a separate
 * message: `array` has the object and a list of objects, `bool` a flag and the object, `strings` the object and a list.
 */
export interface LooseShape {
  readonly is: 'loose'
  readonly form: 'array' | 'bool' | 'strings'
  readonly of: StructShape
  readonly goName: string
}

export interface StructShape {
  readonly is: 'struct'
  /** `core.Pod` */
  readonly id: string
  readonly name: string
  readonly goName: string
  /** Owned and replaced as a whole by server-side apply. */
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, Field>
  /** Fields that are written even if they have no value, with the written value. */
  readonly always: readonly { readonly name: string; readonly zero: unknown }[]
  /** The fields in protobuf: a message for each embedded struct that has a number. */
  readonly members: readonly Member[]
  /** The field of an object's member, by its index in the object and its name. This is faster than by name alone. */
  fieldAt(index: number, name: string): Field | undefined
}

/** A field of a protobuf message: a field, or a struct whose fields are inlined in JSON. */
export type Member =
  | { readonly number: number; readonly field: Field }
  | { readonly number: number; readonly inline: StructShape }

export interface Field {
  readonly name: string
  /** The name of the field in Go. */
  readonly goName: string
  readonly shape: Shape
  readonly pointer: boolean
  /** Must be given (OpenAPI's `required`). */
  readonly required: boolean
  /** A zero value is omitted. */
  readonly omitEmpty: boolean
  /** The field is written even if it has no value. */
  readonly isAlways: boolean
  /** Server-side apply: how the elements of a list are identified. */
  readonly list:
    | { readonly kind: 'atomic' }
    | { readonly kind: 'set' }
    | { readonly kind: 'map'; readonly keys: readonly string[] }
  readonly atomic: boolean
  /** Server-side apply: owned by field although its type is atomic. */
  readonly granular?: true | undefined
  /** Strategic merge: lists merge, by key or as sets. */
  readonly merge?: { readonly key?: string } | undefined
  /** Strategic merge: the patch replaces the whole value. */
  readonly replaces?: true | undefined
  /** Strategic merge: members that are not in the patch are dropped. */
  readonly retainKeys: boolean
  /** The embedded Go struct that has this field; errors contain its name. */
  readonly via?: string
}
