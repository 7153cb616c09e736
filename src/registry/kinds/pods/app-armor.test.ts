import { expect, it } from 'vitest'
import type { Outcome } from '../../../api/call.ts'
import type { JsonObject, KubeObject } from '../../../api/objects/meta.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { createRandom } from '../../../base/random.ts'
import { createStore } from '../../../store/memory-store.ts'
import { createRegistry } from '../../registry.ts'
import { appArmorPrefix } from './app-armor.ts'

function created(annotations: Readonly<Record<string, string>>, more: JsonObject = {}, own: JsonObject = {}): Outcome {
  const registry = createRegistry({ store: createStore(), clock: { now: () => 0 }, random: createRandom(1) })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  const notes = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [appArmorPrefix + name, value]))
  const container = (name: string) => ({ name, image: 'i', ...own })
  const object = {
    metadata: { name: 'p', annotations: notes },
    spec: { containers: [container('a'), container('b')], ...more },
  }
  const caller = { name: 'somebody', groups: [] }
  return registry.call(
    { verb: 'create', resource: 'pods', namespace: 'default', object: object as never as KubeObject },
    caller,
  )
}

const profilesOf = (outcome: Outcome) =>
  outcome.ok && outcome.kind === 'object'
    ? (outcome.object as Pod).spec.containers.map(({ securityContext }) => securityContext?.['appArmorProfile'])
    : outcome

const warningsIn = (outcome: Outcome) => (outcome.ok && outcome.kind === 'list' ? [] : (outcome.warnings ?? []))

const warned = (name: string) =>
  `metadata.annotations[${appArmorPrefix}${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`

it('converts AppArmor annotations to fields, and warns', () => {
  const outcome = created({ a: 'runtime/default', b: 'localhost/tight' })
  expect(profilesOf(outcome)).toEqual([{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'tight' }])
  expect(warningsIn(outcome)).toEqual([warned('a'), warned('b')])
})

it('does not repeat the AppArmor profile of the pod in its containers', () => {
  const outcome = created({ a: 'unconfined' }, { securityContext: { appArmorProfile: { type: 'Unconfined' } } })
  expect(profilesOf(outcome)).toEqual([undefined, undefined])
  expect(warningsIn(outcome)).toEqual([])
})

it('does not warn about an AppArmor annotation if the field is also set', () => {
  const outcome = created({ a: 'unconfined' }, {}, { securityContext: { appArmorProfile: { type: 'Unconfined' } } })
  expect(profilesOf(outcome)).toEqual([{ type: 'Unconfined' }, { type: 'Unconfined' }])
  expect(warningsIn(outcome)).toEqual([])
})

it('ignores AppArmor annotations of Windows pods', () => {
  expect(profilesOf(created({ a: 'unconfined' }, { os: { name: 'windows' } }))).toEqual([undefined, undefined])
})
