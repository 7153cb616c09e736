import { dump } from 'js-yaml'
import type { KubeObject } from '../api/objects/meta.ts'
import { encodeJson } from '../base/exact-json.ts'
import { dumpSchema } from '../base/yaml.ts'

/** A list as text is written in pieces of about this length. */
const pieceLength = 64 * 1024

interface ListFrame {
  /** The list without its objects. */
  readonly frame: object
  /** The field of the objects, which is the last one. */
  readonly field: string
}

/** The text around the objects of a list, and the text of one object. */
export interface ListLayout {
  readonly empty: string
  readonly before: string
  readonly between: string
  readonly after: string
  readonly one: (value: unknown) => string
}

export function compactLayout({ frame, field }: ListFrame): ListLayout {
  const empty = JSON.stringify({ ...frame, [field]: [] })
  return {
    empty: `${empty}\n`,
    before: empty.slice(0, -']}'.length),
    between: ',',
    after: ']}\n',
    one: (value) => encodeJson(value),
  }
}

export function prettyLayout({ frame, field }: ListFrame): ListLayout {
  const empty = JSON.stringify({ ...frame, [field]: [] }, null, 2)
  return {
    empty,
    before: `${empty.slice(0, -']\n}'.length)}\n    `,
    between: ',\n    ',
    after: '\n  ]\n}',
    // JSON strings contain no newlines, so each line starts with white space.
    one: (value) => encodeJson(value, 2).replaceAll('\n', '\n    '),
  }
}

export const yamlOptions = { schema: dumpSchema, lineWidth: -1, noRefs: true } as const

export function yamlLayout({ frame, field }: ListFrame): ListLayout {
  const empty = dump({ ...frame, [field]: [] }, yamlOptions)
  return {
    empty,
    before: empty.slice(0, -' []\n'.length),
    between: '',
    after: '\n',
    one: (value) => {
      // After a string that ends with empty lines, the YAML library writes an end of document, which does not belong
      // into the list.
      const text = dump([value], yamlOptions).replace(/\n\.\.\.\n$/, '\n')
      return `\n${text.slice(0, -1)}`.replace(/\n(?=[^\n])/g, '\n  ')
    },
  }
}

export function* listPieces(
  objects: readonly KubeObject[],
  layout: ListLayout,
  how: { readonly batch: number; readonly show: (objects: readonly KubeObject[]) => readonly unknown[] },
): Generator<string, undefined> {
  if (objects.length === 0) {
    yield layout.empty
    return undefined
  }
  let text = layout.before
  let isFirst = true
  for (let at = 0; at < objects.length; at += how.batch) {
    for (const value of how.show(objects.slice(at, at + how.batch))) {
      if (text.length >= pieceLength) {
        yield text
        text = ''
      }
      text += isFirst ? layout.one(value) : layout.between + layout.one(value)
      isFirst = false
    }
  }
  yield text + layout.after
  return undefined
}
