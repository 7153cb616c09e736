import type { RandomStream } from '../../../src/base/random.ts'
import type { Attack, AttackSource } from '../attack.ts'
import { type HostileBody, hostileBodies, widgetDefinition } from '../hostile-bodies.ts'

const json = { 'content-type': 'application/json' }
const maxBytes = 3 * 1024 * 1024

const create = (name: string, path: string, object: unknown): Attack => ({
  name,
  method: 'POST',
  path,
  headers: json,
  body: JSON.stringify(object),
})

/** Bodies that grow in one respect: nesting, members, duplicates, digits, aliases, operations, owners. */
export const hostile: AttackSource = {
  name: 'hostile bodies',
  setup: [create('define widgets', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition)],
  quickCount: 60,
  *attacks(random: RandomStream) {
    for (;;) yield* attackWith(random.pick(hostileBodies), random.pick(sizes))
  },
}

const sizes = [10, 1_000, 5_000, 20_000] as const

function* attackWith(hostile: HostileBody, n: number): Iterable<Attack> {
  const { name, method, path, type, needs = [] } = hostile
  const body = hostile.body(n)
  if (body.length > maxBytes) return
  for (const need of needs) yield create(`what is needed for ${name} of ${n}`, need.path, need.object(n))
  yield { name: `${name}, ${n}`, method, path, headers: { 'content-type': type }, body }
  for (const need of needs) {
    yield { name: `remove what was needed for ${name}`, method: 'DELETE', path: `${need.path}/hostile` }
  }
}
