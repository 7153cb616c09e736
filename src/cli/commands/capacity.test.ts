import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Forecast } from '../../whatif/report/forecast.ts'
import { runBerth } from '../run-berth.fixture.ts'

const root = join(import.meta.dirname, '../../..')
const dump = join(root, 'docs/how-to/cluster.json')

const berth = (args: string) => runBerth([...args.split(' '), '--from', dump], { cwd: root })

const replicas = (name: string): number => {
  const { items } = JSON.parse(readFileSync(dump, 'utf8')) as {
    items: { kind: string; metadata: { name: string }; spec: { replicas: number } }[]
  }
  return items.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec.replicas ?? 0
}

describe('berth capacity fit', () => {
  it('counts the same number of pods as a forecast of the scale-up places', async () => {
    const { more, limits } = JSON.parse((await berth('capacity fit deployment/api -o json')).out) as {
      more: number
      limits: { reason: string; nodes: number }[]
    }
    expect(more).toBeGreaterThan(0)
    expect(limits.length).toBeGreaterThan(0)
    const pendingAfter = async (added: number) => {
      const scaled = await berth(`whatif scale deployment/api --replicas ${replicas('api') + added} --for 5m -o json`)
      return (JSON.parse(scaled.out) as Forecast).caused.podsPending
    }
    expect(await pendingAfter(more)).toBe(0)
    expect(await pendingAfter(more + 1)).toBe(1)
  })

  it('stops at --most', async () => {
    expect((await berth('capacity fit deployment/api --most 2')).out).toMatch(
      /^At least 2 more pods of deployment\/api fit: /,
    )
  })

  it('prints no line wider than the terminal', async () => {
    const { out } = await berth('capacity fit deployment/web')
    expect(out).toContain('The next pod does not fit: ')
    expect(out.split('\n').filter((line) => line.length > 110)).toEqual([])
  })

  it.each([
    ['capacity fit deployment/wep', 'deployments.apps "wep" not found in namespace default; did you mean "web"?'],
    [
      'capacity smallest --pool zone-a',
      '--pool zone-a: no node matches; did you mean topology.kubernetes.io/zone=zone-a?',
    ],
    ['capacity smallest --pool web', '--pool web: no node matches; pass a label selector, for example pool=web'],
    ['capacity fit web', '"web": must be KIND/NAME; KIND is one of deployment, replicaset, statefulset, job'],
  ])('answers %j in one line', async (args, message) => {
    const { code, err } = await berth(args)
    expect({ code, err }).toEqual({ code: 2, err: `berth: ${message}\n` })
  })
})

describe('berth capacity removable', () => {
  it('lists nodes whose pods fit elsewhere, and the pod that stops the next one', async () => {
    const { nodes, kept } = JSON.parse((await berth('capacity removable -o json')).out) as {
      nodes: { node: string }[]
      kept: { node: string; pod: string; reason: string }[]
    }
    expect(nodes.length + kept.length).toBe(5)
    expect(nodes.length).toBeGreaterThan(0)
    expect(kept.every(({ reason }) => reason === 'fits on no other node')).toBe(true)
  })

  it('considers the selected nodes only', async () => {
    const { out } = await berth('capacity removable -l kubernetes.io/hostname=node-4')
    expect(out).toMatch(/^1 of 1 node can be removed, in this order\.\n/)
  })
})
