import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Forecast } from '../../whatif/report/forecast.ts'
import { budget, deployment, dumpOf, pod, priorityClass } from '../../whatif/run/story.fixture.ts'
import { createScenarioNodes } from '../../whatif/scenario/scenario-nodes.fixture.ts'
import { endLine, headerLine } from '../../whatif/snapshot/snapshot-lines.ts'
import type { Ports } from '../command.ts'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-whatif-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { zoneA, zoneB } = createScenarioNodes()

const berth = (args: string | readonly string[], more: Partial<Ports> = {}) => runBerth(args, { cwd: folder, ...more })

const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))

const scenario = (more: object) => ({ apiVersion: 'berth.dev/v1alpha1', kind: 'Scenario', until: '30s', ...more })

beforeAll(async () => {
  const dump = (await dumpOf([
    ...zoneA(3),
    ...zoneB(3),
    priorityClass('high', 100),
    budget('web', 5),
    deployment('web', 6, { cpu: '500m' }),
  ])) as { items: readonly object[] }
  write('dump.json', dump)
  const lines = [
    headerLine(Date.UTC(2026, 0, 1, 0, 1), false),
    ...dump.items.map((item) => `${JSON.stringify(item)}\n`),
  ]
  writeFileSync(join(folder, 'snapshot.jsonl.gz'), gzipSync(lines.join('') + endLine({}, {})))
  writeFileSync(join(folder, 'cut.jsonl.gz'), gzipSync(lines.join('')).subarray(0, 700))
  writeFileSync(join(folder, 'unfinished.jsonl.gz'), gzipSync(lines.join('')))
  write('empty.json', '')
  write('nothing.json', { apiVersion: 'v1', kind: 'List', items: [] })
  write('cut.json', JSON.stringify(dump).slice(0, 3000))
  write('maps.json', {
    apiVersion: 'v1',
    kind: 'List',
    items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid: '1' } }],
  })
  write('vip.yaml', JSON.stringify(pod('vip', { cpu: '3', priority: 'high' })))
  write('gentle.yaml', 'node-eviction-rate: 0.01\n')
  write('usual.yaml', 'node-eviction-rate: 0.1\n')
  write('outage.yaml', '- at: 1s\n  silence: {zone: zone-a}\n')
  write('growth.yaml', '- at: 1s\n  scale: {target: deployment/web, replicas: 9}\n')
  write('packing.yaml', {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [
      {
        plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit' }] } },
        pluginConfig: [
          {
            name: 'NodeResourcesFit',
            args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
          },
        ],
      },
    ],
  })
  writeFileSync(join(folder, 'dump.json.gz'), gzipSync(JSON.stringify(dump)))
  const found = dump.items.find((item) => (item as { kind?: string }).kind === 'Deployment')
  const edited = structuredClone(found) as ReturnType<typeof deployment> & {
    metadata: Record<string, unknown>
    spec: { template: { spec: { containers: Record<string, unknown>[] } } }
  }
  edited.metadata['managedFields'] = [{ manager: 'kubectl', operation: 'Update', apiVersion: 'apps/v1' }]
  for (const container of edited.spec.template.spec.containers) container['image'] = 'pause:2'
  write('edited.json', edited)
  write('strict.yaml', 'pdbNeverViolated: true\nnoPodDeleted: true\n')
  mkdirSync(join(folder, 'gathered/namespaces/default/core'), { recursive: true })
  mkdirSync(join(folder, 'gathered/cluster-scoped-resources/core/nodes'), { recursive: true })
  write('gathered/version.yaml', 'just: text\n')
  write('gathered/cluster-scoped-resources/core/nodes/a1.yaml', dump.items[0])
  write('gathered/namespaces/default/core/pods.yaml', { apiVersion: 'v1', kind: 'PodList', items: [] })
})

