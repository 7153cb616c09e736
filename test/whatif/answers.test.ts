// Usability of answers: each group covers a problem that a first-time user had.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { must } from '../../src/base/result.ts'
import { forecastForConsole } from '../../src/cli/console/forecast.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import { answerLines } from '../../src/whatif/report/answer-lines.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { forecast } from '../../src/whatif/run/forecast.ts'
import { deployment, dumpOf, node } from '../../src/whatif/run/story.fixture.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { dumpCommand } from '../../src/whatif/snapshot/snapshot-resources.ts'
import { callTool, stdioClient, testServer } from '../mcp/connection.ts'
import { sarifProblems } from './sarif-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const example = readFileSync(join(import.meta.dirname, '../../docs/how-to/cluster.json'), 'utf8')

interface Item {
  kind: string
  metadata: { name: string }
  spec?: { taints?: object[]; volumes?: object[] }
}
const items = (text = example) => (JSON.parse(text) as { items: Item[] }).items

function write(name: string, content: readonly object[] | object): void {
  const value = Array.isArray(content) ? { apiVersion: 'v1', kind: 'List', items: content } : content
  writeFileSync(join(folder, name), JSON.stringify(value))
}
write('cluster.json', items())

interface Screen {
  readonly columns?: number
  readonly isTTY?: boolean
}

async function berth(args: string, screen: Screen = {}) {
  return berthDo(`whatif ${args}`, screen)
}

async function berthDo(args: string, { columns, isTTY = false }: Screen = {}) {
  const screen: string[] = []
  const stdout = { write: (text: string) => void screen.push(text), isTTY, columns }
  const run = await runBerth(args, { cwd: folder, stdout })
  return { ...run, out: screen.join(''), lines: screen.join('').split('\n') }
}

async function asked(question: string): Promise<Forecast> {
  return JSON.parse((await berth(`${question} -o json`)).out) as Forecast
}

describe('the baseline of a forecast', () => {
  it('does not attribute the eviction of pods to a taint that the node already had', async () => {
    const tainted = items()
    for (const item of tainted)
      if (item.kind === 'Node' && item.metadata.name === 'node-1')
        item.spec = { ...item.spec, taints: [{ key: 'maintenance', effect: 'NoExecute' }] }
    write('tainted.json', tainted)
    const { verdict, caused, baseline, workloads } = await asked('cordon node-4 --from tainted.json')
    expect({ verdict, caused, workloads }).toEqual({
      verdict: 'SAFE',
      caused: { podsDeleted: 0, podsPending: 0, podsMoved: 0, workloadsBelowBudget: 0 },
      workloads: [],
    })
    expect(baseline.podsDeleted).toBeGreaterThanOrEqual(3)
    const { out } = await berth('cordon node-4 --from tainted.json')
    expect(out).toMatch(/^SAFE: no pod is affected\.\n/)
    expect(out).toMatch(/\nAlso without the change: \d+ pods are deleted, \d+ moved/)
  })
})

describe('a drain that never ends', () => {
  it('a drain that never ends is BLOCKED in the headline, names the budget, and fails the gate', async () => {
    write('gate.json', { pdbNeverViolated: true, allRunningWithin: '1h', drainedWithin: '30m', verdict: 'DEGRADED' })
    const drain = 'drain -l topology.kubernetes.io/zone=zone-a --from cluster.json'
    const gated = await berth(`${drain} --expect gate.json`)
    expect(gated.code).toBe(1)
    expect(gated.lines[0]).toBe('BLOCKED: the drain of node-4 is blocked by the disruption budget default/web.')
    expect(gated.out).toMatch(/\nExpectation drainedWithin not met .*\n(.*\n)*Expectation verdict not met/)
    expect((await berth(`${drain} --fail-on blocked`)).code).toBe(1)
    expect((await berth(`${drain} --fail-on unsafe`)).code).toBe(0)
  })
})

