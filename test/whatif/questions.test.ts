// The output of every question of `berth whatif`. Review the diff of the transcripts when they change; -u rewrites them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBerth } from '../../src/cli/run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-questions-'))
afterAll(() => rmSync(folder, { recursive: true }))
const cluster = join(import.meta.dirname, '../../docs/how-to/cluster.json')

const deployment = (name: string, replicas: number, cpu: string, more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { ...more, containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu } } }] },
    },
  },
})
const { replicas: _, ...onEveryNode } = deployment('agent', 1, '7').spec
const files: Readonly<Record<string, unknown>> = {
  'cache.yaml': deployment('cache', 3, '2'),
  'agent.yaml': { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec: onEveryNode },
  'urgent.yaml': {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'top' }, value: 1_000_000 },
      deployment('urgent', 5, '6500m', { priorityClassName: 'top' }),
    ],
  },
  'usual.yaml': { 'node-eviction-rate': 0.1 },
  'hasty.yaml': { 'node-monitor-grace-period': '20s' },
  'outage.yaml': [{ at: '0s', fail: { node: 'node-1' } }],
}
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))

async function berth(args: string) {
  const { code, out, err } = await runBerth([...args.split(' '), '--from', cluster], { cwd: folder })
  return `$ berth ${args}\n${err}${out}exit code ${code}\n`
}

describe('berth whatif prints', () => {
  it.each([
    ['taint-node', 'taint node-3 gone=now:NoExecute'],
    ['taint-selector', 'taint -l topology.kubernetes.io/zone=zone-a gone=now:NoSchedule'],
    ['cordon', 'cordon node-1'],
    ['drain', 'drain node-1'],
    ['drain-blocked', 'drain -l topology.kubernetes.io/zone=zone-a'],
    ['fail-node', 'fail node node-1'],
    ['fail-zone-recovered', 'fail zone zone-a --recover-after 3m'],
    ['add-node', 'add-node --like node-1 --count 2'],
    ['remove-node', 'remove-node node-5'],
    ['scale', 'scale deployment/web --replicas 12'],
    ['apply-deployment', 'apply -f cache.yaml'],
    ['apply-daemonset', 'apply -f agent.yaml'],
    ['preempt', 'preempt -f urgent.yaml --for 10m'],
    ['upgrade', 'upgrade node-1 node-4'],
    ['taint-tolerated', 'taint node-3 maintenance=now:NoExecute --for 3m'],
    [
      'restart-controller',
      'restart controller taint-eviction --after 10s --taint maintenance=now:NoExecute -l kubernetes.io/hostname=node-3 --for 3m',
    ],
    ['config', 'config usual.yaml hasty.yaml --steps outage.yaml'],
    ['seeds', 'taint node-3 gone=now:NoExecute --seeds 5 --for 5m'],
    ['wide', 'taint node-3 gone=now:NoExecute -o wide'],
    ['trace', 'taint node-3 gone=now:NoExecute -o trace'],
    ['yaml', 'cordon node-1 -o yaml --for 1m'],
    ['json', 'cordon node-1 -o json --for 1m'],
  ])('prints the forecast of %s', async (name, question) => {
    await expect(await berth(`whatif ${question}`)).toMatchFileSnapshot(`transcripts/${name}.txt`)
  })
})