describe('berth whatif', () => {
  it('forecasts a taint, with the same output in every run', async () => {
    const first = await berth('whatif taint a1 gone=soon:NoExecute --from dump.json')
    expect(first.code).toBe(0)
    expect(first.out.split('\n').slice(0, 5)).toEqual([
      'SAFE: 1 pod is deleted, all workloads stay ready.',
      expect.stringMatching(/^1 pod is deleted at 0s \(evicted by taint\); 1 moves: (a2|a3|b\d) \(1\)\.$/),
      '',
      'WORKLOAD      READY   OF    LOWEST    MOVED',
      'default/web       6    6   6 at 0s   1 of 1',
    ])
    expect(first.err).toBe('')
    expect((await berth('whatif taint a1 gone=soon:NoExecute --from dump.json')).out).toBe(first.out)
  })

  it('reads a snapshot, a dump, and a dump on standard input', async () => {
    const [fromDump, fromSnapshot] = await Promise.all(
      ['dump.json', 'snapshot.jsonl.gz'].map((file) => berth(`whatif fail zone zone-a --from ${file} -o json`)),
    )
    const answers = [fromDump, fromSnapshot].map((one) => (JSON.parse(one?.out ?? '{}') as Forecast).answer)
    expect(answers[0]?.deleted).toBe(3)
    expect(answers[1]?.deleted).toBe(3)
    const piped = await berth('whatif cordon a1 --from -', {
      readStdin: async () => JSON.stringify(await dumpOf(zoneA(1))),
    })
    expect(piped.code).toBe(0)
  })

  it('reads a must-gather and skips files without objects', async () => {
    const gathered = await berth('whatif cordon a1 --from gathered -o json')
    expect((JSON.parse(gathered.out) as Forecast).before.nodes).toBe(1)
  })

  it.each([
    ['cordon a1', /No pods are deleted/],
    ['drain a1', /\nDrained: a1 at 2s\./],
    ['drain -l topology.kubernetes.io/zone=zone-a', /\nDrained: a1 at 2s, a2 at \S+, a3 at/],
    ['fail node a1 --recover-after 2m', /\nFewer ready pods: default\/web/],
    ['add-node --like a1 --count 2 --zone zone-c', /nodes ready 6\/6 → 8\/8/],
    ['remove-node a1', /\n1 pod is deleted at \S+ \(garbage-collected: node deleted\)/],
    ['scale deployment/web --replicas 9', /^SAFE: 3 pods are created, all ready immediately\.\n3 pods are placed/],
    ['apply -f vip.yaml', /1 pod is placed: .*\(1\)/],
    ['preempt -f vip.yaml', /1 pod is placed/],
    ['upgrade a1', /1 node is upgraded in 1m2s/],
    ['restart controller taint-eviction --after 1m', /No pods are deleted/],
    [
      'restart controller taint-eviction --after 1m --taint x:NoSchedule -l kubernetes.io/hostname=a1 --timeline',
      /tainted x:NoSchedule/,
    ],
  ])('forecasts whatif %s', async (question, expected) => {
    const { code, out, err } = await berth(`whatif ${question} --from dump.json --for 10m`)
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toMatch(expected)
  })

  it('suggests the command that restarts a workload', async () => {
    const { code, err } = await berth('whatif restart deployment/web --from dump.json')
    expect(code).toBe(2)
    expect(err).toBe(
      'berth: expected the word controller instead of "deployment/web"; to restart a workload, use berth whatif rollout\n',
    )
  })

  it('compares two configurations of the controllers', async () => {
    const { code, out } = await berth('whatif config usual.yaml gentle.yaml --steps outage.yaml --from dump.json')
    expect(code).toBe(1)
    expect(out).toMatch(/^A: usual\.yaml\nB: gentle\.yaml\n/)
    expect(out).toMatch(/last deletion +6m\S+ +9m\S+/)
  })

  it('compares configurations of the scheduler, and reports when forecasts are equal', async () => {
    const same = await berth('whatif config usual.yaml usual.yaml --from dump.json')
    expect(same).toMatchObject({ code: 0, out: 'A: usual.yaml\nB: usual.yaml\n\nNo differences.\n' })
    const packed = await berth('whatif config usual.yaml packing.yaml --steps growth.yaml --from dump.json')
    expect(packed.code).toBe(1)
    expect(packed.out).toMatch(/^A: usual\.yaml\nB: packing\.yaml\n/)
    expect(packed.out).toMatch(/default\/web-\* +placed differently/)
  })

  it('uses the scheduler configuration of --scheduler-config', async () => {
    const spread = await berth('whatif scale deployment/web --replicas 12 --from dump.json')
    const packed = await berth(
      'whatif scale deployment/web --replicas 12 --from dump.json --scheduler-config packing.yaml',
    )
    expect(spread.out).toContain('6 pods are placed: a1 (1), a2 (1), a3 (1), b1 (1), b2 (1), b3 (1).')
    expect(packed.out).not.toContain('a1 (1), a2 (1), a3 (1), b1 (1), b2 (1), b3 (1)')
  })

  it('reads a compressed dump', async () => {
    const { code, out } = await berth('whatif cordon a1 --from dump.json.gz')
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 0, first: 'SAFE: no pod is affected.' })
  })

  it('applies an edited object that was read from the cluster', async () => {
    const { code, out } = await berth('whatif apply -f edited.json --from dump.json')
    expect(code).toBe(0)
    expect(out).toMatch(/^[A-Z]+: .*\n6 pods are deleted .*scaled down/)
  })

  it('notes that a PriorityClass alone does not preempt pods', async () => {
    write('class.json', priorityClass('top', 1000))
    const { out } = await berth('whatif preempt -f class.json --from dump.json')
    expect(out).toMatch(/^[A-Z]+: .*\nNo pods are deleted\.\n/)
    expect(out).toContain('Note: a PriorityClass alone does not affect existing pods')
  })

  it('exits with 1 if an expectation is not met', async () => {
    const { code, out } = await berth('whatif taint a1 gone:NoExecute --from dump.json --expect strict.yaml')
    expect(code).toBe(1)
    expect(out).toMatch(/^SAFE: 1 expectation is not met; /)
    expect(out).toMatch(/Expectation noPodDeleted not met at 0s: default\/web-\S+ is deleted/)
  })

  it('prints forecasts as JSON, YAML, HTML, trace and wide table', async () => {
    const outputs = await Promise.all(
      ['json', 'yaml', 'html', 'trace', 'wide'].map((format) =>
        berth(`whatif taint a1 x:NoExecute --from dump.json -o ${format}`),
      ),
    )
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    expect(JSON.parse(outputs[0]?.out ?? '')).toMatchObject({ kind: 'Forecast', apiVersion: 'berth.dev/v1alpha1' })
    expect(outputs[1]?.out).toMatch(/^after:\n/)
    expect(outputs[2]?.out).toMatch(/^<!doctype html>/)
    expect(outputs[2]?.out).toContain('"a1, taint x:NoExecute"')
    expect(JSON.parse(outputs[3]?.out.split('\n')[0] ?? '')).toMatchObject({ t: 0, what: 'step', object: 'taint' })
  })

  it('repeats the forecast with other seeds with --seeds', async () => {
    const { out } = await berth('whatif taint a1 x:NoExecute --from dump.json --seeds 3')
    expect(out).toMatch(/3 seeds: 1 deleted, 0 pending at the end, /)
  })

  it('shows progress on a terminal and erases it at the end', async () => {
    const err: string[] = []
    let now = 0
    await berth('whatif taint a1 x:NoExecute --from dump.json', {
      stderr: { write: (text) => void err.push(text), isTTY: true, columns: 80 },
      now: () => {
        now += 1000
        return now
      },
    })
    expect(err.join('')).toMatch(/\S+ of 1h0m0s, \d+ facts, \d+× real time/)
    expect(err.at(-1)).toBe('\r\u001b[K')
  })

  it('prints the forecast up to the interruption', async () => {
    const aborted = new AbortController()
    aborted.abort()
    const { code, out } = await berth('whatif fail zone zone-a --from dump.json', {
      interruption: () => aborted.signal,
    })
    expect(code).toBe(0)
    expect(out).toContain('Interrupted: this is the forecast up to 0s.')
  })

  it.each([
    [
      'taint zz a=b:NoExecute --from dump.json',
      'nodes "zz" not found in dump.json; existing names are "a1", "a2", "a3", "b1", "b2", "b3"',
    ],
    ['taint b33 a=b:NoExecute --from dump.json', 'nodes "b33" not found in dump.json; did you mean "b3"?'],
    ['taint a a=b:NoExecute --from dump.json', 'nodes "a" not found in dump.json; did you mean "a1", "a2", "a3"?'],
    [
      'taint a1 a=b --from dump.json',
      'invalid taint "a=b": no effect; expected KEY=VALUE:EFFECT or KEY:EFFECT with the effect NoSchedule, PreferNoSchedule or NoExecute',
    ],
    ['taint a=b:NoExecute --from dump.json', 'no nodes given: pass node names, or a selector with -l'],
    ['taint a1 a:NoExecute --from nofile.json', 'nofile.json: no such file or directory'],
    [
      'taint a1 a:NoExecute --from empty.json',
      'empty.json: file is empty; create a dump with: kubectl get nodes,pods,… -A -o json',
    ],
    [
      'taint a1 a:NoExecute --from nothing.json',
      'nothing.json: no objects found; create a dump with: kubectl get nodes,pods,… -A -o json',
    ],
    [
      'taint a1 a:NoExecute --from maps.json',
      'maps.json: no nodes found, only ConfigMap; include nodes: kubectl get nodes,pods,… -A -o json',
    ],
    [
      'taint a1 a:NoExecute --from cut.json',
      'cut.json:1: document 1 is not valid JSON: unexpected end of input; the file may be incomplete',
    ],
    [
      'taint a1 a:NoExecute --from cut.jsonl.gz',
      'cut.jsonl.gz: file is incomplete or corrupted: unexpected end of file',
    ],
    ['taint a1 a:NoExecute --from dump.json --for soon', '--for soon: must be a duration, for example 30s or 1h15m'],
    ['taint a1 a:NoExecute --from dump.json --fix nothing', 'unknown fix "nothing"; known fixes:'],
    [
      'fail zone zone-x --from dump.json',
      'no node matches topology.kubernetes.io/zone=zone-x; did you mean "zone-a", "zone-b"?',
    ],
    [
      'scale deployment/none --replicas 1 --from dump.json',
      'deployments.apps "none" not found in namespace default of dump.json; existing names are "web"',
    ],
    [
      'scale deployment/web --replicas 1 -n shop --from dump.json',
      'deployments.apps "web" not found in namespace shop of dump.json, but in default; set it with -n',
    ],
    [
      'scale pod/web --replicas 1 --from dump.json',
      'a Pod cannot be scaled; expected a deployment, replicaset, statefulset or replicationcontroller',
    ],
    ['scale web --replicas 1 --from dump.json', 'web: must be KIND/NAME, for example deployment/web'],
    ['drain -l pool=x --from dump.json', 'no node matches -l pool=x'],
    ['apply --from dump.json', '-f is required'],
    ['cordon a1 --from dump.json --kubeconfig x', '--from and --kubeconfig are mutually exclusive'],
  ])('rejects whatif %s with a one-line error', async (question, message) => {
    const { code, out, err } = await berth(`whatif ${question}`)
    expect(err).toContain(`berth: ${message}`)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(out).toBe('')
    expect(code).toBe(2)
  })

  it('rejects a snapshot without its last line as incomplete', async () => {
    const { code, err } = await berth('whatif cordon a1 --from unfinished.jsonl.gz')
    expect(err).toMatch(
      /^berth: unfinished\.jsonl\.gz: snapshot is incomplete: it ends after \d+ objects; take it again\n$/,
    )
    expect(code).toBe(2)
  })
})