describe('the gate of --fail-on and --expect', () => {
  it('the gate does not fail because of a pod that was pending before, or a plain scale-up', async () => {
    write('pending.json', { noPodPending: true, allRunningWithin: '10m', maxUnavailable: 0, noNewPending: true })
    expect((await berth('cordon node-5 --from cluster.json --expect pending.json')).code).toBe(0)
    write('budget.json', { pdbNeverViolated: true, verdict: 'SAFE' })
    expect((await berth('scale deployment/web --replicas 12 --from cluster.json --expect budget.json')).code).toBe(0)
  })

  it('the gate fails because of the effects of the change', async () => {
    write('ready.json', [
      { minReady: { workload: 'deployment/web', count: 5 } },
      { minReady: { workload: 'deploy/web', count: 4 } },
      { minReady: { workload: 'web', count: 6 } },
      { minReady: { workload: 'deployment/wbe', count: 1 } },
      { maxUnavailableTime: '10m' },
      { maxUnavailableTime: { workload: 'deployment/api', max: '10m' } },
      { settlesWithin: '10m' },
      { noPodDeleted: { selector: 'app=web' } },
    ])
    writeFileSync(
      join(folder, 'ready.json'),
      readFileSync(join(folder, 'ready.json'), 'utf8').replace(/^.*?"items":(.*)}$/s, '$1'),
    )
    const { expectations } = await asked('fail zone zone-a --from cluster.json --expect ready.json')
    expect(expectations.map(({ kind, holds, violation }) => [kind, holds, violation?.text])).toEqual([
      ['minReady', false, 'default/web has 4 ready, at least 5 expected'],
      ['minReady', true, undefined],
      ['minReady', false, 'default/web has 4 ready, at least 6 expected'],
      ['minReady', false, 'deployment default/wbe not found'],
      ['maxUnavailableTime', false, 'default/web has too few ready pods for 59m10s, at most 10m0s allowed'],
      ['maxUnavailableTime', true, undefined],
      ['settlesWithin', false, 'not recovered at the end'],
      ['noPodDeleted', false, expect.stringMatching(/^default\/web-\S+ is deleted$/)],
    ])
  })
})

describe('a dump without volumes', () => {
  const withClaim = items()
  for (const item of withClaim)
    if (item.kind === 'Pod' && item.metadata.name.startsWith('web'))
      item.spec = { ...item.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }
  write('claims.json', withClaim)

  it('a forecast reports a missing kind on the first screen', async () => {
    const { lines } = await berth('drain node-1 --from claims.json')
    const at = lines.findIndex((line) => line.startsWith('Missing: no PersistentVolumeClaim found'))
    expect(at).toBeGreaterThan(0)
    expect(at).toBeLessThan(lines.findIndex((line) => line.startsWith('WORKLOAD')))
  })

  it('the dump command is complete and the same on every page', () => {
    const root = join(import.meta.dirname, '../..')
    const pages = ['README.md', 'docs', 'examples'].flatMap((name) =>
      name.endsWith('.md')
        ? [name]
        : readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
            .filter((file) => file.endsWith('.md'))
            .map((file) => join(name, file)),
    )
    const commands = pages.flatMap((page) => [
      ...readFileSync(join(root, page), 'utf8').matchAll(/kubectl get nodes,pods,rs,\S+ -A -o json/g),
    ])
    expect(commands.length).toBeGreaterThan(7)
    expect(new Set(commands.map(([command]) => command))).toEqual(new Set([dumpCommand]))
  })

  it('a dump without volumes is an error with --strict, unless it cannot change this answer', async () => {
    const strict = await berth('drain node-1 --from claims.json --strict')
    expect(strict).toMatchObject({ code: 2, out: '' })
    expect(strict.err).toMatch(/^berth: --strict: the input lacks PersistentVolume, PersistentVolumeClaim, /)
    expect((await berth('cordon node-1 --from claims.json --strict')).code).toBe(0)
    expect((await berth('drain node-1 --from cluster.json --strict')).code).toBe(0)
  })
})

