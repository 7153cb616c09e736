// Every kind of question has one answer: of the command, the console, the library and MCP.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { must } from '../../src/base/result.ts'
import { forecastForConsole } from '../../src/cli/console/forecast.ts'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'
import { parseDocuments } from '../../src/cli/yaml.ts'
import { readSettings } from '../../src/controlplane/settings.ts'
import type { Forecast } from '../../src/whatif/report/forecast.ts'
import { forecast } from '../../src/whatif/run/forecast.ts'
import { deployment } from '../../src/whatif/run/story.fixture.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'
import { callTool, stdioClient, testServer } from '../mcp/connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-one-answer-'))
afterAll(() => rmSync(folder, { recursive: true }))
const example = readFileSync(join(import.meta.dirname, '../../docs/how-to/cluster.json'), 'utf8')
writeFileSync(join(folder, 'cluster.json'), example)
const objects = () => (JSON.parse(example) as { items: KubeObject[] }).items
const version = '1.36.4'

interface Asked {
  readonly name: string
  readonly args: readonly string[]
  readonly options?: Readonly<Record<string, string>>
}

const questions: readonly Asked[] = [
  { name: 'taint', args: ['node-3', 'gone=now:NoExecute'] },
  { name: 'cordon', args: ['node-2'] },
  { name: 'drain', args: ['node-1', 'node-4'] },
  { name: 'fail', args: ['node', 'node-2'] },
  { name: 'fail', args: ['zone', 'zone-a', 'zone-b'] },
  { name: 'interrupt', args: ['node-5'], options: { notice: '2m' } },
  { name: 'upgrade', args: ['nodes'] },
  { name: 'upgrade', args: ['nodes'], options: { preset: 'gke' } },
  { name: 'upgrade', args: ['nodes', 'node-1'], options: { preset: 'kubeadm' } },
  { name: 'remove-node', args: ['node-2'] },
  { name: 'scale', args: ['deployment/web'], options: { replicas: '12' } },
  { name: 'rollout', args: ['deployment/web'] },
  { name: 'restart', args: ['controller', 'taint-eviction'] },
]
const textOf = ({ name, args, options = {} }: Asked) =>
  [name, ...args, ...Object.entries(options).flatMap(([flag, value]) => [`--${flag}`, value])].join(' ')

async function ofCommand(question: string): Promise<Forecast> {
  const words = `whatif ${question} --kubernetes-version ${version} --from cluster.json -o json`
  const { out, err } = await runBerth(words, { cwd: folder })
  expect(err).toBe('')
  return JSON.parse(out) as Forecast
}

async function ofConsole(question: string, args: readonly string[], options: Readonly<Record<string, string>>) {
  const { cluster } = findCluster({ objects: objects() })
  const settings = must(readSettings({ 'kubernetes-version': version }))
  const request = { steps: [{ question, args: [...args], options }], seconds: 3600 }
  const watch = { onProgress() {}, isUnwanted: () => false }
  return forecastForConsole(cluster.store, { settings, stages: [] }, request, cluster.takenAtMs, watch)
}

/** What every form of an answer has. */
function coreOf({ verdict, reason, caused, baseline, workloads }: Omit<Forecast, 'answer'> | Console) {
  return { verdict, reason, caused, baseline, workloads }
}
type Console = Awaited<ReturnType<typeof ofConsole>>['forecast']

describe('every kind of question', () => {
  it.each(questions.map((asked) => [textOf(asked), asked] as const))(
    'has one answer of the command, the console, the library and MCP: %s',
    async (text, { name, args, options = {} }) => {
      const json = await ofCommand(text)
      const shown = await ofConsole(name, args, options)
      expect(coreOf(shown.forecast)).toEqual(coreOf(json))
      expect(shown.forecast.answer).toEqual(json.answer.lines)
      expect(shown.forecast.seconds).toBe(json.seconds)

      // The console offers the question as a scenario, which the library and MCP play.
      const [document] = parseDocuments(shown.scenario ?? '', 'scenario')
      const { steps } = (document?.value ?? { steps: [] }) as {
        readonly steps: readonly (Record<string, unknown> & { readonly at?: string })[]
      }
      expect(steps).not.toEqual([])
      const until = `${json.seconds}s`
      const config = { 'kubernetes-version': version }
      const library = must(await forecast({ cluster: objects(), steps: [...steps], until, config }))
      expect(coreOf(library)).toEqual(coreOf(json))
      expect(library.answer).toEqual(json.answer)

      const { client, close } = await stdioClient(testServer({}, [folder]), 'modern')
      await callTool(client, 'open', { file: join(folder, 'cluster.json'), kubernetesVersion: version })
      const change = steps.map(({ at: _, ...step }) => step)
      const { value } = await callTool(client, 'forecast', { change, for: until })
      await close()
      const { verdict, reason, caused, baseline } = json
      expect(value).toMatchObject({ verdict, reason, caused, baseline })
    },
  )

  it.each(['apply', 'rollout'])('has one answer of the command and the console for manifests: %s', async (name) => {
    const manifest = JSON.stringify({ ...deployment('web', 6), metadata: { name: 'web', namespace: 'default' } })
    writeFileSync(join(folder, 'web.json'), manifest)
    const json = await ofCommand(`${name} -f web.json`)
    const shown = await ofConsole(name, [], { filename: manifest })
    expect(coreOf(shown.forecast)).toEqual(coreOf(json))
    expect(shown.forecast.answer).toEqual(json.answer.lines)
  })

  it('has one answer of the command and the console for new nodes', async () => {
    const json = await ofCommand('add-node --like node-1 --count 3')
    const shown = await ofConsole('add-node', [], { like: 'node-1', count: '3' })
    expect(coreOf(shown.forecast)).toEqual(coreOf(json))
    expect(shown.forecast.answer).toEqual(json.answer.lines)
  })
})
