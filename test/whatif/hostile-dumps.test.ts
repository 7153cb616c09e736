// Input that no cluster produces: every command ends with an answer, or with a one-line error and exit code 2, never with a stack trace.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { budget, deployment, dumpOf, node, pod } from '../../src/whatif/run/story.fixture.ts'
import { type Dump, damaged } from './damaged-dump.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const commands = [
  'capacity fit deployment/web',
  'capacity removable',
  'capacity smallest',
  'capacity headroom',
  'lint --no-forecast',
  'explain pod gated',
  'explain deployment web',
  'explain statefulset web',
  'explain node n1',
  'queue',
  'evictions',
  'whatif drain n1 --for 2m',
  'whatif fail --each-zone --for 2m',
  'whatif upgrade nodes --for 5m',
] as const

const list = (items: readonly unknown[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })

async function ask(command: string, content: string | Buffer, name = 'dump.json') {
  writeFileSync(join(folder, name), content)
  return runBerth(`${command} --from ${name}`, { cwd: folder })
}

function expectPlain({ code, out, err }: { code: number; out: string; err: string }): void {
  expect([0, 1, 2]).toContain(code)
  for (const text of [out, err])
    expect(text).not.toMatch(/\n\s+at |TypeError|RangeError|\[object Object\]|\bNaN\b|undefined|internal error/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence of a name must not reach the terminal
  expect(out + err).not.toMatch(/\u001b/)
  if (code === 2) {
    expect(out).toBe('')
    expect(err).toMatch(/^(berth: .*\n)+$/)
  }
}

let base: Dump
beforeAll(async () => {
  const gated = pod('gated') as { spec: object }
  const objects = [
    ...['n1', 'n2', 'n3'].map((name, at) => node(name, { zone: `zone-${'ab'[at % 2]}` })),
    deployment('web', 4),
    budget('web', 3),
    { ...gated, spec: { ...gated.spec, schedulingGates: [{ name: 'a/b' }] } },
  ]
  base = ((await dumpOf(objects)) as { items: Dump }).items
})

const copied = () =>
  JSON.parse(JSON.stringify(base)) as (Record<string, unknown> & { kind: string; metadata: Record<string, unknown> })[]
const changed = (change: (object: ReturnType<typeof copied>[number]) => void) => {
  const objects = copied()
  for (const object of objects) change(object)
  return list(objects)
}

const broken: readonly (readonly [string, () => string | Buffer])[] = [
  ['a truncated dump', () => list(base).slice(0, 5000)],
  ['an empty file', () => ''],
  ['a text', () => 'hello'],
  ['a number', () => '7'],
  ['a list without items', () => '{"apiVersion":"v1","kind":"List"}'],
  ['items that are null', () => list([null])],
  ['items of unknown kinds', () => list([{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } }])],
  ['a truncated snapshot', () => Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
  ['deep nesting', () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
]

const odd: readonly (readonly [string, () => string])[] = [
  [
    'pods without containers, as manifests',
    () =>
      changed((object) => {
        if (object.kind !== 'Pod') return
        for (const name of ['uid', 'resourceVersion', 'creationTimestamp']) delete object.metadata[name]
        delete object['status']
        object['spec'] = { containers: [] }
      }),
  ],
  ['no spec', () => changed((object) => delete object['spec'])],
  ['no status', () => changed((object) => delete object['status'])],
  [
    'no metadata of pods',
    () => changed((object) => object.kind === 'Pod' && delete (object as { metadata?: object }).metadata),
  ],
  [
    'owners in a circle',
    () =>
      changed((object) => {
        const { kind, metadata } = object
        if (kind === 'ReplicaSet' || kind === 'Deployment')
          metadata['ownerReferences'] = [
            { apiVersion: 'apps/v1', kind, name: metadata['name'], uid: metadata['uid'], controller: true },
          ]
      }),
  ],
  [
    'an unknown namespace',
    () => changed(({ kind, metadata }) => kind === 'Pod' && Object.assign(metadata, { namespace: 'nowhere' })),
  ],
  [
    'names beyond ASCII and with control characters',
    () =>
      changed(
        ({ kind, metadata }) =>
          kind === 'Pod' && Object.assign(metadata, { name: `Ünïcode-💥-\u001b[31m-${metadata['uid']}` }),
      ),
  ],
  [
    'amounts beyond all limits',
    () =>
      changed((object) => {
        if (object.kind !== 'Node') return
        const size = { cpu: '99999999999999999999E', memory: '-1', pods: '1e99' }
        object['status'] = { ...(object['status'] as object), capacity: size, allocatable: size }
      }),
  ],
  ['numbers beyond 64 bits', () => changed(({ metadata }) => Object.assign(metadata, { generation: 1e300 }))],
  [
    'numbers of replicas below zero',
    () =>
      changed((object) => object.kind === 'Deployment' && Object.assign(object['spec'] as object, { replicas: -5 })),
  ],
]

describe('a file that is not a cluster', () => {
  it.each(broken)('a file that is not a cluster is refused in one line by every command: %s', async (_, content) => {
    for (const command of commands) {
      const run = await ask(command, content())
      expectPlain(run)
      expect({ command, code: run.code }).toEqual({ command, code: 2 })
    }
  })
})

describe('a dump with unusual objects', () => {
  it.each(odd)('a dump with unusual objects has an answer, or a one-line error: %s', async (_, content) => {
    for (const command of commands) expectPlain(await ask(command, content()))
  })

  it.each(Array.from({ length: 40 }, (_, at) => `seed-${at}`))(
    'a dump with unusual objects has an answer, or a one-line error: %s',
    async (seed) => {
      const random = createRandom(seed).stream('damage')
      const { objects, what } = damaged(base, random)
      for (const command of commands.filter((each) => !each.startsWith('whatif'))) {
        const run = await ask(command, list(objects))
        expect({ what, command, trace: /\n\s+at |TypeError|RangeError/.exec(run.out + run.err)?.[0] }).toEqual({
          what,
          command,
          trace: undefined,
        })
        expectPlain(run)
      }
    },
  )
})

describe('a name that does not exist', () => {
  it.each([
    ['capacity fit deployment/nope'],
    ['capacity fit nope'],
    ['capacity smallest --pool nope'],
    ['explain pod nope'],
    ['explain pod nowhere/web'],
    ['explain deployment nope'],
    ['explain node nope'],
    ['lint --rule nope'],
    ['whatif drain nope'],
    ['whatif fail zone nope'],
  ])('a name that does not exist is rejected in one line: %s', async (command) => {
    const run = await ask(command, list(base))
    expectPlain(run)
    expect(run.code).toBe(2)
    expect(run.err.split('\n')).toHaveLength(2)
  })
})
