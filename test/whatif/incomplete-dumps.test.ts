// Dumps that differ from the output of an API server: without uids, without status, duplicated, in lists of lists, damaged. The answer is
// correct, or the first screen has a warning, or the exit code is 2.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { toYaml } from '../../src/cli/output.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { createCluster } from '../../src/index.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { randomCluster } from '../../src/whatif/run/random-cluster.fixture.ts'
import { budget, deployment, dumpOf, node } from '../../src/whatif/run/story.fixture.ts'
import { type Dump, damaged } from './damaged-dump.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-incomplete-'))
afterAll(() => rmSync(folder, { recursive: true }))

const statefulSet = (name: string, replicas: number) => {
  const app = deployment(name, replicas) as { spec: object }
  return { ...app, kind: 'StatefulSet', spec: { ...app.spec, serviceName: name } }
}

const daemonSet = (name: string) => {
  const { spec, ...app } = deployment(name, 1) as { spec: { replicas: number } }
  const { replicas: _, ...rest } = spec
  return { ...app, kind: 'DaemonSet', spec: rest }
}

const itemsOf = async (objects: readonly object[]) => ((await dumpOf(objects)) as unknown as { items: Dump }).items

let base: Dump
let random: readonly Dump[]
beforeAll(async () => {
  const nodes = ['n1', 'n2', 'n3'].map((name, at) => node(name, { zone: `zone-${'ab'[at % 2]}` }))
  const apps = [deployment('web', 4), budget('web', 3), statefulSet('db', 2), budget('db', 2), daemonSet('agent')]
  base = await itemsOf([...nodes, ...apps])
  random = await Promise.all(['a', 'b', 'c'].map((seed) => itemsOf(randomCluster(seed))))
})

type MutableObject = Record<string, unknown> & { kind: string; metadata: Record<string, unknown> }
const copied = (dump: Dump) => JSON.parse(JSON.stringify(dump)) as MutableObject[]

function changed(dump: Dump, change: (object: MutableObject) => void): MutableObject[] {
  const copy = copied(dump)
  for (const object of copy) change(object)
  return copy
}

const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content))
const list = (items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items })

const ask = (question: string, from: string) => runBerth(`whatif ${question} --from ${from} -o json`, { cwd: folder })

/** Everything of a forecast except the notes about its input, and without generated names. */
async function answer(question: string, from: string): Promise<string> {
  const { code, out, err } = await ask(question, from)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { notes: _, ...rest } = JSON.parse(out) as Forecast
  return JSON.stringify(rest)
}

interface Owned {
  readonly ownerReferences?: { uid?: string }[]
}
const ownersOf = ({ metadata }: MutableObject) => (metadata as Owned).ownerReferences ?? []

const withoutIdentity: readonly (readonly [string, (dump: Dump) => readonly object[]])[] = [
  ['no uid', (dump) => changed(dump, ({ metadata }) => delete metadata['uid'])],
  ['an empty uid', (dump) => changed(dump, ({ metadata }) => (metadata['uid'] = ''))],
  ['no uid of nodes', (dump) => changed(dump, (one) => one.kind === 'Node' && delete one.metadata['uid'])],
  ['no uid of pods', (dump) => changed(dump, (one) => one.kind === 'Pod' && delete one.metadata['uid'])],
  ['no uid of workloads', (dump) => changed(dump, (one) => /Set|Depl/.test(one.kind) && delete one.metadata['uid'])],
  ['the same uid everywhere', (dump) => changed(dump, ({ metadata }) => (metadata['uid'] = '1'))],
  [
    'no uid, also of owners',
    (dump) =>
      changed(dump, (one) => {
        delete one.metadata['uid']
        for (const owner of ownersOf(one)) delete owner.uid
      }),
  ],
  [
    'other uids of owners',
    (dump) =>
      changed(dump, (one) => {
        for (const owner of ownersOf(one)) owner.uid = `redacted-${owner.uid}`
      }),
  ],
  ['no resourceVersion', (dump) => changed(dump, ({ metadata }) => delete metadata['resourceVersion'])],
  [
    'neither uid nor resourceVersion nor generation',
    (dump) =>
      changed(dump, ({ metadata }) => {
        for (const field of ['uid', 'resourceVersion', 'generation', 'managedFields', 'generateName'])
          delete metadata[field]
      }),
  ],
]

