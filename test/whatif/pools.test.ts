// The output of commands for a cluster with pools, long node names, a GPU pool and pending pods.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { budget, deployment, dumpOf, node, pod } from '../../src/whatif/run/story.fixture.ts'
import { endLine, headerLine } from '../../src/whatif/snapshot/snapshot-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-pools-'))
afterAll(() => rmSync(folder, { recursive: true }))

const suffix = '.eu-central-1.compute.internal'
const gpu = 'nvidia.com/gpu'

interface Shape {
  metadata: { name: string; labels: Record<string, string> }
  spec?: object
  status: { capacity: Record<string, string>; allocatable: Record<string, string> }
}

function member(pool: string, at: number, more: Record<string, string>, taint?: string): Shape {
  const made = node(`ip-10-0-${pool.length}-${at}${suffix}`, { zone: `zone-${'abc'[at % 3]}` }) as Shape
  const size = { ...made.status.capacity, ...more }
  return {
    ...made,
    metadata: { ...made.metadata, labels: { ...made.metadata.labels, 'eks.amazonaws.com/nodegroup': pool } },
    ...(taint === undefined ? {} : { spec: { taints: [{ key: taint, effect: 'NoSchedule' }] } }),
    status: { capacity: size, allocatable: size },
  }
}

/** With a request for GPUs in the template. */
function trainer(replicas: number): object {
  const made = deployment('trainer', replicas, { tolerations: [{ key: gpu, operator: 'Exists' }] }) as {
    spec: { template: { spec: { containers: { resources: object }[] } } }
  }
  const amounts = { [gpu]: '1', cpu: '100m' }
  for (const container of made.spec.template.spec.containers)
    container.resources = { requests: amounts, limits: { [gpu]: '1' } }
  return made
}

const gated = {
  ...pod('gated'),
  spec: { ...(pod('gated') as { spec: object }).spec, schedulingGates: [{ name: 'a/b' }] },
}
const daemon = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: (({ replicas: _, ...spec }) => spec)(
    (deployment('agent', 1, { tolerations: [{ operator: 'Exists' }] }) as { spec: { replicas: number } }).spec,
  ),
}

const nodeOf = (pool: string, at: number): string => `ip-10-0-${pool.length}-${at}${suffix}`
let waiting = ''

beforeAll(async () => {
  const dump = (await dumpOf([
    ...Array.from({ length: 9 }, (_, at) => member('general', at, {})),
    ...Array.from({ length: 6 }, (_, at) => member('spot', at, {}, 'spot')),
    ...Array.from({ length: 3 }, (_, at) => member('gpu', at, { [gpu]: '1' }, gpu)),
    ...Array.from({ length: 12 }, (_, at) => deployment(`service-${at}`, 4)),
    deployment('ledger', 1),
    budget('ledger', 1),
    deployment('search', 2),
    budget('search', 2),
    trainer(5),
    daemon,
    gated,
  ])) as { items: readonly KubeObject[] }
  writeFileSync(join(folder, 'dump.json'), JSON.stringify(dump))
  const lines = [
    headerLine(Date.UTC(2026, 0, 1, 0, 1), false),
    ...dump.items.map((item) => `${JSON.stringify(item)}\n`),
    endLine({}, {}),
  ]
  writeFileSync(join(folder, 'snapshot.jsonl.gz'), gzipSync(lines.join('')))
  const isWaiting = ({ kind, metadata, spec }: KubeObject & { readonly spec?: { readonly nodeName?: string } }) =>
    kind === 'Pod' && metadata.name.startsWith('trainer') && spec?.nodeName === undefined
  waiting = dump.items.find(isWaiting)?.metadata.name ?? ''
})

async function berth(args: string, columns = 110) {
  const screen: string[] = []
  const stdout = { write: (text: string) => void screen.push(text), isTTY: false, columns }
  const run = await runBerth(args, { cwd: folder, stdout })
  return { ...run, out: screen.join('') }
}

