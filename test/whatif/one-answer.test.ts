// Every kind of question has the same answer in the command, the console, the library, a scenario and MCP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { must } from '../../src/base/result.ts'
import { forecastForConsole } from '../../src/cli/console/forecast.ts'
import { questionForms } from '../../src/cli/console/questions.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { parseDocuments } from '../../src/cli/yaml.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { forecast } from '../../src/whatif/run/forecast.ts'
import { deployment, pod, priorityClass } from '../../src/whatif/run/story.fixture.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { callTool, stdioClient, testServer } from '../mcp/connection.ts'
import { type AskedCluster, catalog, nodePool, objectsOf } from './asked-clusters.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-one-answer-'))
afterAll(() => rmSync(folder, { recursive: true }))
const version = '1.36.4'
const clusters = new Map<AskedCluster, readonly KubeObject[]>()
beforeAll(async () => {
  for (const name of ['example', 'devices', 'karpenter'] as const) {
    const items = await objectsOf(name)
    clusters.set(name, items)
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  }
})
/** A copy: a run must not change the objects of the next one. */
const objectsIn = (cluster: AskedCluster) => structuredClone(clusters.get(cluster) ?? []) as KubeObject[]

interface Asked {
  readonly name: string
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  /** Of -f. */
  readonly manifest?: object
  /** Default: example. */
  readonly of?: AskedCluster
  /** Of --autoscaler. MCP has none. */
  readonly autoscaler?: object
}

const web = { ...deployment('web', 6), metadata: { name: 'web', namespace: 'default' } }
const urgent = {
  apiVersion: 'v1',
  kind: 'List',
  items: [priorityClass('urgent', 1000), pod('first', { priority: 'urgent' })],
}
const device = (node: string) => `gpu.example.com/${node}/gpu-0`

const questions: readonly Asked[] = [
  { name: 'taint', args: ['node-3', 'gone=now:NoExecute'] },
  { name: 'cordon', args: ['node-2'] },
  { name: 'drain', args: ['node-1', 'node-4'] },
  { name: 'fail', args: ['node', 'node-2'], options: { 'recover-after': '10m' } },
  { name: 'fail', args: ['zone', 'zone-a', 'zone-b'] },
  { name: 'interrupt', args: ['node-5'], options: { notice: '30s' } },
  { name: 'upgrade', args: ['nodes'] },
  { name: 'upgrade', args: ['nodes'], options: { preset: 'gke' } },
  { name: 'upgrade', args: ['nodes', 'node-1'], options: { preset: 'kubeadm' } },
  { name: 'remove-node', args: ['node-2'] },
  { name: 'scale', args: ['deployment/web'], options: { replicas: '12' } },
  { name: 'rollout', args: ['deployment/web'] },
  { name: 'rollout', manifest: web },
  { name: 'apply', manifest: web },
  { name: 'preempt', manifest: urgent },
  { name: 'add-node', options: { like: 'node-1', count: '3' } },
  {
    name: 'restart',
    args: ['controller', 'taint-eviction'],
    options: { after: '2m', taint: 'x:NoExecute', selector: 'topology.kubernetes.io/zone=zone-a' },
  },
  { name: 'fail', args: ['rack', 'r1'], of: 'devices' },
  { name: 'fail', args: ['device', device('n0'), device('n1')], of: 'devices' },
  { name: 'fail', args: ['device', device('n0'), device('n1')], options: { 'recover-after': '5m' }, of: 'devices' },
  { name: 'taint-device', args: [device('n0'), device('n1'), device('n2')], of: 'devices' },
  { name: 'taint-device', args: [device('n1')], options: { taint: 'example.com/old:NoSchedule' }, of: 'devices' },
  { name: 'drain', args: ['n1'], of: 'devices' },
  { name: 'scale', args: ['deployment/web'], options: { replicas: '9' }, of: 'karpenter' },
  { name: 'nodepool', manifest: nodePool({ generation: 'two' }), of: 'karpenter' },
  { name: 'scale', args: ['deployment/web'], options: { replicas: '9' }, of: 'karpenter', autoscaler: catalog },
]

const textOf = ({ name, args = [], options = {}, manifest, autoscaler }: Asked) =>
  [
    name,
    ...args,
    ...Object.entries(options).flatMap(([flag, value]) => [`--${flag}`, value]),
    ...(manifest === undefined ? [] : ['-f', `${name}.json`]),
    ...(autoscaler === undefined ? [] : ['--autoscaler', 'autoscaler.json']),
  ].join(' ')

async function ofCommand(words: string): Promise<Forecast> {
  const { out, err } = await runBerth(`${words} -o json`, { cwd: folder })
  expect(err).toBe('')
  return JSON.parse(out) as Forecast
}