describe('berth simulate', () => {
  it('runs a scenario and reports whether its expectations are met', async () => {
    write('ok.json', scenario({ cluster: [...zoneA(2), deployment('web', 2)], expect: ['pdbNeverViolated'] }))
    write('pods.json', { apiVersion: 'v1', kind: 'List', items: [pod('huge', { cpu: '64' })] })
    write('no.json', scenario({ cluster: [...zoneA(2), 'pods.json'], expect: { noPodPending: { after: '10s' } } }))
    expect(await berth('simulate ok.json')).toMatchObject({ code: 0, err: '' })
    const no = await berth('simulate no.json')
    expect(no.code).toBe(1)
    expect(no.out).toMatch(
      /Expectation noPodPending not met at 10s: default\/huge is pending: 0\/2 nodes are available/,
    )
  })

  it('runs a scenario on a dump of kubectl, with nodes of the dump or of the scenario', async () => {
    const steps = [{ at: '1s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]
    write('raw.json', scenario({ cluster: 'dump.json', steps }))
    expect((await berth('simulate raw.json')).out).toMatch(/^[A-Z]+: .*\n1 pod is deleted at 1s \(evicted by taint\)/)
    const { items } = JSON.parse(readFileSync(join(folder, 'dump.json'), 'utf8')) as { items: { kind: string }[] }
    write('rest.json', { apiVersion: 'v1', kind: 'List', items: items.filter(({ kind }) => kind !== 'Node') })
    write('mixed.json', scenario({ cluster: [...zoneA(3), ...zoneB(3), 'rest.json'], steps }))
    const mixed = await berth('simulate mixed.json')
    expect(mixed).toMatchObject({ code: 0, err: '' })
    expect(mixed.out).toMatch(/^[A-Z]+: .*\n1 pod is deleted at 1s \(evicted by taint\)/)
  })

  it('runs a scenario on a snapshot', async () => {
    const steps = [{ at: '1s', taint: { node: 'a1', taint: 'gone:NoExecute' } }]
    write('found.json', scenario({ cluster: 'snapshot.jsonl.gz', steps }))
    const { code, out } = await berth('simulate found.json')
    expect(code).toBe(0)
    expect(out).toMatch(/^[A-Z]+: .*\n1 pod is deleted at 1s \(evicted by taint\)/)
  })

  it.each<[string, unknown, string]>([
    ['an empty file', '', 'file is empty; expected a scenario'],
    ['another kind', pod('x'), 'spec: unknown field'],
    [
      'two documents',
      `${JSON.stringify(scenario({}))}\n${JSON.stringify(scenario({}))}`,
      'document 2: expected a single document, found a second one',
    ],
    [
      'a step with an unknown node',
      scenario({ steps: [{ at: '1s', cordon: { node: 'x' } }] }),
      'steps[0]: nodes "x" not found',
    ],
    ['a missing file', scenario({ cluster: 'none.yaml' }), 'no such file or directory'],
  ])('rejects the scenario %s with a one-line error', async (_name, content, message) => {
    write('wrong.json', content)
    const { code, err } = await berth('simulate wrong.json')
    expect(err).toContain(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })
})

describe('berth diff', () => {
  it('compares two forecasts, and exits with 1 if they differ', async () => {
    for (const zone of ['a', 'b']) {
      write(`${zone}.forecast.json`, (await berth(`whatif fail zone zone-${zone} --from dump.json -o json`)).out)
    }
    const differ = await berth('diff a.forecast.json b.forecast.json')
    expect(differ.code).toBe(1)
    expect(differ.out).toMatch(/^A: fail zone zone-a\nB: fail zone zone-b\n/)
    expect(await berth('diff a.forecast.json a.forecast.json')).toMatchObject({ code: 0 })
    const wrong = await berth('diff a.forecast.json dump.json')
    expect(wrong).toMatchObject({
      code: 2,
      err: 'berth: dump.json: not a forecast; create one with berth whatif … -o json\n',
    })
  })
})

describe('berth whatif interrupt', () => {
  it('drains the node within the notice period, and then removes the machine', async () => {
    const { out } = await berth('whatif interrupt a1 --from dump.json -o json')
    const { drains, nodes } = JSON.parse(out) as Forecast
    expect(drains?.drained.map(({ node }) => node)).toEqual(['a1'])
    expect(nodes.find(({ node }) => node === 'a1')?.state).toBe('removed')
  })

  it('reports the pods that were not evicted in time', async () => {
    const { out } = await berth(
      'whatif interrupt -l topology.kubernetes.io/zone=zone-a --notice 5s --from dump.json -o json',
    )
    const { drains, answer } = JSON.parse(out) as Forecast
    expect(drains?.cut?.length).toBeGreaterThan(0)
    expect(answer.lines.join('\n')).toMatch(/Removed before the drain was done, with \d pods?: a\d/)
  })
})

describe('berth whatif upgrade nodes', () => {
  it('upgrades all nodes except those of the control plane', async () => {
    const { out } = await berth('whatif upgrade nodes --from dump.json -o json')
    expect((JSON.parse(out) as Forecast).upgrade).toMatchObject({ state: 'done', nodes: 6, upgraded: 6 })
  })

  it('ends ten minutes after the upgrade', async () => {
    const { out } = await berth('whatif upgrade nodes a1 --node-startup 5m --from dump.json -o json')
    const { seconds, upgrade } = JSON.parse(out) as Forecast
    expect(seconds).toBeCloseTo((upgrade?.ended ?? 0) + 600, 3)
  })

  it('rejects contradictory options', async () => {
    const { code, err } = await berth('whatif upgrade nodes --max-surge 0 --max-unavailable 0 --from dump.json')
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('must not both be 0') })
  })
})

describe('berth whatif fail --each-…', () => {
  it('prints a row per zone, and exits with 1 if the worst is as bad as --fail-on', async () => {
    const { out, code } = await berth('whatif fail --each-zone --from dump.json -o json --fail-on unsafe')
    const { kind, failures, verdict } = JSON.parse(out)
    expect({ kind, verdict, zones: failures.map(({ failure }: { failure: string }) => failure).toSorted() }).toEqual({
      kind: 'Survival',
      verdict: 'UNSAFE',
      zones: ['zone-a', 'zone-b'],
    })
    expect(code).toBe(1)
  })

  it('fails several zones together', async () => {
    const { out } = await berth('whatif fail zone zone-a zone-b --from dump.json -o json')
    const { nodes } = JSON.parse(out) as Forecast
    expect(nodes.every(({ isReady }) => !isReady)).toBe(true)
  })

  it('rejects a name together with --each-node', async () => {
    const { code, err } = await berth('whatif fail node a1 --each-node --from dump.json')
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('mutually exclusive') })
  })
})

