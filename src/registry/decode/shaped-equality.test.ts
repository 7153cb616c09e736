import { expect, it } from 'vitest'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { equalAs } from './shaped-equality.ts'

const pod = defaultRelease.api.types.get('core.Pod') as StructShape
const term = (more: object) => ({ topologyKey: 'zone', ...more })
const affinity = (more: object) => ({
  spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(more)] } } },
})

it.each([
  ['an empty and an absent list', { spec: { volumes: [] } }, { spec: {} }, true],
  ['an empty and an absent map', { spec: { nodeSelector: {} } }, { spec: { nodeSelector: null } }, true],
  ['an empty and an absent selector', affinity({ namespaceSelector: {} }), affinity({}), false],
  ['an empty struct that is always written, and an absent one', { metadata: {} }, {}, true],
  [
    'maps with different members',
    { spec: { nodeSelector: { a: '1' } } },
    { spec: { nodeSelector: { b: '1' } } },
    false,
  ],
  [
    'lists with different elements',
    { spec: { volumes: [{ name: 'a' }] } },
    { spec: { volumes: [{ name: 'b' }] } },
    false,
  ],
  ['lists in different order', affinity({ namespaces: ['a'] }), affinity({ namespaces: ['a'] }), true],
])('compares %s as Go does (case %#)', (_name, a, b, expected) => {
  expect(equalAs(pod, a, b)).toBe(expected)
  expect(equalAs(pod, b, a)).toBe(expected)
})
