import type { RandomStream } from '../../../src/base/random.ts'
import type { Attack, AttackSource } from '../attack.ts'
import { attackSizes, attackString } from '../attack-strings.ts'
import { type FieldPlace, fieldsOf, objectWith, placeName, type Target, targets } from '../kind-fields.ts'

const places = new Map<Target, readonly FieldPlace[]>()

/** Fields that are read as text: strings, quantities, times, durations, bytes. */
function textFields(target: Target): readonly FieldPlace[] {
  let found = places.get(target)
  if (found === undefined) {
    found = fieldsOf(target.shape, (shape) => shape.is === 'scalar' && shape.kind !== 'bool')
    places.set(target, found)
  }
  return found
}

/** A long text in any field of any kind that is read as text. */
export const fieldStrings: AttackSource = {
  name: 'field-strings',
  quickCount: 25,
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) {
      const target = random.pick(targets)
      const place = random.pick(textFields(target))
      const { text, name } = attackString(random, random.pick(attackSizes))
      const number = place.shape.is === 'scalar' && /int|float/.test(place.shape.kind)
      const body = JSON.stringify(objectWith(target, place, number && random.int(2) === 0 ? 0 : text))
      yield {
        name: `${target.kind.kind} ${placeName(place)}: ${name}`,
        method: 'POST',
        path: `${target.path}${random.int(2) === 0 ? '?dryRun=All' : ''}`,
        headers: { 'content-type': 'application/json' },
        // Digits without quotes, where a number belongs.
        body: number ? body.replace(/:0([,}])/, `:${'9'.repeat(random.pick(attackSizes))}$1`) : body,
      }
    }
  },
}