describe('pods of StatefulSets and DaemonSets', () => {
  const template = (deployment('db', 2) as { spec: { template: object; selector: object } }).spec
  const set = (kind: string, name: string, more: object) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: { selector: template.selector, template: template.template, ...more },
  })

  it('reports the StatefulSet pod that stays Terminating, and how to release it', async () => {
    write(
      'sets.json',
      await dumpOf([node('a1'), node('a2'), set('StatefulSet', 'db', { replicas: 2, serviceName: 'db' })]),
    )
    const { lines } = await berth('fail node a1 --from sets.json')
    expect(lines[0]).toMatch(/^UNSAFE: default\/db-\d stays Terminating\.$/)
    expect(lines.slice(1, 5).join('\n')).toMatch(/Stays Terminating and is not replaced: default\/db-\d on a1\./)
    expect(lines.slice(1, 6).join('\n')).toMatch(
      /To do: power off a1, then add the taint node\.kubernetes\.io\/out-of-service or delete the node\./,
    )
  })

  it('does not report the DaemonSet pods of a removed node as lost', async () => {
    write('daemons.json', await dumpOf([node('a1'), node('a2'), set('DaemonSet', 'agent', {})]))
    const { verdict, answer, workloads } = await asked('remove-node a1 --from daemons.json')
    expect({ verdict, lost: answer.lost }).toEqual({ verdict: 'SAFE', lost: 0 })
    expect(workloads).toMatchObject([{ kind: 'DaemonSet', name: 'agent', replicas: 1, timeUnavailable: 0, lost: 0 }])
  })

  it('does not report a DaemonSet as unavailable that lacks the pod of another node anyway', async () => {
    const { spec, metadata } = template.template as { readonly spec: object; readonly metadata: object }
    const everywhere = { metadata, spec: { ...spec, tolerations: [{ operator: 'Exists' }] } }
    const agents = set('DaemonSet', 'agent', { template: everywhere })
    write(
      'silent.json',
      await dumpOf([node('a1'), node('a2'), node('a3'), agents], '3m', [{ at: '1m', fail: { node: 'a2' } }]),
    )
    const { workloads } = await asked('remove-node a1 --from silent.json')
    expect(workloads).toMatchObject([{ kind: 'DaemonSet', ready: { before: 2, after: 1 }, timeUnavailable: 0 }])
  })
})

describe('a blocked upgrade', () => {
  it('an upgrade waits for the budget that blocks it, and reports the budget', async () => {
    const { verdict, reason, nodes } = await asked('upgrade nodes --from cluster.json --for 3h')
    expect(verdict).toBe('BLOCKED')
    expect(reason).toMatch(/ nodes are not upgraded: blocked at node-\d by the disruption budget default\/web$/)
    expect(nodes.filter(({ isCordoned }) => isCordoned)).toHaveLength(1)
  })
})

