import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { budget, deployment, dumpOf, node } from '../../whatif/run/story.fixture.ts'
import { findCluster } from '../../whatif/snapshot/found-cluster.ts'
import type { QuestionStep } from '../../wire/console-questions.ts'
import { main } from '../main.ts'
import { realPorts } from '../ports.ts'
import type { ForecastSetup } from './forecast.ts'
import { asksForText, textForConsole, textForms } from './text-questions.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-console-'))
afterAll(() => rmSync(folder, { recursive: true }))

const template = { status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } } }
const groups = { clusterAutoscaler: { nodeGroups: [{ name: 'pool', min: 0, max: 3, boot: '30s', template }] } }

let items: readonly KubeObject[] = []

beforeAll(async () => {
  const objects = [node('a'), node('b'), node('c'), deployment('web', 4), budget('web', 3)]
  const dump = (await dumpOf(objects)) as { items: KubeObject[] }
  items = dump.items
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('dump.json', JSON.stringify(dump))
  write('a.yaml', 'node-monitor-grace-period: 50s')
  write('b.yaml', 'node-monitor-grace-period: 10s')
  write('steps.yaml', '- { at: 0s, fail: { nodes: [a] } }')
  write('autoscaler.yaml', JSON.stringify(groups))
})

async function onCommandLine(words: string): Promise<string> {
  const out: string[] = []
  const sink = { write: (text: string) => void out.push(text), isTTY: false, columns: undefined }
  const args = words.replace(/^berth /, '').split(' ')
  await main(args, { ...realPorts(), stdout: sink, stderr: sink, env: {}, cwd: folder } as never)
  return out.join('')
}

const step = (question: string, args: readonly string[] = [], options: QuestionStep['options'] = {}) => ({
  question,
  args,
  options,
})
const failA = step('fail', ['node', 'a'])
const watch = { onProgress: () => undefined, isUnwanted: () => false }

function inConsole(steps: readonly QuestionStep[], more: Partial<ForecastSetup> = {}) {
  const { cluster, notes, without } = findCluster({ objects: items })
  const setup = { settings: defaultSettings, stages: [], file: { notes, without }, ...more }
  return textForConsole(cluster.store, setup, { steps, seconds: 600 }, cluster.takenAtMs, watch)
}

/** The words of a text, without how they are broken into lines. */
const words = (text: string) => text.split(/\s+/).join(' ')

const autoscaler = { name: 'autoscaler.yaml', document: groups }
const configs = ['node-monitor-grace-period: 50s', 'node-monitor-grace-period: 10s']

describe('questions with a text as their answer', () => {
  it.each([
    [
      'the failure of each node',
      [step('fail --each', ['node'])],
      {},
      'berth whatif fail --each-node --for 600s',
      ' -o wide',
    ],
    [
      'two configurations, with the other questions as steps',
      [step('config', configs), failA],
      {},
      'berth whatif config a.yaml b.yaml --steps steps.yaml --for 600s',
      ' -o wide',
    ],
    [
      'an upgrade of the control plane',
      [step('upgrade-control-plane', [], { to: '1.37', fromVersion: '1.36' })],
      {},
      'berth whatif upgrade-control-plane --to 1.37 --from-version 1.36 --for 600s',
      '',
    ],
    [
      'what the autoscaler would remove',
      [step('consolidate')],
      { autoscaler },
      'berth whatif consolidate --autoscaler autoscaler.yaml',
      '',
    ],
  ] as const)('has the answer of the command that it shows: %s', async (_name, steps, more, command, output) => {
    const { text, command: shown } = await inConsole(steps, more)
    expect(shown).toBe(command)
    expect(asksForText({ steps, seconds: 600 })).toBe(true)
    const said = await onCommandLine(`${command}${output} --from dump.json`)
    expect(words(text)).toBe(words(said))
    expect(text).not.toBe('')
  })

  it('has a form for each question with a text answer, with the arguments and options of its command', () => {
    const forms = Object.fromEntries(textForms().map(({ name, args, options }) => [name, { args, options }]))
    expect(Object.keys(forms)).toEqual(['fail --each', 'consolidate', 'config', 'upgrade-control-plane'])
    expect(forms['config']?.args).toMatchObject([
      { name: 'A', isFile: true },
      { name: 'B', isFile: true },
    ])
    expect(forms['upgrade-control-plane']?.options).toMatchObject([
      { key: 'to', required: true },
      { key: 'fromVersion', required: false },
      { key: 'allowSkip', kind: 'boolean' },
    ])
  })

  it.each([
    [[step('fail --each', ['rack'])], 'no node has the label'],
    [[step('fail --each', ['node']), failA], 'fail --each cannot be combined with other questions'],
    [[step('config', ['node-monitor-grace-period: soon', '']), failA], 'node-monitor-grace-period'],
    [[step('upgrade-control-plane', [], { to: '1.35', fromVersion: '1.36' })], 'does not support a downgrade'],
    [[step('consolidate')], 'neither NodePools nor node groups'],
  ])('rejects %j with the reason', async (steps, message) => {
    await expect(inConsole(steps)).rejects.toThrow(message)
  })
})
