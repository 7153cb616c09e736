import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { karpenterObjects } from '../../bench/workloads/karpenter-cluster.ts'
import { karpenterDefinitions } from '../autoscalers/karpenter/definitions.ts'
import { runBerth } from './run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-interrupt-'))
afterAll(() => rmSync(folder, { recursive: true }))

const items = [...karpenterDefinitions, ...karpenterObjects(6, 60)]
// The last node is not one of Karpenter.
const mixed = items.filter(({ kind, metadata }) => kind !== 'NodeClaim' || metadata.name !== 'general-node-0005')
writeFileSync(join(folder, 'dump.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: mixed }))

async function interrupted(...args: readonly string[]) {
  const { out, err } = await runBerth(
    ['whatif', 'interrupt', ...args, '--from', 'dump.json', '--for', '10m', '-o', 'trace'],
    {
      cwd: folder,
    },
  )
  expect(err).toBe('')
  const facts = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly what: string; readonly object: string; readonly detail?: unknown })
  const of = (what: string, object: string) =>
    facts.filter((fact) => fact.what === what && fact.object.startsWith(`node/${object}`)).map(({ detail }) => detail)
  return { facts, of }
}

describe('berth whatif interrupt', () => {
  it('lets Karpenter replace its nodes, and a termination handler drain the others', async () => {
    const { of } = await interrupted('node-0001', 'node-0005')
    expect(of('tainted', 'node-0001')).toContain('karpenter.sh/disrupted:NoSchedule')
    expect(of('tainted', 'node-0001')).not.toContain('berth.dev/interrupted:NoSchedule')
    expect(of('deleted', 'node-0001')).toHaveLength(1)
    expect(of('tainted', 'node-0005')).toContain('berth.dev/interrupted:NoSchedule')
    expect(of('deleted', 'node-0005')).toHaveLength(1)
  })

  it('assumes a termination handler on all nodes with --taint', async () => {
    const { of } = await interrupted('node-0001', '--taint', 'gone=soon:NoSchedule')
    expect(of('tainted', 'node-0001')[0]).toBe('gone=soon:NoSchedule')
  })
})