describe('a dump without identities', () => {
  it.each(withoutIdentity)('a dump with %s gives the same answer', async (_name, change) => {
    const dumps = [base, ...random]
    for (const [at, dump] of dumps.entries()) {
      write('whole.json', list(dump))
      write('changed.json', list(change(dump)))
      const target = at === 0 ? 'n1' : 'n0'
      for (const question of [`drain ${target}`, 'fail zone zone-a', `taint ${target} gone=now:NoExecute`]) {
        expect(await answer(question, 'changed.json')).toBe(await answer(question, 'whole.json'))
      }
    }
  })

  it('says that objects have no uid', async () => {
    write('changed.json', list(changed(base, ({ metadata }) => delete metadata['uid'])))
    const { out } = await runBerth('whatif drain n1 --from changed.json', { cwd: folder })
    expect(out).toMatch(/^Note: \d+ objects have no uid: identified by kind, namespace and name\.$/m)
  })

  it('a dump without identities is a running cluster in the library too', async () => {
    const from = changed(base, ({ metadata }) => delete metadata['uid']) as unknown as KubeObject[]
    const cluster = await createCluster({ from })
    const pods = cluster.list('pods').map(({ metadata }) => metadata.name)
    expect(pods.sort()).toEqual(
      base.flatMap((one) => (one['kind'] === 'Pod' ? [(one['metadata'] as { name: string }).name] : [])).sort(),
    )
    await cluster.advance('10m')
    expect(
      cluster
        .list('pods')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(pods)
  })
})

describe('the form of a dump', () => {
  const shapes: readonly (readonly [string, () => string])[] = [
    ['a list of lists', () => JSON.stringify(list([list(base.slice(0, 5)), list([list(base.slice(5))])]))],
    ['lists in a row', () => `${JSON.stringify(list(base.slice(0, 5)))}\n${JSON.stringify(list(base.slice(5)))}`],
    ['objects in a row', () => base.map((one) => JSON.stringify(one)).join('\n')],
    ['objects twice', () => JSON.stringify(list([...base, ...base]))],
    ['reversed objects', () => JSON.stringify(list([...base].reverse()))],
    [
      'typed lists',
      () =>
        [...new Set(base.map(({ kind }) => String(kind)))]
          .map((kind) => {
            const items = base.filter((one) => one['kind'] === kind)
            const bare = items.map(({ kind: _, apiVersion: __, ...rest }) => rest)
            return JSON.stringify({ kind: `${kind}List`, apiVersion: items[0]?.['apiVersion'], items: bare })
          })
          .join('\n'),
    ],
    ['unknown kinds', () => JSON.stringify(list([{ apiVersion: 'a.example/v1', kind: 'W', metadata: {} }, ...base]))],
    ['null fields', () => JSON.stringify(list(changed(base, ({ metadata }) => (metadata['annotations'] = null))))],
  ]

  it.each(shapes)('a dump may be %s', async (_name, text) => {
    write('whole.json', list(base))
    writeFileSync(join(folder, 'shape.json'), text())
    expect(await answer('drain n1', 'shape.json')).toBe(await answer('drain n1', 'whole.json'))
  })

  it('a dump may be a folder of YAML and JSON', async () => {
    mkdirSync(join(folder, 'mixed/more'), { recursive: true })
    write('whole.json', list(base))
    writeFileSync(
      join(folder, 'mixed/a.yaml'),
      base
        .slice(0, 7)
        .map((one) => `---\n${toYaml(one)}`)
        .join(''),
    )
    write('mixed/more/b.json', list(base.slice(7)))
    expect(await answer('drain n1', 'mixed')).toBe(await answer('drain n1', 'whole.json'))
  })

  it('has a warning on the first screen if it has two versions of an object', async () => {
    const older = changed(base, (one) => {
      one.metadata['resourceVersion'] = '1'
      if (one.kind === 'Node') one['spec'] = { unschedulable: true }
    })
    write('both.json', list([...base, ...older.filter(({ kind }) => kind === 'Node')]))
    write('whole.json', list(base))
    expect(await answer('drain n1', 'both.json')).toBe(await answer('drain n1', 'whole.json'))
    const { out } = await runBerth('whatif drain n1 --from both.json', { cwd: folder })
    expect(out.split('\n').slice(0, 12).join('\n')).toMatch(
      /^Uncertain: the input has different versions of Node n1, Node n2, Node n3: /m,
    )
  })
})

describe('a dump without ReplicaSets', () => {
  const withoutSets = (dump: Dump) => changed(dump, () => {}).filter(({ kind }) => kind !== 'ReplicaSet')

  it('a dump without ReplicaSets gives the same answer, because its Deployments and pods have the missing data', async () => {
    for (const [at, dump] of [base, ...random].entries()) {
      write('whole.json', list(dump))
      write('changed.json', list(withoutSets(dump)))
      const target = at === 0 ? 'n1' : 'n0'
      for (const question of [`drain ${target}`, 'fail zone zone-a', `taint ${target} gone=now:NoExecute`])
        expect(await answer(question, 'changed.json')).toBe(await answer(question, 'whole.json'))
    }
    const { out } = await runBerth('whatif drain n1 --from changed.json', { cwd: folder })
    expect(out).toMatch(/^Note: \d+ ReplicaSets? (is|are) missing: derived from the Deployments and their pods\.$/m)
    expect(out).not.toContain('Missing: no ReplicaSet')
  })

  it('warns on the first screen if the Deployments are missing too', async () => {
    write('bare.json', list(withoutSets(base).filter(({ kind }) => kind !== 'Deployment')))
    const { out } = await runBerth('whatif drain n1 --from bare.json', { cwd: folder })
    expect(out).toMatch(/^Missing: no ReplicaSet found: deleted pods of ReplicaSets are not replaced\.$/m)
    expect(out).toMatch(/^\d+ pods? (is|are) deleted .*; no pods move/m)
  })
})

describe('a dump without statuses', () => {
  it('assumes that nodes are ready and pods run, and says so', async () => {
    const bare = changed(base, (one) => {
      const { allocatable } = (one['status'] ?? {}) as { allocatable?: object }
      if (allocatable === undefined) delete one['status']
      else one['status'] = { allocatable }
    })
    write('bare.json', list(bare))
    write('whole.json', list(base))
    const { caused, verdict, workloads, notes } = JSON.parse((await ask('drain n1', 'bare.json')).out) as Forecast
    const whole = JSON.parse((await ask('drain n1', 'whole.json')).out) as Forecast
    expect({ caused, verdict }).toEqual({ caused: whole.caused, verdict: whole.verdict })
    expect(workloads.map(({ name, ready }) => ({ name, ready }))).toEqual(
      whole.workloads.map(({ name, ready }) => ({ name, ready })),
    )
    expect(notes.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        '3 nodes have no condition Ready: assumed to be ready',
        expect.stringMatching(/^\d+ pods have a node but no status: assumed to be ready$/),
      ]),
    )
  })

  it('warns on the first screen if the size of nodes is unknown, and rejects it with --strict', async () => {
    write('unsized.json', list(changed(base, (one) => one.kind === 'Node' && delete one['status'])))
    const { out } = await runBerth('whatif drain n1 --from unsized.json', { cwd: folder })
    expect(out.split('\n').slice(0, 12).join('\n')).toContain('Missing: 3 nodes have no allocatable resources: 8 CPUs,')
    expect((await runBerth('whatif drain n1 --from unsized.json --strict', { cwd: folder })).code).toBe(2)
  })

  it('fills in defaults, so that a workload is not rolled out again', async () => {
    const sparse = changed(base, (one) => {
      const { template } = (one['spec'] ?? {}) as { template?: { spec: Record<string, unknown> } }
      for (const field of ['schedulerName', 'restartPolicy', 'dnsPolicy', 'securityContext'])
        if (template !== undefined) delete template.spec[field]
    })
    write('sparse.json', list(sparse))
    write('whole.json', list(base))
    expect(await answer('drain n1', 'sparse.json')).toBe(await answer('drain n1', 'whole.json'))
  })
})

