import type { RandomStream } from '../../../src/base/random.ts'
import { maxMembers, maxValues } from '../../../src/base/value-limits.ts'
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

const counts = [100, 3_000, 20_000, 99_000] as const
/** Leaves room for the rest of the object. */
const mostValues = maxValues - 500
const mostMembers = maxMembers - 10
const maxBytes = 3_100_000

/** Many elements in any list or map of any kind: all equal, all different, or empty objects; a few, as many as are accepted, or more. */
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
      const room = Math.floor(maxBytes / (JSON.stringify(element).length + 24))
      const isObject = typeof element === 'object' && !Array.isArray(element)
      const mode = random.pick(['alike', 'different', isObject ? 'empty' : 'alike'] as const)
      const most = Math.floor(mostValues / (mode === 'empty' ? 1 : 1 + valuesOf(element)))
      const accepted = place.shape.is === 'map' ? Math.min(most, mostMembers) : most
      const count = Math.min(random.pick([...counts, accepted, accepted]), room)
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

function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + 1 + valuesOf(one), 0)
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
