/** The members of a JSON object whose types are not known. */
export type Fields = Readonly<Record<string, unknown>>

/** Fields of an object that is being built. */
export type MutableFields = Record<string, unknown>
