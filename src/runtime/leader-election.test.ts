import { describe, expect, it } from 'vitest'
import { createFaultyClient } from '../../test/doubles/faulty-client.ts'
import { passTime } from '../../test/doubles/manual-time.ts'
import type { Lease } from '../api/objects/node.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createLeaderElection, type LeaderElection } from './leader-election.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

/** A clock whose wall time can be set. */
class SteppedClock extends VirtualClock {
  offsetMs = 0

  override wall(): number {
    return this.now() + this.offsetMs
  }
}

function cluster() {
  const store = createStore()
  const clock = new SteppedClock(start)
  const outside = createInProcessClient(createRegistry({ store, clock, random: createRandom('cluster') }))
  for (const name of ['default', 'kube-system']) {
    outside.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name } } })
  }
  const diary: string[] = []
  const note = (text: string) => diary.push(`${(clock.now() - start) / 1000}s ${text}`)
  const join = (identity: string) => {
    const client = createFaultyClient(outside)
    const metrics = new MetricRegistry()
    const election: LeaderElection = createLeaderElection({
      client,
      metrics,
      clock,
      random: createRandom(identity),
      identity,
      lease: { namespace: 'kube-system', name: 'berth' },
      onStartedLeading: () => note(`${identity} leads`),
      onStoppedLeading: () => void note(`${identity} stops`),
    })
    election.start()
    return { client, election, metrics }
  }
  const pass = (ms: number) => passTime(clock, ms, promises)
  const lease = () => store.get('leases.coordination.k8s.io', 'kube-system/berth') as Lease | undefined
  return { store, clock, outside, diary, join, pass, lease }
}

async function promises(): Promise<void> {
  for (let i = 0; i < 60; i++) await Promise.resolve()
}

/** The times of the log entries, in seconds. */
const secondsOf = (diary: readonly string[], text: string) =>
  Number.parseFloat(diary.find((line) => line.includes(text)) ?? 'NaN')

describe('leader election', () => {
  it('makes the first candidate the leader, with a record that upstream can read', async () => {
    const { join, pass, diary, lease } = cluster()
    const { election } = join('one')
    join('two')
    await pass(30_000)
    expect(diary).toEqual(['0s one leads'])
    expect([election.isLeader(), election.leader()]).toEqual([true, 'one'])
    expect(lease()?.spec).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:30.000000Z',
      leaseTransitions: 0,
    })
  })

  it.each([
    ['forward', 3_600_000, '2026-01-01T01:01:00.000000Z'],
    ['back', -3_600_000, '2025-12-31T23:01:00.000000Z'],
  ])(
    'keeps its leader when the wall clock is set an hour %s, and writes the new wall time',
    async (_, stepMs, renewTime) => {
      const { clock, join, pass, diary, lease } = cluster()
      const { election } = join('one')
      join('two')
      await pass(5_000)
      clock.offsetMs = stepMs
      await pass(55_000)
      expect(diary).toEqual(['0s one leads'])
      expect([election.isLeader(), lease()?.spec?.renewTime]).toEqual([true, renewTime])
    },
  )

  it('elects another leader immediately when the leader releases the lease', async () => {
    const { join, pass, diary, lease } = cluster()
    const one = join('one')
    await pass(1000)
    join('two')
    await pass(4500)
    await one.election.stop()
    expect(lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    await pass(5000)
    expect(diary.slice(0, 2)).toEqual(['0s one leads', '5.5s one stops'])
    expect(secondsOf(diary, 'two leads')).toBeLessThan(5.5 + 4.5)
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 })
  })

  it.each(['fails', 'hangs'] as const)('stops a leader whose connection %s before another one starts', async (how) => {
    const { join, pass, diary } = cluster()
    const one = join('one')
    await pass(1000)
    const two = join('two')
    await pass(6000)
    one.client.cut(how)
    await pass(60_000)
    expect(diary.map((line) => line.split(' ').slice(1).join(' '))).toEqual(['one leads', 'one stops', 'two leads'])
    // The last renewal was sent at 6 s.
    expect(secondsOf(diary, 'one stops')).toBe(16)
    expect(secondsOf(diary, 'two leads')).toBeGreaterThanOrEqual(6 + 15)
    // A standby polls every 2 to 4.4 s: it may see the last renewal and its expiry with this delay each.
    expect(secondsOf(diary, 'two leads')).toBeLessThan(6 + 4.4 + 15 + 4.4)
    one.client.restore()
    await pass(60_000)
    expect(diary).toHaveLength(3)
    expect(one.metrics.expose()).toContain('leader_election_master_status{name="berth"} 0')
    expect(two.metrics.expose()).toContain('leader_election_master_status{name="berth"} 1')
    expect([one.election.isLeader(), one.election.leader()]).toEqual([false, 'two'])
  })

  it('stops leading at the deadline even if the timer is late', async () => {
    const { join, pass, clock, diary } = cluster()
    const { election } = join('one')
    await pass(1000)
    const late = clock.now.bind(clock)
    // A process that was suspended sees a later time before any of its timers has run.
    clock.now = () => late() + 9000
    expect(election.isLeader()).toBe(false)
    expect(diary).toEqual(['0s one leads'])
    clock.now = late
    expect(election.isLeader()).toBe(true)
  })

  it('makes a leader lead again after its connection is restored, if no other process leads', async () => {
    const { join, pass, diary } = cluster()
    const one = join('one')
    await pass(6000)
    one.client.cut()
    await pass(20_000)
    one.client.restore()
    await pass(10_000)
    expect(diary.map((line) => line.split(' ').slice(1).join(' '))).toEqual(['one leads', 'one stops', 'one leads'])
  })

  it('does not depend on the clock that wrote the lease', async () => {
    const { join, pass, diary, outside } = cluster()
    const spec = { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.000000Z' }
    const metadata = { name: 'berth', namespace: 'kube-system' }
    outside.callNow({
      verb: 'create',
      resource: 'leases.coordination.k8s.io',
      namespace: 'kube-system',
      object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec } as Lease,
    })
    join('one')
    await pass(14_900)
    expect(diary).toEqual([])
    await pass(6000)
    expect(diary).toHaveLength(1)
    expect(secondsOf(diary, 'one leads')).toBeGreaterThanOrEqual(15)
  })

  it('has at most one leader at any time, for any pattern of lost connections', async () => {
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { join, pass, diary } = cluster()
      const stream = createRandom(seed).stream('cuts')
      const members = ['one', 'two', 'three'].map(join)
      for (let i = 0; i < 40; i++) {
        const member = stream.pick(members)
        if (stream.int(2) === 0) member.client.cut(stream.pick(['fails', 'hangs'] as const))
        else member.client.restore()
        await pass(stream.int(12_000))
      }
      let leading = 0
      for (const line of diary) {
        leading += line.endsWith('leads') ? 1 : -1
        expect([seed, leading <= 1]).toEqual([seed, true])
      }
      expect(diary.length).toBeGreaterThan(2)
    }
  })
})
