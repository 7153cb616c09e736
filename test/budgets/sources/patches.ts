import type { RandomStream } from '../../../src/base/random.ts'
import type { Attack, AttackSource } from '../attack.ts'
import { attackSizes, attackString } from '../attack-strings.ts'

// Apart from the objects of other attacks, some of which delete collections.
const pods = '/api/v1/namespaces/patched/pods'
const patched = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'patched', labels: { app: 'patched' } },
  spec: {
    containers: Array.from({ length: 20 }, (_, i) => ({
      name: `c${i}`,
      image: 'nginx',
      env: [{ name: 'A', value: 'b' }],
    })),
  },
}

type Maker = (random: RandomStream, count: number) => readonly [name: string, value: unknown]

const pointers = [
  '/metadata/labels/a',
  '/metadata/annotations',
  '/spec/containers/0/image',
  '/spec/containers/-',
  '/spec',
  '',
] as const

const jsonPatches: readonly Maker[] = [
  (random, count) => {
    const op = random.pick(['add', 'replace', 'test', 'remove', 'copy', 'move'])
    const path = random.pick(pointers)
    const one = { op, path, from: random.pick(pointers), value: random.pick(['x', {}, [], { name: 'x', image: 'y' }]) }
    return [`${count} times ${op} ${path}`, Array.from({ length: Math.min(count, 10_000) }, () => one)]
  },
  (random, count) => {
    const { text, name } = attackString(random, count * 10)
    return [
      `path ${name}`,
      [{ op: random.pick(['add', 'test', 'remove']), path: `/metadata/labels/${text}`, value: 'x' }],
    ]
  },
  (_, count) => [`path of ${count} steps`, [{ op: 'add', path: '/a'.repeat(count), value: 1 }]],
]

const merges: readonly Maker[] = [
  (_, count) => [`${count} labels`, { metadata: { labels: members(count, 'v') } }],
  (_, count) => [`${count} annotations to remove`, { metadata: { annotations: members(count, null) } }],
  (_, count) => {
    const containers = Array.from({ length: Math.min(count, 3_000) }, (_, i) => ({ name: `n${i}`, image: 'a' }))
    return [`${containers.length} containers`, { spec: { containers } }]
  },
  (_, count) => {
    const env = Array.from({ length: Math.min(count, 5_000) }, (_, i) => ({ name: `N${i}`, value: 'a' }))
    return [`${env.length} variables`, { spec: { containers: [{ name: 'c0', env }] } }]
  },
  (_, count) => {
    const removed = Array.from({ length: Math.min(count, 5_000) }, (_, i) => ({ $patch: 'delete', name: `n${i}` }))
    return [`${removed.length} deletions`, { spec: { containers: removed } }]
  },
  (_, count) => {
    const order = Array.from({ length: Math.min(count, 5_000) }, (_, i) => ({ name: `n${i % 40}` }))
    return [
      `an order of ${order.length}`,
      { spec: { '$setElementOrder/containers': order, containers: [{ name: 'c1' }] } },
    ]
  },
  (_, count) => [`nested ${count} deep`, nested(Math.min(count, 3_000))],
  (random, count) => {
    const { text, name } = attackString(random, count * 10)
    return [`a label of ${name}`, { metadata: { labels: { [text]: 'x', x: text } } }]
  },
  (random) => {
    const { text, name } = attackString(random, random.pick(attackSizes))
    return [`a quantity of ${name}`, { spec: { containers: [{ name: 'c0', resources: { requests: { cpu: text } } }] } }]
  },
]

const types = {
  'application/json-patch+json': jsonPatches,
  'application/merge-patch+json': merges,
  'application/strategic-merge-patch+json': merges,
  'application/apply-patch+yaml': merges,
} as const

/** Patches of every type with many operations, long pointers, long lists and deep objects. */
export const patches: AttackSource = {
  name: 'patches',
  quickCount: 10,
  setup: [
    {
      name: 'the namespace of the pod to patch',
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'patched' } }),
    },
    {
      name: 'the pod to patch',
      method: 'POST',
      path: pods,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(patched),
    },
  ],
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) {
      const type = random.pick(Object.keys(types) as (keyof typeof types)[])
      const [name, value] = random.pick(types[type])(random, random.pick([10, 1_000, 20_000]))
      const isApply = type.includes('apply')
      const whole = isApply ? { apiVersion: 'v1', kind: 'Pod', ...(value as object) } : value
      yield {
        name: `${type}: ${name}`,
        method: 'PATCH',
        path: `${pods}/patched?dryRun=All${isApply ? '&fieldManager=m&force=true' : ''}`,
        headers: { 'content-type': type },
        body: JSON.stringify(whole),
      }
    }
  },
}

const members = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))

function nested(depth: number): unknown {
  let made: unknown = {}
  for (let i = 0; i < depth; i++) made = { a: made }
  return made
}