describe('startup times', () => {
  beforeAll(async () => {
    const dump = (await dumpOf([...zoneA(3), budget('web', 2), deployment('web', 3)])) as {
      items: { kind?: string; metadata: object; status?: { conditions?: { type: string }[] } }[]
    }
    // The pods took 40 seconds from PodScheduled to Ready.
    const slow = dump.items.map((item) => {
      const conditions = item.status?.conditions
      if (conditions?.some(({ type }) => type === 'PodScheduled') !== true) return item
      const at = (type: string) => (type === 'PodScheduled' ? '2025-12-31T00:00:00Z' : '2025-12-31T00:00:40Z')
      const status = {
        ...item.status,
        conditions: conditions.map((each) => ({ ...each, lastTransitionTime: at(each.type) })),
      }
      return { ...item, status }
    })
    write('slow.json', { ...dump, items: slow })
    write('startup.yaml', 'default/web: 5s\n')
    write('v2.json', deployment('web', 3, { cpu: '200m' }))
  })

  const web = (out: string) => (JSON.parse(out) as Forecast).workloads.find(({ name }) => name === 'web')

  it('startup times are measured on the conditions of running pods, and reported', async () => {
    const { out } = await berth('whatif drain a1 --from slow.json -o json')
    expect(web(out)?.timeUnavailable).toBeCloseTo(40, 0)
    const { notes } = JSON.parse(out) as Forecast
    expect(notes.map(({ text }) => text).join()).toContain('median 40s')
  })

  it.each([
    ['--startup none', 0],
    ['--startup startup.yaml', 5],
  ])('startup times are replaced by %s', async (option, expected) => {
    const { out } = await berth(`whatif drain a1 --from slow.json -o json ${option}`)
    expect(web(out)?.timeUnavailable ?? 0).toBeCloseTo(expected, 0)
  })

  it('startup times are used by a rollout, which takes as many rounds as its strategy allows', async () => {
    const { out } = await berth('whatif rollout -f v2.json --from slow.json -o json')
    const lastDeletion = (text: string) => (JSON.parse(text) as Forecast).answer.lastDeletion
    expect(web(out)?.lowestReady.count).toBe(3)
    expect(lastDeletion(out)).toBeGreaterThanOrEqual(120)
    const { out: faster } = await berth('whatif rollout -f v2.json --startup-time 10s --from slow.json -o json')
    expect(lastDeletion(faster)).toBeLessThan(60)
  })

  it('restarts a workload by name: the pods of the workload are new, and no pods move', async () => {
    const { out } = await berth('whatif rollout deployment/web --from slow.json -o json')
    expect(web(out)?.deleted).toBe(3)
    expect((JSON.parse(out) as Forecast).answer.lines.join()).toMatch(/^3 pods .* \(scaled down\); 3 are new: /)
  })
})
