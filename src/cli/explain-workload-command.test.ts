import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { WorkloadExplanation } from '../whatif/explain/explain-workload.ts'
import { node } from '../whatif/run/story.fixture.ts'
import { runBerth } from './run-berth.fixture.ts'

interface Item {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid?: string }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'berth-explain-workload-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { items } = JSON.parse(readFileSync(join(root, 'docs/how-to/cluster.json'), 'utf8')) as { items: readonly Item[] }

function explain(args: string, objects: readonly object[]) {
  writeFileSync(join(folder, 'dump.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  return runBerth(`explain ${args} --from dump.json`, { cwd: folder, env: { COLUMNS: '200' } })
}

const find = (kind: string, start: string): Item => {
  const found = items.find((item) => item.kind === kind && item.metadata.name.startsWith(start))
  if (found === undefined) throw new Error(`no ${kind} ${start}`)
  return found
}

/** A pending pod of the Deployment web. */
function pending(name: string, spec: object): object {
  const pod = find('Pod', 'web-')
  const { nodeName: _, ...rest } = pod.spec
  return {
    ...pod,
    metadata: { ...pod.metadata, name, uid: `uid-${name}` },
    spec: { ...rest, ...spec },
    status: { phase: 'Pending' },
  }
}

const changed = (object: Item, { spec = {}, status = {} }: { spec?: object; status?: object }): object => ({
  ...object,
  spec: { ...object.spec, ...spec },
  status: { ...object.status, ...status },
})

const without = (...removed: readonly Item[]) => items.filter((item) => !removed.includes(item))
const web = find('Deployment', 'web')
const budget = find('PodDisruptionBudget', 'web')
const scaled = [
  ...without(web, budget),
  changed(web, { spec: { replicas: 11 } }),
  changed(budget, { status: { disruptionsAllowed: 0, currentHealthy: 5, desiredHealthy: 5 } }),
  pending('web-a', { nodeSelector: { disk: 'ssd' } }),
  pending('web-b', { schedulingGates: [{ name: 'quota' }] }),
  pending('web-c', { nodeSelector: { disk: 'ssd' } }),
  pending('web-d', { schedulerName: 'other' }),
]

describe('berth explain deployment', () => {
  it('says that a drain could evict a pod if the budget allows it', async () => {
    const { code, out } = await explain('deployment web', items)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^Deployment default\/web: 6 of 6 pods ready\n {2}disruption budget web \(minAvailable 5\): 6 healthy, 5 needed, 1 disruption allowed\n {2}a drain could evict a pod now, for example default\/web-\S+\n$/,
    )
  })

  it('says that a workload without a budget can always be evicted', async () => {
    expect((await explain('deployment api', items)).out).toContain(
      '\n  no disruption budget: a drain could evict a pod now, for example default/api-',
    )
  })

  it('groups pending pods by reason and explains one of each group', async () => {
    const { out } = await explain('deployment default/web --nodes 0', scaled)
    expect(out.split('\n\n')[0]?.split('\n')).toEqual([
      'Deployment default/web: 6 of 11 pods ready',
      '  not created: 1 pod',
      "  pending, 2 pods: didn't match Pod's node affinity/selector",
      '  pending, 1 pod: scheduling gates: quota',
      '  pending, 1 pod: waiting for scheduler "other"',
      '  disruption budget web (minAvailable 5): 5 healthy, 5 needed, 0 disruptions allowed',
      "  a drain could not evict a pod now: Cannot evict pod as it would violate the pod's disruption budget. " +
        'The disruption budget web needs 5 healthy pods and has 5 currently',
    ])
    expect(out).toMatch(/\n\ndefault\/web-a is pending\n/)
    expect(out).toContain('disk=ssd')
    expect(out).toContain('The reason is the same for default/web-c.')
    expect(out).toMatch(/\n\ndefault\/web-b is not scheduled: /)
    expect(out).not.toMatch(/^default\/web-[cd]/m)
  })

  it('finds the pods of a dump without ReplicaSets by their labels', async () => {
    const some = items.filter(({ kind }) => kind !== 'ReplicaSet')
    const answer = JSON.parse((await explain('deployment web -o json', some)).out) as WorkloadExplanation
    expect(answer).toMatchObject({ wanted: 6, ready: 6, missing: 0, eviction: { allowed: true } })
  })

  it('reports pods that are on a node but not ready', async () => {
    const pod = find('Pod', 'web-')
    const broken = changed(pod, { status: { conditions: [{ type: 'Ready', status: 'False' }] } })
    const answer = JSON.parse(
      (await explain('deployment web -o json', [...without(pod), broken])).out,
    ) as WorkloadExplanation
    expect(answer).toMatchObject({ ready: 5, starting: [`default/${pod.metadata.name}`], missing: 0 })
  })

  it.each([
    ['deployment wep', items, 'deployments.apps "wep" not found in namespace default; did you mean "web"?'],
    [
      'deployment new',
      [node('a1'), { ...web, metadata: { name: 'new', namespace: 'default' }, status: {} }],
      'new is a manifest and has no pods yet; forecast it with berth whatif apply',
    ],
  ])('answers %j in one line', async (args, objects, message) => {
    const { code, err } = await explain(args, objects)
    expect(code).toBe(2)
    expect(err).toBe(`berth: ${message}\n`)
  })
})

describe('berth explain statefulset', () => {
  it('explains the pods that the StatefulSet owns', async () => {
    const uid = 'uid-db'
    const metadata = { name: 'db', namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' }
    const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...web.spec, replicas: 2 } }
    const pod = pending('db-0', { nodeSelector: { disk: 'ssd' } }) as Item
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid, controller: true }
    const owned = { ...pod, metadata: { ...pod.metadata, labels: { app: 'db' }, ownerReferences: [owner] } }
    const { out } = await explain('statefulset db', [...items, set, owned])
    expect(out).toMatch(/^StatefulSet default\/db: 0 of 2 pods ready\n {2}not created: 1 pod\n {2}pending, 1 pod: /)
    expect(out).toContain('no pod is on a node, so a drain evicts no pod')
    expect(out).toMatch(/\n\ndefault\/db-0 is pending\n/)
  })
})