describe('the length of a forecast', () => {
  const long = example.replaceAll(/"node-(\d)"/g, '"ip-10-0-10-$1.eu-central-1.compute.internal"')
  write('long.json', items(long))
  const node3 = 'ip-10-0-10-3.eu-central-1.compute.internal'

  it.each([60, 80, 110, 160])('a forecast fits a terminal of %d columns', async (columns) => {
    for (const question of [
      `taint ${node3} gone=now:NoExecute --timeline --pods`,
      'fail zone zone-a',
      'drain -l topology.kubernetes.io/zone=zone-a',
      `add-node --like ${node3} --count 30`,
    ]) {
      const { lines } = await berth(`${question} --from long.json`, { columns, isTTY: false })
      // Long words of notes, such as names of nodes, are not broken.
      for (const line of lines) if (line.length > columns) expect(line.trim()).not.toContain(' ')
    }
  })

  it('a forecast has at most five lines after the verdict, and lists pods and events only on request', async () => {
    const { out, lines } = await berth(`taint ${node3} gone=now:NoExecute --from long.json`)
    const end = lines.findIndex((line) => line === '' || line.startsWith('Without the change'))
    expect(end).toBeLessThanOrEqual(6)
    expect(out).not.toMatch(/^(POD|TIME) /m)
    expect(out).toContain('ip-10-0-10-3 ')
    expect(out).not.toContain('compute.internal')
    expect((await berth(`taint ${node3} gone=now:NoExecute --from long.json -o wide`)).out).toContain(node3)
  })

  it('the timeline and the list of pods have the reason of pending pods and short node names', async () => {
    const ask = `taint ${node3} gone=now:NoExecute --from long.json --timeline --pods`
    const { out } = await berth(ask)
    expect(out).toMatch(/ unschedulable: didn't match pod topology spread /)
    expect(out).not.toContain('nodes are available')
    expect(out).not.toContain('compute.internal')
    expect((await berth(`${ask} -o wide`)).out).toMatch(/unschedulable: 0\/\d+ nodes are available: /)
  })

  it('a forecast has the advice as the fifth line if there are more lines', async () => {
    const json = await asked('drain node-1 node-4 --from cluster.json')
    const workloads = json.workloads.map((entry) => ({
      ...entry,
      timeUnavailable: 60,
      pending: [{ reason: 'Insufficient cpu', count: 1 }],
      terminating: [{ pod: 'default/db-0', node: 'node-1' }],
    }))
    const lines = answerLines({ ...json, workloads })
    expect(lines).toHaveLength(5)
    expect(lines[4]).toMatch(/^To do: /)
  })

  it('a forecast has a verdict in color on a terminal, and one line with --brief', async () => {
    const { out } = await berth(`taint ${node3} gone=now:NoExecute --from long.json`, { columns: 110, isTTY: true })
    expect(out.startsWith('\u001b[31mUNSAFE\u001b[39m: ')).toBe(true)
    const { lines } = await berth(`taint ${node3} gone=now:NoExecute --from long.json --brief`)
    expect(lines).toEqual(['UNSAFE: the disruption budget default/web is violated for 1h0m0s.', ''])
  })
})

describe('berth explain pod for a pod that waits for a GPU', () => {
  const gpu = 'nvidia.com/gpu'
  const gpuPod = (name: string, more: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `u-${name}`, resourceVersion: '1', labels: { app: name } },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { limits: { [gpu]: '1' }, requests: { [gpu]: '1' } } }],
      ...more,
    },
  })
  const size = { cpu: '8', memory: '16Gi', pods: '110' }
  const own = (object: object, uid: string) => {
    const { metadata, ...rest } = object as { metadata: object }
    return { ...rest, metadata: { ...metadata, uid, resourceVersion: '1' } }
  }
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
  const cpuNodes = Array.from({ length: 20 }, (_, at) => ({
    ...own(node(`cpu-${at}`), `u-cpu-${at}`),
    status: { capacity: size, allocatable: size, ...ready },
  }))
  const withGpu = { ...size, [gpu]: '1' }
  const gpuNode = { ...own(node('gpu-1'), 'u-gpu-1'), status: { capacity: withGpu, allocatable: withGpu, ...ready } }
  const lost = {
    ...own(node('lost-1'), 'u-lost-1'),
    spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] },
    status: { capacity: withGpu, allocatable: withGpu, conditions: [{ type: 'Ready', status: 'Unknown' }] },
  }
  const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  write('gpu.json', [
    ...cpuNodes,
    gpuNode,
    lost,
    { ...gpuPod('holder', { nodeName: 'gpu-1' }), status: running },
    { ...gpuPod('waiting', {}), status: { phase: 'Pending' } },
    { ...gpuPod('gated', { schedulingGates: [{ name: 'example.com/quota' }] }), status: { phase: 'Pending' } },
  ])

  it('suggests per resource, and lists no nodes without GPUs', async () => {
    const { out } = await berthDo('explain pod waiting --from gpu.json')
    expect(out).toContain('free 1 nvidia.com/gpu on gpu-1')
    expect(out).toContain('add a node like gpu-1')
    expect(out).not.toMatch(/^cpu-\d+ /m)
  })

  it('never suggests to tolerate the taint of an unhealthy node', async () => {
    const { out } = await berthDo('explain pod waiting --from gpu.json')
    expect(out).toContain('lost-1')
    expect(out).not.toMatch(/tolerat\w* .*node\.kubernetes\.io\/unreachable/)
  })

  it('names the gate of a gated pod', async () => {
    expect((await berthDo('explain pod gated --from gpu.json')).out).toMatch(/example\.com\/quota/)
  })
})