async function ofConsole({ name, args = [], options = {}, manifest, autoscaler, of = 'example' }: Asked) {
  const { cluster, notes, without } = findCluster({ objects: objectsIn(of) })
  const settings = must(readSettings({ 'kubernetes-version': version }))
  const keys = Object.entries(options).map(([flag, value]) => [
    flag.replaceAll(/-(.)/g, (_, c) => c.toUpperCase()),
    value,
  ])
  const given = {
    ...Object.fromEntries(keys),
    ...(manifest === undefined ? {} : { filename: JSON.stringify(manifest) }),
  }
  const request = { steps: [{ question: name, args: [...args], options: given }], seconds: 3600 }
  const watch = { onProgress() {}, isUnwanted: () => false }
  const file = autoscaler === undefined ? {} : { autoscaler: { name: 'autoscaler.json', document: autoscaler } }
  const setup = { settings, stages: [], file: { notes, without }, ...file }
  return forecastForConsole(cluster.store, setup, request, cluster.takenAtMs, watch)
}

/** The common part of every form of an answer. */
function coreOf(
  answer: Omit<Forecast, 'answer' | 'series' | 'notes' | 'nodes' | 'pods' | 'before' | 'after'> | Console,
) {
  const { verdict, reason, caused, baseline, workloads, seconds, drains, devices, upgrade, cost } = answer
  return { verdict, reason, caused, baseline, workloads, seconds, drains, devices, upgrade, cost }
}
type Console = Awaited<ReturnType<typeof ofConsole>>['forecast']

const textsOf = ({ notes }: Pick<Forecast, 'notes'>) => notes.map(({ text }) => text)

describe('every kind of question', () => {
  it('the table of questions has every question of the console', () => {
    expect([...new Set(questions.map(({ name }) => name))].sort()).toEqual(
      questionForms()
        .map(({ name }) => name)
        .sort(),
    )
  })

  it.each(questions.map((asked) => [`${textOf(asked)} (${asked.of ?? 'example'})`, asked] as const))(
    'has one answer of the command, the console, the library, a scenario and MCP: %s',
    async (_, asked) => {
      const { name, manifest, autoscaler, of = 'example' } = asked
      if (autoscaler !== undefined) writeFileSync(join(folder, 'autoscaler.json'), JSON.stringify(autoscaler))
      if (manifest !== undefined) writeFileSync(join(folder, `${name}.json`), JSON.stringify(manifest))
      const json = await ofCommand(`whatif ${textOf(asked)} --kubernetes-version ${version} --from ${of}.json`)
      const shown = await ofConsole(asked)
      expect(coreOf(shown.forecast)).toEqual(coreOf(json))
      expect(shown.forecast.answer).toEqual(json.answer.lines)
      expect(shown.forecast.notes).toEqual(textsOf(json))
      expect(shown.forecast.pods.map(({ cpuMilli: _, memoryBytes: __, ...entry }) => entry)).toEqual(json.pods)

      // The console offers the question as a scenario, which the library, `berth simulate` and MCP play.
      const scenario = (shown.scenario ?? '').replace('cluster: dump.json', `cluster: ${of}.json`)
      writeFileSync(join(folder, 'scenario.yaml'), scenario)
      const simulated = await ofCommand('simulate scenario.yaml')
      expect(coreOf(simulated)).toEqual(coreOf(json))
      expect(simulated.answer).toEqual(json.answer)

      const [document] = parseDocuments(scenario, 'scenario')
      const { steps } = (document?.value ?? {}) as { readonly steps: readonly { readonly at: string }[] }
      const until = `${json.seconds}s`
      const config = { 'kubernetes-version': version }
      const library = must(
        await forecast({
          cluster: objectsIn(of),
          steps: [...steps],
          until,
          config,
          ...(autoscaler === undefined ? {} : { autoscaling: autoscaler }),
        }),
      )
      expect(coreOf(library)).toEqual(coreOf(json))
      expect(library.answer).toEqual(json.answer)

      if (autoscaler !== undefined) return
      const { client, close } = await stdioClient(testServer({}, [folder]), 'modern')
      await callTool(client, 'open', { file: join(folder, `${of}.json`), kubernetesVersion: version })
      const { value } = await callTool(client, 'forecast', { change: steps, for: until })
      await close()
      const { verdict, reason, caused, baseline, devices, upgrade, cost } = json
      expect(value).toMatchObject({ verdict, reason, caused, baseline })
      expect([value?.['devices'], value?.['upgrade'], value?.['cost']]).toEqual([devices, upgrade, cost])
    },
  )
})
