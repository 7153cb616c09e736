import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from '../run-berth.fixture.ts'
import { commandName, nodeCommands } from './up.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-up-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))

const berth = (args: string) => runBerth(args, { cwd: folder })

write('file', 'not a folder')
write('stage.yaml', { apiVersion: 'berth.dev/v1alpha1', kind: 'Stage', metadata: { name: 'x' }, spec: { of: 'Cat' } })
mkdirSync(join(folder, 'taken'))
write('taken/lock', { pid: process.pid })
mkdirSync(join(folder, 'odd', 'berth.log'), { recursive: true })
write('flags.yaml', { 'node-monitor-period': 'often' })
write('groups.yaml', { clusterAutoscaler: { nodeGroups: [{ name: 'pool-a', max: 3 }] } })
write('load.yaml', { target: 'web', cpu: '1' })

describe('berth up that cannot start', () => {
  it.each([
    ['a file where its folder should be', '--data-dir file', `${join(folder, 'file')}: is a file, not a directory; `],
    ['a folder inside a file', '--data-dir file/x', `${join(folder, 'file', 'x')}: not a directory; `],
    [
      'a folder that another process uses',
      '--data-dir taken --port 0',
      `${join(folder, 'taken')} is in use by process ${process.pid}; stop that process first, or use another directory`,
    ],
    ['a folder where its log should be', '--data-dir odd --port 0', `${join(folder, 'odd', 'berth.log')}: `],
    [
      'a kubeconfig in a place that does not exist',
      '--data-dir d --ephemeral --port 0 --kubeconfig file/kubeconfig',
      `${join(folder, 'file', 'kubeconfig')}: is a file, not a directory; pass another --kubeconfig`,
    ],
    [
      'an invalid Stage',
      '--stages stage.yaml',
      'stage.yaml:1: document 1: spec.of: must be one of Pod, Node, not "Cat"',
    ],
    ['a missing Stage file', '--stages none.yaml', `${join(folder, 'none.yaml')}: no such file`],
    ['invalid flags', '--config flags.yaml', 'flags.yaml: node-monitor-period'],
    [
      'a node group without a template',
      '--data-dir d --ephemeral --port 0 --autoscaler groups.yaml',
      'groups.yaml: clusterAutoscaler.nodeGroups[0].template: required: no node of the cluster has the label of the group',
    ],
    ['an invalid load', '--load load.yaml', 'load.yaml: target: must be KIND/NAME, for example deployment/web'],
    ['a missing scheduler configuration', '--scheduler-config none.yaml', 'none.yaml: no such file'],
    [
      'an address of another machine',
      '--data-dir d --port 0 --bind-address 192.0.2.1',
      'is not an address of this machine',
    ],
  ])('reports in one line why it cannot start: %s', async (_, flags, message) => {
    const { code, err } = await berth(`up ${flags}`)
    const lines = err
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('berth: warning:'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(message)
    expect(code).toBe(2)
  })
})

describe('the command name in the welcome text', () => {
  it.each([
    ['in a clone', {}, '/here/bin/berth', './bin/berth'],
    ['from npx', { npm_command: 'exec' }, '/cache/node_modules/.bin/kubeberth', 'npx kubeberth'],
    ['installed', {}, '/usr/local/bin/berth', 'berth'],
  ])('shows the command name of %s', (_, env, script, name) => {
    expect(commandName(env, script, '/here')).toBe(name)
  })
})

describe('the commands to try next', () => {
  it('suggested commands contain a node of the cluster, or the label of hollow nodes if there are none', () => {
    expect(nodeCommands('n-7', 'berth').map(([text]) => text)).toEqual([
      'kubectl taint node n-7 maintenance=now:NoExecute',
      'berth evictions',
      'berth node silence n-7',
    ])
    expect(nodeCommands(undefined, 'berth')).toEqual([
      ['kubectl create -f NODES', 'add nodes; those with the label berth.dev/hollow=true are hollow'],
    ])
  })
})