describe('the numbers of a forecast', () => {
  it('reports less room for pods after a scale-up', async () => {
    const { before, after } = await asked('scale deployment/web --replicas 12 --from cluster.json')
    expect(after.room).toBeLessThan(before.room)
    // Small pods lower the mean size of pods, which must not make room.
    const size = { cpu: '1' }
    write(
      'sizes.json',
      await dumpOf([node('a1'), node('a2'), deployment('big', 2, size), deployment('tiny', 1, { cpu: '1m' })]),
    )
    const tiny = await asked('scale deployment/tiny --replicas 60 --from sizes.json')
    expect(tiny.after.room).toBeLessThanOrEqual(tiny.before.room)
  })

  it('reports the same number of pending pods in the verdict, the counts, the workloads and the pods', async () => {
    const { caused, answer, workloads, after, pods } = await asked(
      'taint node-3 gone=now:NoExecute --from cluster.json',
    )
    const byWorkload = workloads.flatMap(({ pending }) => pending).reduce((sum, { count }) => sum + count, 0)
    expect([caused.podsPending, answer.pending, byWorkload]).toEqual([2, 2, 2])
    expect(answer.pending + answer.pendingBefore).toBe(after.pods.pending)
    expect(pods.filter(({ pending }) => pending !== undefined)).toHaveLength(after.pods.pending)
  })

  it('lists as many placed pods as it counts', async () => {
    write('urgent.json', deployment('urgent', 5, { cpu: '100m' }))
    const { answer, workloads } = await asked('apply -f urgent.json --from cluster.json')
    expect(answer.landed.reduce((sum, { pods }) => sum + pods, 0)).toBe(5)
    expect(workloads).toMatchObject([{ name: 'urgent', created: 5, ready: { before: 0, after: 5 } }])
    expect(answer.lines[0]).toMatch(/^5 pods are placed: /)
  })
})

/** The common part of all answers to a question. */
const core = ({ verdict, reason, caused, baseline, workloads }: Omit<Forecast, 'answer'> | Console) => ({
  verdict,
  reason,
  caused,
  baseline,
  workloads,
})

async function consoleForecast(version: string, question: string, args: readonly string[]): Promise<Console> {
  const { cluster } = findCluster({ objects: items() as unknown as KubeObject[] })
  const settings = must(readSettings({ 'kubernetes-version': version }))
  const request = { steps: [{ question, args: [...args], options: {} }], seconds: 3600 }
  const watch = { onProgress() {}, isUnwanted: () => false }
  const { forecast: shown } = await forecastForConsole(
    cluster.store,
    { settings, stages: [] },
    request,
    cluster.takenAtMs,
    watch,
  )
  return shown
}

describe('the same question', () => {
  it('the same question has one answer in text, JSON, the HTML report, the console and the library', async () => {
    const version = '1.36.4'
    const question = `drain node-1 node-4 --kubernetes-version ${version} --from cluster.json`
    const json = await asked(question)
    const text = await berth(question)
    const page = await berth(`${question} -o html`)
    const markdown = await berth(`${question} -o markdown`)
    expect(json.verdict).toBe('BLOCKED')
    const shown = await consoleForecast(version, 'drain', ['node-1', 'node-4'])
    expect(core(shown)).toEqual(core(json))
    expect(shown.answer).toEqual(json.answer.lines)

    const library = must(
      await forecast({
        cluster: items() as unknown as KubeObject[],
        steps: [{ at: '0s', drain: { nodes: ['node-1', 'node-4'], oneByOne: true } }],
        until: '1h',
        config: { 'kubernetes-version': version },
      }),
    )
    expect(core(library)).toEqual(core(json))
    expect(library.answer).toEqual(json.answer)

    expect(text.lines[0]).toBe(`${json.verdict}: ${json.reason}.`)
    for (const line of json.answer.lines) {
      expect(text.lines).toContain(line)
      expect(page.out).toContain(JSON.stringify(line).slice(1, -1))
    }
    expect(page.out).toContain(`"verdict":"${json.verdict}"`)
    expect(markdown.lines[0]).toBe(`### ${json.verdict}: ${json.question}`)
  })
})

