import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterObjects } from '../../bench/workloads/large-cluster.ts'
import { budget, deployment, dumpOf, node } from '../../src/whatif/run/story.fixture.ts'

/** `berth whatif fail --each-…` with the built command, because threads need a build. */
describe.runIf(existsSync('dist/survival-worker.js'))('the survivability table on several threads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-survival-'))
  const mixed = join(folder, 'mixed.json')
  const alike = join(folder, 'alike.json')
  const large = join(folder, 'large.json')
  const planned = join(folder, 'planned.json')
  const autoscaler = join(folder, 'autoscaler.yaml')

  beforeAll(async () => {
    const names = Array.from({ length: 9 }, (_, at) => `n${at}`)
    const nodes = names.map((name, at) => node(name, { zone: `zone-${'abc'[at % 3]}` }))
    const apps = [deployment('db', 1, { on: 'n4' }), budget('db', 1), deployment('web', 12, { cpu: '700m' })]
    const others = Array.from({ length: 6 }, (_, at) => deployment(`app-${at}`, 2))
    const dump = (await dumpOf([...nodes, ...apps, ...others])) as { readonly items: readonly object[] }
    const text = JSON.stringify(dump)
    writeFileSync(mixed, text)
    // Large enough that a thread reads it, too.
    writeFileSync(large, text.padEnd(2 ** 24))
    // In addition to the cluster, a manifest whose pods do not fit.
    writeFileSync(planned, JSON.stringify({ ...dump, items: [...dump.items, deployment('planned', 2, { cpu: '50' })] }))
    const group = '{ name: a, min: 1, max: 9, label: topology.kubernetes.io/zone=zone-a, boot: 90s }'
    writeFileSync(autoscaler, `clusterAutoscaler:\n  nodeGroups:\n    - ${group}\n`)
    const items = [...clusterObjects(36, 180)]
    writeFileSync(alike, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const table = (file: string, what: string, threads: number, more: readonly string[] = []) => {
    const asked = ['bin/berth', 'whatif', 'fail', what, '--from', file, '-o', 'json', '--threads', String(threads)]
    const words = [...asked, ...more]
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }

  it.each(['--each-node', '--each-zone'])(
    'the survivability table is byte-identical with one and with two threads: %s',
    (what) => {
      const alone = table(mixed, what, 1)
      expect(table(mixed, what, 2)).toBe(alone)
      const { failures } = JSON.parse(alone) as { failures: readonly { readonly verdict: string }[] }
      expect(new Set(failures.map(({ verdict }) => verdict)).size).toBeGreaterThan(what === '--each-node' ? 1 : 0)
    },
  )

  it('simulates one failure for equal nodes, with any number of threads', () => {
    const alone = table(alike, '--each-node', 1)
    expect(table(alike, '--each-node', 3)).toBe(alone)
    const { failures } = JSON.parse(alone) as { failures: readonly { readonly like?: string }[] }
    expect(failures).toHaveLength(36)
    expect(failures.filter(({ like }) => like !== undefined).length).toBeGreaterThan(5)
  })

  it.each([
    ['of a file that the other thread reads itself', '--each-node', large, []],
    ['of a file that the other thread reads itself, by zone', '--each-zone', large, []],
    ['of a cluster with manifests', '--each-zone', planned, []],
    ['with an autoscaler', '--each-zone', mixed, ['--autoscaler', autoscaler]],
  ] as const)('is the same to the byte with one and with two threads %s', (_, what, file, more) => {
    expect(table(file, what, 2, more)).toBe(table(file, what, 1, more))
  })
})
