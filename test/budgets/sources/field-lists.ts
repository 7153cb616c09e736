import type { RandomStream } from '../../../src/base/random.ts'
import type { Attack, AttackSource } from '../attack.ts'
import { type FieldPlace, fieldsOf, objectWith, placeName, plain, type Target, targets } from '../kind-fields.ts'

const places = new Map<Target, readonly FieldPlace[]>()

function listFields(target: Target): readonly FieldPlace[] {
  let found = places.get(target)
  if (found === undefined) {
    found = fieldsOf(target.shape, (shape) => shape.is === 'list' || shape.is === 'map')
    places.set(target, found)
  }
  return found
}

const counts = [100, 1_000, 3_000, 8_000] as const
const emptyCounts = [1_000, 20_000, 99_000] as const
const maxBytes = 400_000

/** Many elements in any list or map of any kind: all equal, all different, or empty objects up to the limit of nested values. */
export const fieldLists: AttackSource = {
  name: 'field-lists',
  quickCount: 10,
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) {
      const target = random.pick(targets)
      const lists = listFields(target)
      if (lists.length === 0) continue
      const place = random.pick(lists)
      if (place.shape.is !== 'list' && place.shape.is !== 'map') continue
      const element = plain(place.shape.of, 0)
      const room = Math.floor(maxBytes / (JSON.stringify(element).length + 16))
      const isObject = typeof element === 'object' && !Array.isArray(element)
      const mode = random.pick(['alike', 'different', isObject ? 'empty' : 'alike'] as const)
      const count = mode === 'empty' ? random.pick(emptyCounts) : Math.min(random.pick(counts), room)
      const elements = Array.from({ length: count }, (_, i) => elementOf(mode, element, i))
      const value =
        place.shape.is === 'list' ? elements : Object.fromEntries(elements.map((one, i) => [`key-${i}`, one]))
      yield {
        name: `${target.kind.kind} ${placeName(place)}: ${count} elements, ${mode}`,
        method: 'POST',
        path: `${target.path}${random.int(2) === 0 ? '?dryRun=All' : ''}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(objectWith(target, place, value)),
      }
    }
  },
}

function elementOf(mode: 'alike' | 'different' | 'empty', element: unknown, i: number): unknown {
  if (mode === 'different') return distinct(element, i)
  return mode === 'alike' ? element : {}
}

/** The element with its texts and numbers changed by its position. */
function distinct(value: unknown, i: number): unknown {
  if (typeof value === 'string') return value === 'a' ? `a${i}` : value
  if (typeof value === 'number') return i + 1
  if (Array.isArray(value)) return value.map((item) => distinct(item, i))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, distinct(member, i)]))
}