describe('a cluster with pools and long names', () => {
  it.each([
    'capacity fit deployment/service-1',
    'capacity removable',
    'capacity smallest --pool general',
    'capacity headroom',
    'lint',
    'explain pod default/WAITING',
    'explain pod gated',
    'explain deployment trainer',
    `explain node ${nodeOf('general', 1)}`,
    'queue',
    'evictions',
    'whatif fail --each-zone',
    'whatif fail zone zone-a',
    'whatif upgrade nodes --preset eks',
    `whatif drain ${nodeOf('general', 0)} ${nodeOf('general', 1)}`,
    'whatif interrupt -l eks.amazonaws.com/nodegroup=gpu',
  ])('prints lines that fit the terminal: berth %s', async (question) => {
    for (const columns of [80, 110]) {
      const { out, err } = await berth(`${question.replace('WAITING', waiting)} --from snapshot.jsonl.gz`, columns)
      expect(err).toBe('')
      // A word that is longer than the rest of the line is not broken: a name in a command that is copied.
      const wide = out.split('\n').filter((line) => line.length > columns && line.trim().includes(' '))
      expect(wide).toEqual([])
    }
  })

  it('accepts the short names of nodes that it prints', async () => {
    const short = nodeOf('general', 0).slice(0, -suffix.length)
    const { err, out } = await berth(`whatif cordon ${short} --from snapshot.jsonl.gz -o json`)
    const cordoned = (JSON.parse(out) as Forecast).nodes.filter(({ isCordoned }) => isCordoned)
    expect([err, cordoned.map(({ node }) => node)]).toEqual(['', [nodeOf('general', 0)]])
    const explained = await berth(`explain node ${short} --from snapshot.jsonl.gz`)
    expect(explained.out).toContain(`${nodeOf('general', 0)}: ready, `)
  })

  it('lists the nodes with GPUs for a pod that waits for one, not tainted nodes without', async () => {
    const { out } = await berth(`explain pod ${waiting} --from snapshot.jsonl.gz`)
    expect(out).toContain('free 1 nvidia.com/gpu on ip-10-0-3-0\n')
    expect(out.match(/^ip-\S+/gm)).toEqual(['ip-10-0-3-0', 'ip-10-0-3-1', 'ip-10-0-3-2'])
    expect(out).toContain('… and 15 nodes that are too small for the pod even if they are empty')
  })

  it('explains a pod of a snapshot as of the time at which it was taken', async () => {
    const { out, code } = await berth('explain pod gated --from snapshot.jsonl.gz -o json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ state: 'gated', queue: { place: 'gated' } })
    expect((await berth('explain pod gated --from snapshot.jsonl.gz')).out).toMatch(/gated for \d+[smh] /)
  })

  it('shows no time of a retry for a gated pod', async () => {
    const { out } = await berth('queue --from snapshot.jsonl.gz')
    expect(out).toMatch(/^default\/gated +gated +.*SchedulingGates +<none>$/m)
    expect(out).toMatch(/^default\/trainer\S+ +unschedulable +.* \d+m\d+s$/m)
  })

  it('reports the workloads of the pods without a node, with correct sums', async () => {
    const { out, code } = await berth('capacity headroom --from snapshot.jsonl.gz -o json')
    expect(code).toBe(1)
    const { losses } = JSON.parse(out) as {
      losses: { homeless: number; workloads: { workload: string; pods: number }[] }[]
    }
    for (const { homeless, workloads } of losses)
      expect(workloads.reduce((sum, { pods }) => sum + pods, 0)).toBe(homeless)
    expect(losses[0]?.workloads[0]?.workload).toBe('default/trainer')
    const text = (await berth('capacity headroom --from snapshot.jsonl.gz')).out
    expect(text).toMatch(/do not fit elsewhere \(1 of default\/trainer\)/)
    expect(text).not.toMatch(/\d00m /)
  })

  it('suggests one fix for two findings if one fix contains the other', async () => {
    const { out } = await berth('lint --rule budget-never-drains --no-forecast --from snapshot.jsonl.gz')
    expect(out.match(/fix: .*/g)).toEqual(['fix: run at least 2 replicas, or set maxUnavailable: 1'])
  })

  it('prints short node names in the verdict of an upgrade, which adds nodes with other names', async () => {
    const { out } = await berth('whatif upgrade nodes --preset eks --from snapshot.jsonl.gz')
    expect(out).toMatch(
      /^BLOCKED: 16 of 18 nodes are not upgraded: it fails at ip-10-0-7-\d by the disruption budget default\/\w+\.$/m,
    )
    expect(out.slice(0, out.indexOf('Note:'))).not.toContain(suffix)
  })

  it('prints the complete name of the budget that blocks an upgrade on a narrow terminal', async () => {
    const { out } = await berth('whatif upgrade nodes --preset eks --from snapshot.jsonl.gz', 95)
    expect(out).toMatch(/^Blocked: ip-10-0-7-\d.* by the disruption budget default\/\w+\.$/m)
  })

  it('does not move more pods than it deletes', async () => {
    const gone = { spec: { nodeName: 'gone' }, status: { phase: 'Running' } }
    const { items } = (await dumpOf([node('a'), node('b'), daemon])) as { items: readonly KubeObject[] }
    const [ofA] = items.filter(({ kind }) => kind === 'Pod') as unknown as readonly (KubeObject & {
      readonly spec: object
    })[]
    const orphan = {
      ...ofA,
      metadata: { ...ofA?.metadata, name: 'agent-gone', uid: 'u-gone' },
      ...gone,
      spec: { ...ofA?.spec, ...gone.spec },
    }
    writeFileSync(
      join(folder, 'orphan.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...items, orphan] }),
    )
    const { out } = await berth('whatif upgrade nodes --preset gke --from orphan.json -o json')
    const { caused, baseline } = JSON.parse(out) as Forecast
    expect(baseline.podsDeleted).toBe(1)
    expect(caused.podsMoved).toBeLessThanOrEqual(caused.podsDeleted)
  })

  it('the line about the baseline has only non-zero counts', async () => {
    const { out } = await berth(`whatif cordon ${nodeOf('general', 0)} --from snapshot.jsonl.gz`)
    expect(out).toMatch(/\nAlso without the change: \d+ pods remain pending\.\n/)
  })
})

describe('berth explain node without an autoscaler', () => {
  it('explains what would block the removal of a node', async () => {
    const { out: json } = await berth('capacity removable --from snapshot.jsonl.gz -o json')
    const { kept } = JSON.parse(json) as { kept: { node: string; reason: string }[] }
    const stays = kept.find(({ node: name }) => name.startsWith('ip-10-0-3-'))?.node ?? ''
    const { out } = await berth(`explain node ${stays} --from snapshot.jsonl.gz`)
    expect(out).toMatch(new RegExp(`^${stays}: ready, 2 pods \\(1 of DaemonSets\\), requested: cpu 5%, memory \\d%\n`))
    expect(out).toMatch(/\n {2}taints: nvidia\.com\/gpu:NoSchedule\n/)
    expect(out).toMatch(/\n {2}cannot be emptied: default\/trainer-\S+ fits on no other node\n/)
    expect(out).toMatch(/\n {2}no disruption budget blocks an eviction now\n/)
  })

  it('names the budgets that allow no eviction, and the evictions by taints', async () => {
    const dump = JSON.parse(readFileSync(join(folder, 'dump.json'), 'utf8')) as {
      items: (KubeObject & { spec?: { nodeName?: string; taints?: object[] } })[]
    }
    const ledger = dump.items.find(({ kind, metadata }) => kind === 'Pod' && metadata.name.startsWith('ledger'))
    const on = ledger?.spec?.nodeName ?? ''
    const tainted = dump.items.map((item) =>
      item.kind === 'Node' && item.metadata.name === on
        ? { ...item, spec: { ...item.spec, taints: [{ key: 'maintenance', effect: 'NoExecute' }] } }
        : item,
    )
    writeFileSync(join(folder, 'tainted.json'), JSON.stringify({ ...dump, items: tainted }))
    const { out } = await berth(`explain node ${on} --from tainted.json -o json`)
    const { blockedBy, evictions, taints } = JSON.parse(out)
    expect(blockedBy).toContainEqual({ budget: 'default/ledger', pods: 1 })
    expect(taints).toEqual(['maintenance:NoExecute'])
    expect(evictions.map(({ pod: name }: { pod: string }) => name)).toContain(`default/${ledger?.metadata.name}`)
  })

  it('berth explain node suggests the most similar name', async () => {
    const { err, code } = await berth(`explain node ip-10-0-3-9${suffix} --from snapshot.jsonl.gz`)
    expect(code).toBe(2)
    expect(err).toMatch(/^berth: nodes "ip-10-0-3-9\S+" not found.*did you mean/)
  })
})