describe('SARIF', () => {
  it.each([
    'whatif drain node-1 node-4 --from cluster.json',
    'whatif taint node-2 gone:NoExecute --from cluster.json',
    'whatif fail zone zone-a --from cluster.json',
    'lint --from cluster.json',
  ])('writes SARIF that follows its schema: berth %s', async (question) => {
    const { out, err } = await berthDo(`${question} -o sarif`)
    expect(err).toBe('')
    expect(sarifProblems(JSON.parse(out))).toEqual([])
  })

  it('reports the problems of an invalid SARIF document', () => {
    const result = { ruleId: 'b', ruleIndex: 0, level: 'bad', message: {}, locations: [], more: 1 }
    const driver = { name: 'berth', semanticVersion: '0.1.0', rules: [{ id: 'a' }] }
    expect(sarifProblems({ version: '2.1.0', runs: [{ tool: { driver }, results: [result] }] })).toEqual([
      'runs[0].results[0]: has the unknown property more',
      'runs[0].results[0].message: lacks text',
      'runs[0].results[0].message.text: must be a text',
      'runs[0].results[0].level: is not a level: bad',
      'runs[0].results[0].ruleIndex: is not that of ruleId',
      'runs[0].results[0].locations: is empty',
    ])
  })
})

describe('startup times', () => {
  /** Pods of the example became ready 45 s after they were scheduled. */
  const slow = items().map((item) => {
    const { status, ...rest } = item as Item & {
      status?: { conditions?: { type: string; lastTransitionTime?: string }[] }
    }
    if (item.kind !== 'Pod') return item
    const times: Record<string, string> = { PodScheduled: '2026-01-01T00:00:00Z', Ready: '2026-01-01T00:00:45Z' }
    const conditions = status?.conditions?.map((one) => ({
      ...one,
      lastTransitionTime: times[one.type] ?? times['Ready'],
    }))
    return { ...rest, status: { ...status, conditions } }
  })
  const version = '1.36.4'
  write('slow.json', slow)

  it('new pods take the startup time of the running pods in the command, the library and MCP', async () => {
    const question = `taint node-2 gone:NoExecute --kubernetes-version ${version}`
    const json = await asked(`${question} --from slow.json`)
    const quick = await asked(`${question} --from slow.json --startup none`)
    expect(json.answer.wellAgain ?? 0).toBeGreaterThan(quick.answer.wellAgain ?? 0)
    const library = must(
      await forecast({
        cluster: slow as unknown as KubeObject[],
        steps: [{ at: '0s', taint: { node: 'node-2', taint: 'gone:NoExecute' } }],
        until: '1h',
        config: { 'kubernetes-version': version },
      }),
    )
    expect(library.answer).toEqual(json.answer)

    const { client, close } = await stdioClient(testServer({}, [folder]), 'modern')
    const file = join(folder, 'slow.json')
    await callTool(client, 'open', { file, kubernetesVersion: version })
    const { value } = await callTool(client, 'forecast', {
      change: [{ taint: { node: 'node-2', taint: 'gone:NoExecute' } }],
      for: '1h',
    })
    await close()
    const { verdict, reason, caused, baseline } = json
    expect(value).toMatchObject({ verdict, reason, caused, baseline })
  })
})

type Console = Awaited<ReturnType<typeof forecastForConsole>>['forecast']
