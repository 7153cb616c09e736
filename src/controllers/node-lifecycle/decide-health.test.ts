import { describe, expect, it } from 'vitest'
import type { Node, NodeCondition } from '../../api/objects/node.ts'
import { decideHealth, type HealthVerdict, healthAfterWrite, type NodeHealth, type Renewal } from './decide-health.ts'

const t0 = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => t0 + seconds * 1000
const stamp = (seconds: number) => new Date(at(seconds)).toISOString().replace('.000', '')

function ready(status: NodeCondition['status'], heartbeat: number, since = 0): NodeCondition {
  return { type: 'Ready', status, lastHeartbeatTime: stamp(heartbeat), lastTransitionTime: stamp(since) }
}

function node(...conditions: readonly NodeCondition[]): Node {
  return { metadata: { name: 'a1', creationTimestamp: stamp(0) }, status: { conditions } }
}

function judge(found: Node, saved: NodeHealth | undefined, seconds: number, renewal?: Renewal): HealthVerdict {
  const graces = { monitorGraceMs: 50_000, startupGraceMs: 60_000 }
  return decideHealth({ node: found, saved, renewal, now: at(seconds), ...graces })
}

const renewed = (seconds: number, seen: number): Renewal => ({ renewedAt: at(seconds), seenAt: at(seen) })
const seconds = (ms: number | undefined) => (ms === undefined ? undefined : (ms - t0) / 1000)

describe('heartbeats', () => {
  const saved: NodeHealth = { probeAt: at(100), readyChangedAt: at(40), ready: ready('True', 98), renewal: at(97) }
  it.each([
    ['a new node counts as having a heartbeat now', node(ready('True', 3)), undefined, undefined, 120, 120],
    ['no new heartbeat keeps the last probe time', node(ready('True', 98)), saved, renewed(97, 100), 120, 100],
    ['a new heartbeat counts now', node(ready('True', 118)), saved, renewed(97, 100), 120, 120],
    [
      'a renewed Lease counts from the pass that could see it',
      node(ready('True', 98)),
      saved,
      renewed(107, 110),
      120,
      110,
    ],
    [
      'a heartbeat counts even if an earlier pass saw the Lease',
      node(ready('True', 118)),
      saved,
      renewed(107, 110),
      120,
      120,
    ],
    ['a deleted Lease keeps the last probe time', node(ready('True', 98)), saved, undefined, 120, 100],
    ['a node that never posted a status counts from its creation', node(), undefined, undefined, 30, 0],
    [
      'a node that never posted a status but renews its Lease counts from the renewal',
      node(),
      undefined,
      renewed(25, 30),
      30,
      30,
    ],
    ['a new node inherits the probe time of a former node of the same name', node(), saved, undefined, 120, 100],
  ])('heartbeats: %s', (_, found, before, renewal, now, probe) => {
    expect(seconds(judge(found, before, now, renewal).health.probeAt)).toBe(probe)
  })

  it('a status update without a renewal makes the pass count the Lease again', () => {
    const first = judge(node(ready('True', 118)), saved, 120, renewed(107, 110))
    expect(first.health.renewal).toBe('forgotten')
    const second = judge(node(ready('True', 118)), first.health, 125, renewed(107, 110))
    expect(seconds(second.health.probeAt)).toBe(125)
    expect(second.health.renewal).toBe(at(107))
    const third = judge(node(ready('True', 118)), second.health, 130, renewed(107, 110))
    expect(seconds(third.health.probeAt)).toBe(125)
  })

  it('records the time at which the Ready condition changed', () => {
    const fell = judge(node(ready('False', 118, 117)), saved, 120)
    expect(seconds(fell.health.readyChangedAt)).toBe(120)
    const stayed = judge(node(ready('True', 118)), saved, 120)
    expect(seconds(stayed.health.readyChangedAt)).toBe(40)
  })
})

describe('a silent node', () => {
  const saved: NodeHealth = { probeAt: at(100), readyChangedAt: at(40), ready: ready('True', 98) }

  it('a silent node stays ready during the grace period', () => {
    const verdict = judge(node(ready('True', 98)), saved, 149)
    expect(verdict.write).toBeUndefined()
    expect(seconds(verdict.expiresAt)).toBe(150)
  })

  it('a silent node gets the status Unknown for every condition that a kubelet posts, and keeps the others', () => {
    const memory: NodeCondition = { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: stamp(98) }
    const disk: NodeCondition = { type: 'DiskPressure', status: 'Unknown', reason: 'Elsewhere' }
    const network: NodeCondition = { type: 'NetworkUnavailable', status: 'False' }
    const verdict = judge(node(ready('True', 98), memory, disk, network), saved, 150)
    const silenced = {
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: stamp(150),
    }
    expect(verdict.write).toEqual([
      { ...ready('True', 98), ...silenced },
      { ...memory, ...silenced },
      disk,
      network,
      {
        type: 'PIDPressure',
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: stamp(0),
        lastTransitionTime: stamp(150),
      },
    ])
    expect(verdict.observed.status).toBe('True')
    expect(verdict.current?.status).toBe('Unknown')
    const after = healthAfterWrite(verdict, undefined, at(150))
    expect(after).toMatchObject({ probeAt: at(100), readyChangedAt: at(150), ready: { status: 'Unknown' } })
  })

  it('a silent node is written once and then never expires again', () => {
    const verdict = judge(node(ready('Unknown', 98, 150)), { ...saved, ready: ready('Unknown', 98, 150) }, 200)
    expect(verdict.write).toBeUndefined()
    expect(verdict.expiresAt).toBeUndefined()
  })

  it('a silent node becomes Unknown after the startup grace period if it never posted a status', () => {
    expect(seconds(judge(node(), undefined, 59).expiresAt)).toBe(60)
    expect(judge(node(), undefined, 59).current).toBeUndefined()
    const verdict = judge(node(), undefined, 60)
    expect(verdict.observed.status).toBe('Unknown')
    expect(verdict.current).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated' })
  })
})

it('uses wall time for the startup grace period and for timestamps of a node without status', () => {
  const wall = at(30) + 3_600_000
  const created = new Date(wall - 30_000).toISOString().replace('.000', '')
  const silent: Node = { metadata: { name: 'a1', creationTimestamp: created } }
  const graces = { monitorGraceMs: 50_000, startupGraceMs: 60_000 }
  const young = decideHealth({ node: silent, saved: undefined, renewal: undefined, now: at(30), wall, ...graces })
  expect([young.write, seconds(young.health.probeAt)]).toEqual([undefined, 0])
  const later = { now: at(60), wall: wall + 30_000 }
  const old = decideHealth({ node: silent, saved: young.health, renewal: undefined, ...later, ...graces })
  const stamps = new Set(old.write?.map(({ lastTransitionTime }) => lastTransitionTime))
  expect([...stamps]).toEqual([new Date(later.wall).toISOString().replace('.000', '')])
})