describe('a damaged dump', () => {
  const refused: readonly (readonly [string, (one: MutableObject) => unknown, RegExp])[] = [
    [
      'a pod without containers',
      (one) => one.kind === 'Pod' && Object.assign(one, { spec: {} }),
      /Pod default\/\S+: spec\.containers: Required value/,
    ],
    [
      'a workload without a spec',
      (one) => one.kind === 'Deployment' && delete one['spec'],
      /Deployment default\/web: spec\.selector: Required value/,
    ],
    [
      'an object without a name',
      (one) => one.kind === 'Node' && delete one.metadata['name'],
      /Node without metadata\.name/,
    ],
    [
      'a number as a name',
      (one) => one.kind === 'Node' && Object.assign(one.metadata, { name: 7 }),
      /cannot unmarshal number into Go struct field ObjectMeta\.metadata\.name of type string/,
    ],
  ]
  it.each(refused)('a dump is refused with %s', async (_name, change, message) => {
    write('damaged.json', list(changed(base, change)))
    const { code, err } = await ask('drain n1', 'damaged.json')
    expect(code).toBe(2)
    expect(err).toMatch(/^berth: damaged\.json: [^\n]*\n$/)
    expect(err).toMatch(message)
  })

  it('a damaged dump is answered or refused, and never an unexpected error', async () => {
    const codes = new Set<number>()
    for (let seed = 0; seed < 60; seed++) {
      const { objects, what } = damaged(base, createRandom(`damage ${seed}`).stream('dump'))
      write('damaged.json', list(objects))
      const { code, err } = await runBerth('whatif drain n1 --for 10m --from damaged.json -o json', { cwd: folder })
      expect([0, 2], `${what}: ${err}`).toContain(code)
      if (code === 2) expect(err, what).toMatch(/^berth: [^\n]+\n$/)
      codes.add(code)
    }
    expect([...codes].sort()).toEqual([0, 2])
  })
})
