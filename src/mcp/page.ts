import { UsageError } from './answer.ts'

/** A part of a list. The cursor is the key of its last item, so that it stays valid when the list changes. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The whole list. */
  readonly all: readonly Item[]
  readonly total: number
  readonly cursor?: string
}

interface PageRequest {
  /** Identifies the list, because a cursor of another list is an error. */
  readonly list: string
  readonly cursor: string | undefined
  readonly limit: number
}

/** The items after the cursor, in the order of their keys. */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { list, cursor, limit }: PageRequest,
): Page<Item> {
  const after = cursor === undefined ? undefined : keyIn(cursor, list)
  const left = after === undefined ? items : items.filter((item) => keyOf(item) > after)
  const some = left.slice(0, limit)
  const last = some.at(-1)
  const hasMore = left.length > some.length && last !== undefined
  return {
    items: some,
    all: items,
    total: items.length,
    ...(hasMore ? { cursor: cursorOf(keyOf(last), list) } : {}),
  }
}

export function cursorOf(key: string, list: string): string {
  return Buffer.from(JSON.stringify([list, key])).toString('base64url')
}

function keyIn(cursor: string, list: string): string {
  try {
    const [of, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [unknown, unknown]
    if (of === list && typeof key === 'string') return key
  } catch {
    // The text is not a cursor.
  }
  throw new UsageError('cursor: not a cursor of this list; omit it to start from the beginning')
}
